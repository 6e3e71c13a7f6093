"""`--strict`: whether what looks wrong in the data is told of, or stops the command."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from nabi.cli.options.declare import flag
from nabi.cli.options.source import PANEL
from nabi.cli.show.screen import note
from nabi.errors import InputError
from nabi.readers import Part, Reader

Watch = Callable[[Iterable[Part]], Iterable[Part]]  # looks at parts on their way


@dataclass(frozen=True)
class Strictness:
    """What to do where data look wrong."""

    PANEL: ClassVar[str] = PANEL
    strict: bool = flag(
        "Stop, and write nothing, where the data look wrong: labels that differ only by case or "
        "blanks, one class, empty texts, equal texts with different labels (default: a note)."
    )


@contextlib.contextmanager
def watching(
    strictness: Strictness | None, reader: Reader, known: Mapping[str, float] = {}
) -> Iterator[Watch]:
    """Yield a function that looks at parts; at the end tell what looks wrong, or refuse it.

    `known` has the number of documents that a model has learned before, by label. Without
    strictness nothing is looked at.
    """
    if strictness is None:
        yield lambda parts: parts
        return
    from nabi.judging.data_notes import DataNotes

    notes = DataNotes(texts=not reader.is_table, known=known)
    yield notes.seen
    lines = notes.lines(reader.where)
    if lines and strictness.strict:
        raise InputError(f"--strict: {'; '.join(lines)}")
    for line in lines:
        note(line)

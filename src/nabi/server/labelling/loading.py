"""Loading: texts from files into the pool, some at a time, so that others are served meanwhile."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from nabi.errors import NabiError
from nabi.readers import Reader, read
from nabi.server.store.changes import AddTexts, Outcome, PoolText
from nabi.server.store.store import Store

CHUNK = 2000  # texts that are made durable together: some milliseconds
BYTES = 4_000_000  # characters of them
SHOWN = 5  # rejects that are told
SHORT = 200  # characters of a reject
LINES = (".txt", ".txt.gz", ".txt.zst")  # names of files with a text a line

Progress = Callable[[int, int], None]  # bytes that have come, of how many


@dataclass
class Loaded:
    """Counts of the rows of a file: read = used + rejected, used = added + the others."""

    read: int = 0
    used: int = 0
    rejected: int = 0
    added: int = 0
    duplicates: int = 0
    empty: int = 0
    columns: dict[str, str | None] = field(default_factory=dict)
    first_rejects: list[dict[str, object]] = field(default_factory=list)


class UnclearColumnError(NabiError):
    """Which column is the text is not clear; `candidates` are all columns."""

    def __init__(self, message: str, candidates: list[str]) -> None:
        super().__init__(message)
        self.candidates = candidates


def load(
    store: Store,
    path: str | Path,
    *,
    who: str,
    text: str | None = None,
    label: str | None = None,
    source: str | None = None,
    longest: int,
    progress: Progress = lambda done, total: None,
) -> Loaded:
    """Read a file into the pool; rows that cannot be used are set aside and counted."""
    found = Loaded()
    reader = _opened(path, text, label)
    try:
        texts = _texts(reader, found, longest, source or Path(path).name)
        for outcome in added(store, texts, who):
            found.added += outcome.added
            found.duplicates += outcome.duplicates
            progress(reader.done, reader.total)
        found.columns = {"text": ",".join(reader.texts) or None, "label": reader.label}
        found.read, found.rejected = reader.read, reader.rejected
        found.used = found.read - found.rejected
        found.first_rejects = [
            {"line": one.line, "reason": one.reason, "row": one.row[:SHORT]}
            for one in islice(reader.rejects, SHOWN)
        ]
    finally:
        reader.close()
    return found


def check(path: str | Path, *, text: str | None = None, label: str | None = None) -> None:
    """Refuse a file that cannot be read, or whose text column is not clear."""
    _opened(path, text, label).close()


def _opened(path: str | Path, text: str | None, label: str | None) -> Reader:
    """Return a reader of the file; name all columns where that of the text is not clear."""
    given = {"text": text, "label": label, "labelled": label is not None, "skip_bad": True}
    if text is None and label is None and Path(path).name.lower().endswith(LINES):
        given["format"] = "lines"  # a comma in the first text makes no columns
    try:
        return read(path, **given)  # type: ignore[arg-type]
    except NabiError as error:
        names = _names(path)
        if len(names) > 1 or (names and text is not None):
            raise UnclearColumnError(str(error), names) from None
        raise


def _names(path: str | Path) -> list[str]:
    """Return the columns of a file; none where it has none, or cannot be read."""
    try:
        reader = read(path, labelled=False, table=True, skip_bad=True)
    except NabiError:
        return []
    reader.close()
    return reader.names


def _texts(reader: Reader, found: Loaded, longest: int, source: str) -> Iterator[PoolText]:
    """Yield the texts that can be used; empty ones are counted, too long ones set aside."""
    for part in reader:
        texts = part.texts.to_list()
        labels = [None] * len(texts) if part.labels is None else list(part.labels)
        too_long = [i for i, text in enumerate(texts) if text is not None and len(text) > longest]
        if too_long:
            why = f"the text is longer than {longest:,} characters"
            reader.set_aside(part, [(i, why) for i in too_long])
        bad = set(too_long)
        for i, (text, label) in enumerate(zip(texts, labels, strict=True)):
            if i in bad:
                continue
            if text is None or not text.strip():
                found.empty += 1
            else:
                yield PoolText(text, source=source, label=label)


def added(store: Store, texts: Iterable[PoolText], who: str) -> Iterator[Outcome]:
    """Add texts, some at a time; yield each outcome once it is on disk."""
    for chunk in chunks(texts):
        yield store.submit([AddTexts(tuple(chunk))], who=who).result()


def chunks(texts: Iterable[PoolText]) -> Iterator[Sequence[PoolText]]:
    """Yield texts in lists of bounded size."""
    chunk: list[PoolText] = []
    size = 0
    for one in texts:
        chunk.append(one)
        size += len(one.text)
        if len(chunk) >= CHUNK or size >= BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk

"""`nabi learn` and `nabi forget`: change a model file, whole or not at all."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

from nabi.cli.data.notes import watching
from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.errors import InputError, NotLearnedError
from nabi.models import streaming
from nabi.readers import Reader


def learn(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    strictness: Strictness,
    time_limit: float | None = o.TIME_LIMIT,
    out: o.Summary,
) -> None:
    """Learn more texts, also of new words and classes; the file is replaced in one step.

    ```
    nabi learn mail.nabi monday.csv
    ```
    """
    _change(model, source, time_limit, out, "learn", "learned", strictness)


def forget(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    time_limit: float | None = o.TIME_LIMIT,
    out: o.Summary,
) -> None:
    """Remove learned texts from a model, exactly; a text that was not learned is an error.

    ```
    nabi forget mail.nabi requests.csv
    ```
    """
    _change(model, source, time_limit, out, "forget", "forgot")


def _change(
    path: str,
    source: LabelledTexts,
    time_limit: float | None,
    out: o.Summary,
    verb: str,
    done: str,
    strictness: Strictness | None = None,
) -> None:
    """Learn or forget texts, save the model, and print what it holds now."""
    start = time.perf_counter()
    with exclusive(path):
        classifier = source.model(path, time_limit=time_limit)
        reader = source.reader(
            beside=path,
            reads=[path],
            table=classifier.reads_columns,
            remembered=classifier.source_columns,
        )
        known = o.class_counts(classifier)
        with (
            watching(strictness, reader, known) as watch,
            out.progress(reader, "reading") as parts,
            located(reader),
        ):
            getattr(streaming, verb)(classifier, reader, watch(parts), text=source.text)
        if not classifier.__sklearn_is_fitted__():
            raise InputError(
                f"these are all the texts that {path} has learned; delete the file to forget "
                f"them all; no file was changed"
            )
        save_model(classifier, path)
    counts = o.class_counts(classifier)
    result = {
        "texts": sum(counts.values()),
        "classes": counts,
        **classifier.extent,
        "seconds": round(time.perf_counter() - start, 3),
        "model": path,
    }
    out.print(result, lambda result: _show(result, done), source.finish(reader))


def _show(result: dict[str, Any], done: str) -> None:
    used, now = (screen.documents(n, result) for n in (result["rows"]["used"], result["texts"]))
    path = quote(result["model"])
    screen.say(f"{done} {used}; {path} now holds {now}, {screen.extent(result)}")
    screen.say(screen.classes_line(result["classes"]))


@contextmanager
def located(reader: Reader, hint: str = "") -> Iterator[None]:
    """Let the error of a text that was not learned name file and line, in place of a number."""
    try:
        yield
    except NotLearnedError as error:
        said = str(error)
        if error.at is not None:
            what = "row" if reader.is_table else "text"
            said = (
                f"{reader.where(error.at)}: this {what} was not learned with this label, or not as "
                f"often as it is given; no file was changed"
            )
        raise NotLearnedError(f"{said}{hint}") from None

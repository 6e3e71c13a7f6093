"""`nabi learn`, and what it shares with `nabi forget`: change a model file, whole or not at all."""

import time
from collections.abc import Iterable
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.errors import InputError, NotLearnedError
from nabi.readers import Part, Reader


def learn(
    model: str = o.MODEL, *, source: LabelledTexts, json: bool = o.JSON, quiet: bool = o.QUIET
) -> None:
    """Add more texts to a model, with new words and classes; its file is replaced in one step.

    ```
    nabi learn mail.nabi monday.csv
    ```
    """
    change(model, source, "learn", "learned", json=json, quiet=quiet)


def change(
    path: str, source: LabelledTexts, verb: str, done: str, *, json: bool, quiet: bool
) -> None:
    """Learn or forget texts, save the model, and print what it holds now."""
    from nabi import load

    start = time.perf_counter()
    with exclusive(path):
        classifier = load(path)
        classifier.threads = source.threads
        reader = source.reader(beside=path, reads=[path], table=classifier.reads_columns)
        with screen.progress(reader, "reading", quiet=quiet) as parts:
            _apply(verb, classifier, parts, reader, source)
        if not classifier.__sklearn_is_fitted__():
            raise InputError(
                f"these are all the texts that {path} has learned; delete the file to forget "
                f"them all; no file was changed"
            )
        save_model(classifier, path)
    counts = o.class_counts(classifier)
    result = {
        "rows": screen.rows(reader),
        "rejects": source.write_rejects(reader),
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(classifier),
        "seconds": round(time.perf_counter() - start, 3),
        "model": path,
    }
    screen.print_result(result, lambda result: _show(result, done), json=json, quiet=quiet)


def _show(result: dict[str, Any], done: str) -> None:
    print(screen.rows_line(result["rows"], result["rejects"]))
    used, now = (screen.documents(n, result) for n in (result["rows"]["used"], result["texts"]))
    path = screen.quoted(result["model"])
    print(f"{done} {used}; {path} now holds {now}, {screen.extent(result)}")
    print(screen.classes_line(result["classes"]))


def _apply(
    verb: str, classifier: Any, parts: Iterable[Part], reader: Reader, source: LabelledTexts
) -> None:
    """Learn or forget; an error has file and line in place of a number."""
    from nabi.models import streaming

    try:
        getattr(streaming, verb)(classifier, reader, parts, text=source.text)
    except NotLearnedError as error:
        raise located(error, reader) from None


def located(error: NotLearnedError, reader: Reader) -> NotLearnedError:
    """Return the error with file and line in place of a number."""
    if error.at is None:
        return error
    what = "row" if reader.is_table else "text"
    return NotLearnedError(
        f"{reader.where(error.at)}: this {what} was not learned with this label, or not as often "
        f"as it is given; no file was changed"
    )

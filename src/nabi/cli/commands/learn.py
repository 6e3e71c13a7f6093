"""`nabi learn` and `nabi forget`: change a model file, whole or not at all."""

import time
from collections.abc import Iterable
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.errors import InputError, NotLearnedError
from nabi.models.base import Model
from nabi.readers import Part, Reader


def learn(
    model: o.Model, source: LabelledTexts, json: o.Json = False, quiet: o.Quiet = False
) -> None:
    """Learn more texts, new words and new classes too; the file is replaced in one step.

    ```
    nabi learn mail.nabi monday.csv
    ```
    """
    _change(model, source, "learn", "learned", json=json, quiet=quiet)


def forget(
    model: o.Model, source: LabelledTexts, json: o.Json = False, quiet: o.Quiet = False
) -> None:
    """Take learned texts away again, exactly; one that was not learned is an error.

    ```
    nabi forget mail.nabi requests.csv
    ```
    """
    _change(model, source, "forget", "forgot", json=json, quiet=quiet)


def _change(
    path: str, source: LabelledTexts, verb: str, done: str, *, json: bool, quiet: bool
) -> None:
    from nabi import load
    from nabi.files import model_file

    start = time.perf_counter()
    with model_file.exclusive(path, lambda: screen.note(f"waiting: {path} is being changed")):
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
        with writing(path):
            classifier.save(path)
    rejected = source.write_rejects(reader)
    result = _result(classifier, reader, time.perf_counter() - start, path, rejected)
    if json:
        screen.print_json(result)
    elif not quiet:
        _show(result, done)


def _result(
    model: Model, reader: Reader, seconds: float, path: str, rejected: str | None
) -> dict[str, Any]:
    """What the model holds now, for a program."""
    counts = o.class_counts(model)
    return {
        "rows": screen.rows(reader),
        "rejects": rejected,
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(model),
        "seconds": round(seconds, 3),
        "model": path,
    }


def _show(result: dict[str, Any], done: str) -> None:
    used = result["rows"]["used"]
    print(screen.rows_line(result["rows"], result["rejects"]))
    now = screen.documents(result["texts"], result)
    print(f"{done} {screen.documents(used, result)}; {screen.quoted(result['model'])} ", end="")
    print(f"now holds {now}, {screen.extent(result)}")
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
    """The error with file and line in place of a number."""
    if error.at is None:
        return error
    what = "row" if reader.is_table else "text"
    return NotLearnedError(
        f"{reader.where(error.at)}: this {what} was not learned with this label, or not as often "
        f"as it is given; no file was changed"
    )

"""`nabi learn` and `nabi forget`: change a model file, whole or not at all."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Any

from nabi import load
from nabi.cli.data.notes import watching
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_facts, facts_line
from nabi.cli.show.score import calibration_facts, show_calibration
from nabi.errors import InputError, NotLearnedError
from nabi.models import streaming
from nabi.readers import Reader


def learn(
    model: str = o.MODEL,
    *,
    once: bool = flag("Skip texts that were learned already with the same label."),
    source: LabelledTexts,
    strictness: Strictness,
    time_limit: float | None = o.TIME_LIMIT,
    out: o.Summary,
) -> None:
    """Learn more texts, also of new words and classes; the file is replaced in one step.

    ```
    nabi learn mail.nabi monday.csv
    nabi learn mail.nabi monday.csv --once
    ```
    """

    def learn_rows(classifier: Any, *rows: Any, text: str | None) -> dict[str, Any]:
        if once and not classifier.ledger:
            raise InputError(
                f"--once: {model} has no ledger, and cannot tell which texts it has learned; "
                f"leave --once out, or train it again without --no-ledger"
            )
        before = load(model, verify=False)
        return vars(streaming.learn_more(classifier, before, *rows, text=text, once=once))

    _change(model, source, time_limit, out, learn_rows, strictness)


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

    def forget_rows(classifier: Any, *rows: Any, text: str | None) -> dict[str, Any]:
        streaming.forget(classifier, *rows, text=text)
        return {}

    _change(model, source, time_limit, out, forget_rows)


def _change(
    path: str,
    source: LabelledTexts,
    time_limit: float | None,
    out: o.Summary,
    change: Callable[..., dict[str, Any]],
    strictness: Strictness | None = None,
) -> None:
    """Learn or forget texts, save the model, and print what it holds now."""
    start = time.perf_counter()
    with exclusive(path):
        classifier = source.model(path, time_limit=time_limit)
        reader = source.reader_for(classifier, beside=path, reads=[path])
        known = o.class_counts(classifier)
        with (
            watching(strictness, reader, known) as watch,
            out.progress(reader, "reading") as parts,
            located(reader),
        ):
            changed = change(classifier, reader, watch(parts), text=source.text)
        if not classifier.__sklearn_is_fitted__():
            raise InputError(
                f"these are all the texts that {path} has learned; delete the file to forget "
                f"them all; no file was changed"
            )
        save_model(classifier, path)
    seconds = {"seconds": round(time.perf_counter() - start, 3)}
    result = {**changed, **_holds(classifier), **seconds, "model": path}
    out.print(result, _show, source.finish(reader))


def _holds(model: Any) -> dict[str, Any]:
    """Return what a model holds now."""
    counts = o.class_counts(model)
    return {
        "texts": sum(counts.values()),
        "classes": counts,
        **model.extent,
        "decision": None if model.decision is None else decision_facts(model.decision),
        **calibration_facts(model),
    }


def _show(result: dict[str, Any]) -> None:
    done = "learned" if "learned" in result else "forgot"
    used = screen.documents(result.get("learned", result["rows"]["used"]), result)
    now, path = screen.documents(result["texts"], result), quote(result["model"])
    screen.say(f"{done} {used}; {path} now holds {now}, {screen.extent(result)}")
    screen.say(screen.classes_line(result["classes"]))
    if result["decision"] is not None:
        screen.say(
            f"the thresholds stay: {facts_line(result['decision'])}; they were chosen for the "
            f"model before, check them by `nabi evaluate`"
        )
    if result.get("other_label"):
        screen.say(
            f"learned before with another label: {result['other_label']:,} of these; which is "
            f"right? `nabi suspects` lists texts that come with different labels"
        )
    already, skipped = result.get("already"), result.get("skipped")
    if skipped:
        screen.say(
            f"skipped {screen.documents(skipped, result)}: {already:,} learned before, "
            f"{skipped - already:,} given twice here"
        )
    elif already:
        given = screen.documents(result["learned"], result)
        some = f"{already:,} of these {given}" if result["learned"] > 1 else given
        count, them = ("counts", "it") if already == 1 else ("count", "them")
        screen.say(
            f"learned before: {some}, which {count} once more now; `nabi learn --once` skips {them}"
        )
    show_calibration(result, path, "rows" if "columns" in result else "texts")


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

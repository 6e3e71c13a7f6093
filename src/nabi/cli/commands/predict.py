"""`nabi predict`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from click.exceptions import Exit

from nabi.base.labels import Label
from nabi.cli.engines import predict_by
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.engine import Engine
from nabi.cli.options.source import Texts
from nabi.cli.options.threshold import Thresholds
from nabi.cli.saving import saving
from nabi.cli.show import screen
from nabi.files import writers
from nabi.models import streaming
from nabi.readers import Reader

STOPPED = 130  # the exit code after Ctrl-C


def predict(
    model: str = o.MODEL,
    *,
    output: str = option(
        "File to write: .csv, .tsv, .xlsx, .jsonl or .parquet (default: CSV to standard output). "
        "With --engine a folder, in which each file gets one of its name.",
        "OUT",
        short="-o",
        default="-",
        show_default=False,
    ),
    proba: bool = flag("Add the probability of the label."),
    best: int = option(
        "Number of most probable labels for each text.", "N", short="-k", default=1, least=1
    ),
    cut: Thresholds,
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
    column: str = option("Name of the new column.", "NAME", default="predicted"),
    safe_csv: bool = flag(
        "In CSV and TSV, put ' before texts and labels that a spreadsheet would run as a formula: "
        "those that begin with =, +, -, @, a tab or a return. A workbook (-o NAME.xlsx) needs "
        "no such guard."
    ),
    source: Texts,
    engine: Engine,
    out: o.Summary,
) -> None:
    """Predict the label of texts, or of the rows of a table; all columns of the input are kept.

    ```
    nabi predict mail.nabi new.csv --proba -o labelled.csv
    nabi predict mail.nabi new.csv --threshold spam=0.99 -o labelled.csv
    nabi predict mail.nabi "you have won a prize"
    nabi predict mail.nabi inbox/
    tail -f mail.log | nabi predict mail.nabi -
    ```
    """
    engine.check()
    if not engine.typed:
        o.writable(output)
        o.check_apart(output, [model, *source.data])
    classifier = source.model(model, time_limit=time_limit)
    _check_typed(classifier, source)
    labels = o.labels_of(classifier)
    share, decision = o.prior(prior, labels), cut.decision(classifier)
    outcomes = labels if decision is None else decision.outcomes(labels)
    asked: dict[str, Any] = {"best": best, "proba": proba or best > 1, "column": column}
    asked |= {"text": source.text, "prior": share, "decision": decision}
    if engine.typed:
        more: dict[str, Any] = {"asked": asked, "safe_csv": safe_csv}
        found = predict_by(engine, source, model, output, out, **more)
        cut.note_uncalibrated(classifier)
        out.print({**_result(found, outcomes, len(labels)), "output": output}, _show)
        return
    reader = _opened(classifier, source, model, output)
    tally: Counter[int] = Counter()
    shown = replace(out, quiet=out.quiet or output == "-")
    ending = _quiet_end(reader.is_live and output == "-", lambda: source.finish(reader))
    with ending, shown.progress(reader, "predicting") as parts, saving(output):
        labelled = _tallied(streaming.predict(classifier, reader, parts, **asked), tally)
        kind = ".jsonl" if out.json else ".csv"
        writers.write(output, labelled, outcomes, kind=kind, safe_csv=safe_csv)
    cut.note_uncalibrated(classifier)
    rows = source.finish(reader)
    if output != "-":
        result = _result(tally, outcomes, len(labels))
        out.print({**result, "output": output}, _show, rows)
    elif rows["rejects"]:
        screen.note(screen.rows_line(rows))


def _opened(model: Any, source: Texts, path: str, output: str) -> Reader:
    """Open the data; plain lines and simple CSV of standard input are answered as they come."""
    live = not (source.no_header or source.delimiter)
    beside = output if output != "-" else "stdin"
    named: dict[str, Any] = {"beside": beside, "reads": [path], "writes": [output]}
    with _quiet_end(source.data == ["-"] and output == "-"):
        return source.reader_for(model, **named, labelled=False, keep=True, live=live)


def _result(tally: Mapping[int, int], outcomes: list[Label], own: int) -> dict[str, Any]:
    """Return how often each label was predicted; behind the model's own is that of not sure."""
    predicted = {str(outcomes[i]): float(n) for i, n in tally.items()}
    if own == len(outcomes):
        return {"predicted": predicted}
    not_sure = {"label": str(outcomes[own]), "rows": int(tally.get(own, 0))}
    return {"predicted": predicted, "not_sure": not_sure}


def _check_typed(classifier: Any, source: Texts) -> None:
    """Refuse a text that was typed where a model of tables wants a row in JSON."""
    if classifier.is_table and source.are_typed and not source.skip_bad:
        for text in source.data:
            if not text.lstrip().startswith("{"):
                classifier.typed_document(text)  # which says what is expected


@contextmanager
def _quiet_end(is_live: bool, finish: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Let Ctrl-C be the end of lines that come without an end."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if not is_live:
            raise
        finish()
        raise Exit(128 + int(stop.args[0]) if stop.args else STOPPED) from None


def _show(result: dict[str, Any]) -> None:
    classes, not_sure = dict(result["predicted"]), result.get("not_sure")
    if not_sure:
        classes.pop(not_sure["label"], None)
    screen.say(f"predicted {screen.classes_line(classes)}")
    if not_sure:
        rows = "1 row" if not_sure["rows"] == 1 else f"{not_sure['rows']:,} rows"
        screen.say(f"not sure: {rows}, labelled {not_sure['label']}")
    screen.say(f"written to {result['output']}")


def _tallied(rows: Iterable[writers.Labelled], tally: Counter[int]) -> Iterator[writers.Labelled]:
    for part, chosen in rows:
        times = np.bincount(chosen[0].numbers)
        numbers = np.flatnonzero(times)
        tally.update(dict(zip(numbers.tolist(), times[numbers].tolist(), strict=True)))
        yield part, chosen

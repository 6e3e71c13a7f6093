"""`nabi predict`."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.source import Texts
from nabi.cli.saving import saving
from nabi.cli.show import screen
from nabi.files import writers
from nabi.models import streaming


def predict(
    model: str = o.MODEL,
    *,
    output: str = option(
        "File to write: .csv, .tsv, .jsonl or .parquet (default: CSV to standard output).",
        "OUT",
        short="-o",
        default="-",
        check=o.writable,
        show_default=False,
    ),
    proba: bool = flag("Add the probability of the label."),
    best: int = option(
        "Number of most probable labels for each text.", "N", short="-k", default=1, least=1
    ),
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
    column: str = option("Name of the new column.", "NAME", default="predicted"),
    safe_csv: bool = flag(
        "In CSV and TSV, put ' before texts and labels that a spreadsheet would run as a formula: "
        "those that begin with =, +, -, @, a tab or a return."
    ),
    source: Texts,
    out: o.Summary,
) -> None:
    """Predict the label of texts, or of the rows of a table; all columns of the input are kept.

    ```
    nabi predict mail.nabi new.csv --proba -o labelled.csv
    echo "you have won" | nabi predict mail.nabi -
    ```
    """
    o.check_apart(output, [model, *source.data])
    classifier = source.model(model, time_limit=time_limit)
    labels = o.labels_of(classifier)
    share = o.prior(prior, labels)
    reader = source.reader(
        beside=output if output != "-" else "stdin",
        reads=[model],
        writes=[output],
        labelled=False,
        keep=True,
        format=source.format if classifier.reads_columns else _format(source),
        table=classifier.reads_columns,
    )
    tally: Counter[int] = Counter()
    shown = replace(out, quiet=out.quiet or output == "-")
    with shown.progress(reader, "predicting") as parts, saving(output):
        labelled = streaming.predict(
            classifier,
            reader,
            parts,
            best=best,
            proba=proba or best > 1,
            prior=share,
            column=column,
            text=source.text,
        )
        kind = ".jsonl" if out.json else ".csv"
        writers.write(output, _tallied(labelled, tally), labels, kind=kind, safe_csv=safe_csv)
    rows = source.finish(reader)
    if output != "-":
        predicted = {str(labels[i]): float(n) for i, n in tally.items()}
        out.print({"predicted": predicted, "output": output}, _show, rows)
    elif rows["rejects"]:
        screen.note(screen.rows_line(rows))


def _show(result: dict[str, Any]) -> None:
    screen.say(f"predicted {screen.classes_line(result['predicted'])}")
    screen.say(f"written to {result['output']}")


def _tallied(rows: Iterable[writers.Labelled], tally: Counter[int]) -> Iterator[writers.Labelled]:
    for part, chosen in rows:
        numbers, times = np.unique(chosen[0].numbers, return_counts=True)
        tally.update(dict(zip(numbers.tolist(), times.tolist(), strict=True)))
        yield part, chosen


def _format(source: Texts) -> str | None:
    """Return the format that was named; lines for standard input that looks like nothing else."""
    if source.format is not None or source.data != ["-"]:
        return source.format
    start: bytes = sys.stdin.buffer.peek(2**16)  # type: ignore[union-attr]
    return "lines" if _looks_plain(start, source.text) else None


def _looks_plain(start: bytes, text: str | None) -> bool:
    """Tell whether the first line is no header, JSON or fastText, and the bytes are text."""
    line = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].strip().lower()
    binary = (b"\x1f\x8b", b"\x28\xb5", b"\xff\xfe", b"\xfe\xff", b"PAR1")
    if start.startswith(binary) or line.startswith((b"{", b"[", b"__label__")):
        return False
    fields = line.replace(b";", b",").replace(b"\t", b",").split(b",")
    wanted = (text or "text").encode().lower()
    return wanted not in [field.strip(b'" ') for field in fields]

"""`nabi predict`."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import numpy as np
import typer

from nabi.cli.options import common as o
from nabi.cli.options.source import Texts
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.files.writers import Labelled
from nabi.readers import Reader

Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help=".csv, .tsv, .jsonl or .parquet; otherwise CSV to standard output.",
        show_default=False,
        callback=o.writable,
    ),
]
Proba = Annotated[bool, typer.Option("--proba", help="Add the probability of the label.")]
Best = Annotated[
    int, typer.Option("--best", "-k", metavar="N", min=1, help="The N best labels of each text.")
]
Column = Annotated[str, typer.Option(metavar="NAME", help="The name of the new column.")]


def predict(
    model: o.Model,
    *,
    output: Output = "-",
    proba: Proba = False,
    best: Best = 1,
    prior: o.OtherPrior = None,
    column: Column = "predicted",
    source: Texts,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Label texts, or the rows of a table; all columns of the input are kept.

    ```
    nabi predict mail.nabi new.csv --proba -o labelled.csv
    echo "you have won" | nabi predict mail.nabi -
    ```
    """
    from nabi import load
    from nabi.files import writers
    from nabi.models import streaming

    o.check_apart(output, [model, *(source.data or ())])
    classifier: Any = load(model)
    classifier.threads = source.threads
    labels = o.labels_of(classifier)
    share = o.prior(prior, labels)
    kind = source.format if classifier.reads_columns else _format(source)
    reader = source.reader(
        beside=output if output != "-" else "stdin",
        reads=[model],
        writes=[output],
        labelled=False,
        keep=True,
        format=kind,
        table=classifier.reads_columns,
    )
    tally: Counter[int] = Counter()
    with screen.progress(reader, "predicting", quiet=quiet or output == "-") as parts:
        rows = streaming.predict(
            classifier,
            reader,
            parts,
            best=best,
            proba=proba or best > 1,
            prior=share,
            column=column,
            text=source.text,
        )
        with writing(output):
            writers.write(output, _tallied(rows, tally), labels, kind=".jsonl" if json else ".csv")
    rejected = source.write_rejects(reader)
    predicted = {str(labels[i]): float(n) for i, n in tally.items()}
    _report(reader, rejected, predicted, output, json=json, quiet=quiet)


def _report(
    reader: Reader,
    rejected: str | None,
    predicted: dict[str, float],
    output: str,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """What became of the rows; beside the rows themselves only where some were rejected."""
    rows: dict[str, Any] = screen.rows(reader)
    if output == "-":
        if rejected:
            screen.note(screen.rows_line(rows, rejected))
    elif json:
        result = {"rows": rows, "rejects": rejected, "predicted": predicted, "output": output}
        screen.print_json(result)
    elif not quiet:
        print(screen.rows_line(rows, rejected))
        print(f"predicted {screen.classes_line(predicted)}")
        print(f"written to {output}")


def _tallied(rows: Iterable[Labelled], tally: Counter[int]) -> Iterator[Labelled]:
    for part, chosen in rows:
        numbers, times = np.unique(chosen[0].numbers, return_counts=True)
        tally.update(dict(zip(numbers.tolist(), times.tolist(), strict=True)))
        yield part, chosen


def _format(source: Texts) -> str | None:
    """The format that was named; standard input is plain lines where it looks like nothing else."""
    if source.format is not None or source.data != ["-"]:
        return source.format
    return "lines" if _looks_plain(sys.stdin.buffer.peek(2**16), source.text) else None  # type: ignore[union-attr]


def _looks_plain(start: bytes, text: str | None) -> bool:
    """Whether the first line is no header, JSON or fastText, and the bytes are text."""
    line = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].strip().lower()
    if start.startswith((b"\x1f\x8b", b"\x28\xb5", b"\xff\xfe", b"\xfe\xff", b"PAR1")):
        return False
    if line.startswith((b"{", b"[", b"__label__")):
        return False
    fields = line.replace(b";", b",").replace(b"\t", b",").split(b",")
    wanted = (text or "text").encode().lower()
    return wanted not in [field.strip(b'" ') for field in fields]

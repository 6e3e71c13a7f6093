"""`nabi prune`."""

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from shlex import join, quote
from typing import Any

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import save_new
from nabi.cli.show import screen
from nabi.cli.show.following import TEXT
from nabi.errors import InputError
from nabi.readers import Reader

UNITS = {"": 1, "b": 1}
UNITS |= {f"{letter}b": 1000**i for i, letter in enumerate("kmg", 1)}
UNITS |= {f"{letter}ib": 1024**i for i, letter in enumerate("kmg", 1)}


@dataclass(frozen=True)
class TestTexts(LabelledTexts):
    """Labelled texts to test with, which may be left out."""

    data: list[str] = option(
        "Labelled texts that the model has not learned, to measure the loss of accuracy.", "TEST"
    )


def prune(
    model: str = o.MODEL,
    *,
    size: str = option(
        "Limit for the size of the file: 1MB, 500kB, 2MiB, or bytes.", "SIZE", default=MISSING
    ),
    output: str = o.REQUIRED_MODEL,
    bits: int = option("Number of bits of a weight.", "8|16", default=8),
    source: TestTexts,
    out: o.Summary,
) -> None:
    """Keep only the most useful words, with weights of 8 or 16 bits; the model cannot learn more.

    ```
    nabi prune mail.nabi -o small.nabi --size 100kB --data test.csv
    ```
    """
    from nabi.models.pruned.classifier import PrunedClassifier

    limit = as_bytes(size)
    o.check_apart(output, [model, *source.data])
    if bits not in (8, 16):
        raise UsageError(f"--bits {bits}: expected 8 or 16.")
    whole = source.model(model)
    if whole.is_table:
        raise InputError(f"{model} classifies tables; prune takes models of texts")
    reading = {"beside": output, "reads": [model], "writes": [output]}
    reader = source.reader_for(whole, **reading) if source.data or source.sql else None
    small = PrunedClassifier.of(whole, size=limit, bits=bits)
    tested = {} if reader is None else _tested({model: whole, output: small}, reader, source, out)
    save_new(small, output)
    result = {
        "of": model,
        "of_bytes": os.path.getsize(model),
        "of_words": small.made_of_["words"],
        "model": output,
        "model_bytes": os.path.getsize(output),
        "words": small.n_features_,
        "bits": bits,
        "evidence": small.made_of_["kept"],
        **tested,
    }
    out.print(result, lambda result: _show(result, _steps(model, output, source)))


def _tested(
    models: Mapping[str, Any], reader: Reader, source: TestTexts, out: o.Summary
) -> dict[str, Any]:
    """Return the accuracy of both models on labelled texts, and how many decisions changed."""
    from nabi.judging.versus import Versus

    before, after = models
    with out.progress(reader, "testing") as parts:
        found = Versus((before, after)).predict(tuple(models.values()), reader, parts).to_dict()
    rows = source.finish(reader)
    return {
        "rows": rows["rows"],
        "accuracy_before": found["a"]["accuracy"],
        "accuracy": found["b"]["accuracy"],
        "changed": found["differ"],
        "rejects": rows["rejects"],
    }


def as_bytes(typed: str) -> int:
    """'1MB' -> 1000000, '2 MiB' -> 2097152, '500' -> 500"""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", typed.strip().lower())
    size = int(float(found[1]) * UNITS.get(found[2], 0)) if found else 0
    if not size:
        raise UsageError(f"--size {typed}: expected a size such as 1MB, 500kB or 2MiB.")
    return size


def _steps(model: str, output: str, source: TestTexts) -> list[str]:
    """Return the commands to run next: with the texts of the test, compare both models on them."""
    first, again = f"nabi predict {quote(output)} {TEXT}", source.again()
    if again:
        first = f"nabi versus {join([model, output, *again])}"
    return [first, f"nabi info {quote(output)}"]


def _show(result: dict[str, Any], steps: list[str]) -> None:
    path, of = quote(result["model"]), quote(result["of"])
    was, now = (screen.as_size(result[name]) for name in ("of_bytes", "model_bytes"))
    screen.say(f"{of}: {result['of_words']:,} words, {was}")
    screen.say(f"{path}: {result['words']:,} words, {now}, weights of {result['bits']} bits")
    screen.say(
        f"kept: {result['evidence']:.1%} of what the words tell of the class, in the training data"
    )
    if "accuracy" not in result:
        screen.say("", "To measure the loss of accuracy, give texts that were not learned: --data.")
        screen.print_next(steps)
        return
    screen.say(screen.rows_line(result))
    before, after, rows = result["accuracy_before"], result["accuracy"], result["rows"]["used"]
    screen.say(f"accuracy {before:.4f} -> {after:.4f} ({after - before:+.4f})")
    screen.say(f"decisions that changed: {result['changed']:,} of {rows:,}")
    screen.print_next(steps)

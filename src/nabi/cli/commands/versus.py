"""`nabi versus`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from nabi.base.labels import Label
from nabi.cli.duplicates import cut
from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.errors import InputError
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.readers import Part, Reader

if TYPE_CHECKING:
    from nabi.metrics import Comparison

CHANCE = 0.05  # a difference that is less probable, were there none, is one
SHOWN = 10
OUTCOMES = ("both_right", "only_a_right", "only_b_right", "both_wrong")
One = Annotated[str, typer.Argument(metavar="MODEL_A", help="A model file, as `train` writes it.")]
Other = Annotated[str, typer.Argument(metavar="MODEL_B", help="Another.")]
Top = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help=f"How many rows to show that they label differently; otherwise {SHOWN}, and with "
        "--json all.",
    ),
]


@dataclass
class Said:
    """What both models say of all rows."""

    gold: list[str] = field(default_factory=list)
    said: tuple[list[Label], list[Label]] = field(default_factory=lambda: ([], []))
    right: tuple[list[bool], list[bool]] = field(default_factory=lambda: ([], []))
    texts: dict[int, str | None] = field(default_factory=dict)  # where they differ

    @property
    def differ(self) -> list[int]:
        """The rows that they label differently."""
        return [i for i, (a, b) in enumerate(zip(*self.said, strict=True)) if str(a) != str(b)]


def versus(
    model_a: One,
    model_b: Other,
    *,
    source: LabelledTexts,
    top: Top = None,
    json: o.Json = False,
    quiet: o.NoProgress = False,
) -> None:
    """Say which of two models is better on the same labelled data, and whether that may be chance.

    ```
    nabi versus monday.nabi tuesday.nabi test.csv
    ```
    """
    from nabi import load
    from nabi.metrics import mcnemar

    models = [load(path) for path in (model_a, model_b)]
    reader = source.reader(
        beside="versus",
        reads=[model_a, model_b],
        table=_are_tables(models, model_a, model_b),
    )
    with screen.progress(reader, "comparing", quiet=quiet) as parts:
        said = _said(models, parts, reader, source.threads)
    compared = mcnemar([True] * len(said.gold), *said.right)
    rejected = source.write_rejects(reader)
    limit = top or (None if json else SHOWN)
    found = _as_json(said, compared, (model_a, model_b), reader, limit)
    if json:
        screen.print_json(found)
    else:
        _show(found, screen.rows_line(found["rows"], rejected))


def _are_tables(models: Sequence[Model], *paths: str) -> bool:
    """Whether the models are of tables; refused if one of them is, or has rules on fields."""
    for model, path in zip(models, paths, strict=True):
        if model.reads_columns and not isinstance(model, CountingModel):
            raise InputError(
                f"{path} has rules that look at more than the text; judge each model by "
                f"`nabi evaluate`"
            )
    kinds = [model.reads_columns for model in models]
    if kinds[0] != kinds[1]:
        table, text = paths if kinds[0] else paths[::-1]
        raise InputError(
            f"{table} is a model of tables and {text} one of texts; expected two of a kind: "
            f"judge each by `nabi evaluate`"
        )
    return kinds[0]


def _said(
    models: Sequence[Model], parts: Iterable[Part], reader: Reader, threads: int | None
) -> Said:
    """What the models say; what a table's model cannot read counts as missing."""
    from nabi.models import streaming

    said = Said()
    for model in models:
        model.threads = threads
    for part in parts:
        assert part.labels is not None
        said.gold += part.labels
        for model, labels, right in zip(models, said.said, said.right, strict=True):
            ((_, (chosen,)),) = streaming.predict(model, reader, [part])
            new = [o.labels_of(model)[i] for i in chosen.numbers.tolist()]
            gold = streaming.as_learned(model, part.labels)
            labels += new
            right += [a == b for a, b in zip(gold, new, strict=True)]
        if not reader.is_table:
            _keep_texts(said, part)
    return said


def _keep_texts(said: Said, part: Part) -> None:
    """Keep those of the part's texts that are labelled differently."""
    begin = len(said.gold) - len(part)
    a, b = (labels[begin:] for labels in said.said)
    rows = [i for i in range(len(part)) if str(a[i]) != str(b[i])]
    texts = part.texts.taken(np.array(rows, np.uint64)).to_list()
    said.texts.update(zip((begin + i for i in rows), texts, strict=True))


def _as_json(
    said: Said, compared: "Comparison", paths: tuple[str, str], reader: Reader, top: int | None
) -> dict[str, Any]:
    """All of it, for a program."""
    both = sum(a and b for a, b in zip(*said.right, strict=True))
    differ = said.differ
    return {
        "rows": screen.rows(reader),
        "a": _one(paths[0], said.right[0]),
        "b": _one(paths[1], said.right[1]),
        "both_right": both,
        "only_a_right": compared.won,
        "only_b_right": compared.lost,
        "both_wrong": compared.tied - both,
        "p": compared.p,
        "better": _better(compared),
        "verdict": _verdict(compared, *paths),
        "classes": _classes(said),
        "differ": len(differ),
        "examples": [_example(i, said, reader) for i in differ[:top]],
    }


def _one(path: str, right: list[bool]) -> dict[str, Any]:
    from nabi.metrics import ConfusionMatrix

    matrix = ConfusionMatrix.of([True] * len(right), right, labels=[False, True])
    low, high = matrix.accuracy_interval()
    return {"model": path, "accuracy": matrix.accuracy, "accuracy_interval": [low, high]}


def _better(compared: "Comparison") -> str | None:
    """'a' or 'b', where that is not chance."""
    return None if compared.p >= CHANCE else "a" if compared.won > compared.lost else "b"


def _verdict(compared: "Comparison", a: str, b: str) -> str:
    won, lost, p = compared.won, compared.lost, f"p={compared.p:.2g}"
    if not won + lost:
        return "No difference: neither is right where the other is wrong."
    name = {"a": a, "b": b, None: None}[_better(compared)]
    if name is None:
        return f"No difference that could not be chance ({p})."
    more, fewer = max(won, lost), min(won, lost)
    return (
        f"{name} is better: right alone on {more:,} rows, wrong alone on {fewer:,}, which is "
        f"unlikely to be chance ({p})."
    )


def _classes(said: Said) -> dict[str, dict[str, int]]:
    """Of the rows of each class, how many each got right, and how many alone."""
    names = ("rows", "a_right", "b_right", "only_a_right", "only_b_right")
    counts: dict[str, Counter[str]] = {label: Counter() for label in sorted(set(said.gold))}
    for label, a, b in zip(said.gold, *said.right, strict=True):
        flags = (True, a, b, a and not b, b and not a)
        counts[label].update(name for name, flag in zip(names, flags, strict=True) if flag)
    return {label: {name: count[name] for name in names} for label, count in counts.items()}


def _example(i: int, said: Said, reader: Reader) -> dict[str, Any]:
    found = {"where": reader.where(i), "label": said.gold[i]}
    found |= {name: str(labels[i]) for name, labels in zip("ab", said.said, strict=True)}
    return {**found, "text": said.texts[i]} if i in said.texts else found


def _show(found: dict[str, Any], rows_line: str) -> None:
    """All of it, for a person."""
    print(rows_line)
    for name in "ab":
        one = found[name]
        low, high = one["accuracy_interval"]
        accuracy = f"accuracy {one['accuracy']:.4f}  (95 %: {low:.4f} to {high:.4f})"
        print(f"{name}: {one['model']}  {accuracy}")
    counts = (f"{name.replace('_', ' ')} {found[name]:,}" for name in OUTCOMES)
    print(", ".join(counts))
    print(found["verdict"])
    print()
    columns = ["rows", "a right", "b right", "only a", "only b"]
    rows = [[label, *(f"{n:,}" for n in one.values())] for label, one in found["classes"].items()]
    screen.print_table([("class", "left"), *((name, "right") for name in columns)], rows)
    if found["examples"]:
        print(f"\nrows that they label differently: {found['differ']:,}")
        names = list(found["examples"][0])
        cells = [[cut(one[name]) for name in names] for one in found["examples"]]
        screen.print_table([(name, "left") for name in names], cells)

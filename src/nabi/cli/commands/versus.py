"""`nabi versus`."""

from collections.abc import Sequence
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.errors import InputError
from nabi.models.base import Model
from nabi.models.counting import CountingModel

SHOWN = 10
OUTCOMES = ("both_right", "only_a_right", "only_b_right", "both_wrong")


def versus(
    model_a: str = argument("A model file, as `train` writes it.", "MODEL_A"),
    model_b: str = argument("Another model file.", "MODEL_B"),
    *,
    source: LabelledTexts,
    time_limit: float | None = o.TIME_LIMIT,
    top: int | None = option(
        f"Number of differently labelled rows to show (default: {SHOWN}; with --json all).",
        "N",
        least=1,
    ),
    out: o.Findings,
) -> None:
    """Compare two models on the same labelled data; test whether the difference may be chance.

    ```
    nabi versus monday.nabi tuesday.nabi test.csv
    ```
    """
    from nabi.judging.versus import Versus

    models = [source.model(path, time_limit=time_limit) for path in (model_a, model_b)]
    reader = source.reader(
        beside="versus",
        reads=[model_a, model_b],
        table=_are_tables(models, model_a, model_b),
        remembered={**models[1].source_columns, **models[0].source_columns},
    )
    with out.progress(reader, "comparing") as parts:
        found = Versus((model_a, model_b)).predict(models, reader, parts)
    rows = source.finish(reader)
    examples = []
    for i in found.differences()[: top or (None if out.json else SHOWN)]:
        a, b = (str(labels[i]) for labels in found.predicted)
        row = {"where": reader.where(i), "label": found.actual[i], "a": a, "b": b}
        examples.append({**row, "text": found.texts[i]} if i in found.texts else row)

    def show(result: dict[str, Any]) -> None:
        screen.say(*found.no_tests)
        _show(result)

    out.print({**found.to_dict(), "examples": examples}, show, rows)


def _are_tables(models: Sequence[Model], *paths: str) -> bool:
    """Tell whether the models are of tables; refuse one of each, and rules on fields."""
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


def _show(found: dict[str, Any]) -> None:
    for name in "ab":
        one = found[name]
        accuracy = screen.with_interval("accuracy", one["accuracy"], one["accuracy_interval"])
        unsure = f", not sure of {screen.how_many(one['not_sure'], 'row')}" * bool(one["not_sure"])
        screen.say(f"{name}: {one['model']}  {accuracy}{unsure}")
    if found["a"]["not_sure"] or found["b"]["not_sure"]:
        screen.say(f"compared on the {screen.how_many(found['compared'], 'row')} that both decide")
    screen.say(", ".join(f"{name.replace('_', ' ')} {found[name]:,}" for name in OUTCOMES))
    screen.say(f"{found['verdict']}", "")
    rows = [[label, *(f"{n:,}" for n in one.values())] for label, one in found["classes"].items()]
    screen.print_table(["class", ">rows", ">a right", ">b right", ">only a", ">only b"], rows)
    if found["examples"]:
        screen.say("", f"rows that they label differently: {found['differ']:,}")
        names = list(found["examples"][0])
        cells = [[screen.shortened(one[name]) for name in names] for one in found["examples"]]
        screen.print_table(names, cells)

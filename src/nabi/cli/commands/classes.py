"""`nabi classes`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from nabi.base.labels import Label, parsed
from nabi.cli.commands.info import CALIBRATED
from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.errors import InputError
from nabi.models.base import Model, require

Rename = Annotated[
    list[str] | None, typer.Option(metavar="OLD=NEW", help="Give a class another name.")
]
Join = Annotated[list[str] | None, typer.Option(metavar="A,B=C", help="Make one class of several.")]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="X", help="Leave a class out, with its texts.")
]


def classes(
    model: o.Model,
    rename: Rename = None,
    join: Join = None,
    drop: Drop = None,
    output: o.OtherModel = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Show the classes, or change them without training again.

    ```
    nabi classes mail.nabi --rename junk=spam --join work,job=work --drop other
    ```
    """
    from nabi import load
    from nabi.files import model_file

    changes = (rename or [], join or [], drop or [])
    if not any(changes):
        _show(load(model), json)
        return
    with model_file.exclusive(model, lambda: screen.note(f"waiting: {model} is being changed")):
        classifier = load(model)
        changed = require(classifier, "relabel")(_mapping(o.labels_of(classifier), *changes))
        with writing(output or model):
            changed.save(output or model)
    if json or not quiet:
        _show(changed, json)


def _mapping(
    labels: list[Label], rename: list[str], join: list[str], drop: list[str]
) -> dict[Label, Label | None]:
    """The new name of each class that changes."""
    mapping: dict[Label, Label | None] = {}
    for name, new in [*_pairs(labels, rename, join), *((name, None) for name in drop)]:
        label = o.named_label(name, labels)
        if label in mapping:
            raise InputError(f"the class {name!r} is named twice; name it once")
        mapping[label] = new
    for pair in rename:
        _check_is_free(pair, labels, mapping)
    return mapping


def _pairs(labels: list[Label], rename: list[str], join: list[str]) -> Iterator[tuple[str, Label]]:
    """(the name of a class, its new label)"""
    for pair in rename:
        old, new = _halves(pair, "--rename", "old=new")
        yield old, parsed([new], labels)[0]
    for pair in join:
        several, new = _halves(pair, "--join", "a,b=c")
        for old in several.split(","):
            yield old.strip(), parsed([new], labels)[0]


def _check_is_free(pair: str, labels: list[Label], mapping: dict[Label, Label | None]) -> None:
    """Refuse to rename a class to one that stays: that would be to join them."""
    old, new = _halves(pair, "--rename", "old=new")
    taken = parsed([new], labels)[0]
    if taken in labels and taken not in mapping:
        raise InputError(
            f"--rename {pair}: there is a class {new!r} already; to make one of both, "
            f"--join {old},{new}={new}"
        )


def _halves(pair: str, option: str, example: str) -> tuple[str, str]:
    old, equals, new = pair.rpartition("=")
    if not equals or not old.strip() or not new.strip():
        raise InputError(f"{option} {pair}; expected {example}")
    return old.strip(), new.strip()


def _show(model: Model, json: bool) -> None:
    counts = o.class_counts(model)
    if json:
        screen.print_json(counts)
        return
    total = sum(counts.values()) or 1  # rules have learned none
    rows = [[label, screen.as_count(n), f"{n / total:.2%}"] for label, n in counts.items()]
    columns = [("class", "left"), ("texts", "right"), ("share", "right")]
    screen.print_table(columns, rows)
    if model.calibration_state == "stale":
        print(f"calibrated: {CALIBRATED['stale']}")

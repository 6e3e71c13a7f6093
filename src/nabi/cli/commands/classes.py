"""`nabi classes`."""

from collections.abc import Iterator

from nabi.base.labels import Label, parsed
from nabi.cli.commands.info import CALIBRATED
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.errors import InputError
from nabi.models.base import Model, require


def classes(
    model: str = o.MODEL,
    rename: list[str] | None = option("Give a class another name.", "OLD=NEW"),
    join: list[str] | None = option("Make one class of several.", "A,B=C"),
    drop: list[str] | None = option("Remove a class with its texts.", "X"),
    output: str | None = o.OTHER_MODEL,
    json: bool = o.JSON,
    quiet: bool = o.QUIET,
) -> None:
    """List the classes of a model; rename, join or drop them without training again.

    ```
    nabi classes mail.nabi --rename junk=spam --join work,job=work --drop other
    ```
    """
    from nabi import load

    changes = (rename or [], join or [], drop or [])
    if not any(changes):
        _show(load(model), json)
        return
    with exclusive(model):
        classifier = load(model)
        changed = require(classifier, "relabel")(_mapping(o.labels_of(classifier), *changes))
        save_model(changed, output or model)
    if json or not quiet:
        _show(changed, json)


def _mapping(
    labels: list[Label], rename: list[str], join: list[str], drop: list[str]
) -> dict[Label, Label | None]:
    """Return the new name of each class that changes, None if it is dropped."""
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
    """Yield (the name of a class, its new label)."""
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
    screen.print_table(["class", ">texts", ">share"], rows)
    if model.calibration_state == "stale":
        print(f"calibrated: {CALIBRATED['stale']}")

"""`nabi classes`."""

from functools import partial
from shlex import quote

from nabi import load
from nabi.base.labels import Label, parsed
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_line
from nabi.cli.show.score import calibration_facts, show_calibration
from nabi.errors import InputError
from nabi.metrics import Decision
from nabi.models.base import Model, require


def classes(
    model: str = o.MODEL,
    *,
    rename: list[str] = option("Give a class another name.", "OLD=NEW"),
    join: list[str] = option("Make one class of several.", "A,B=C"),
    drop: list[str] = option("Remove a class with its texts.", "X"),
    no_thresholds: bool = flag("Remove thresholds and the not-sure label stored in the model."),
    output: str | None = o.OTHER_MODEL,
    out: o.Summary,
) -> None:
    """List the classes of a model; rename, join or drop them without training again.

    ```
    nabi classes mail.nabi --rename junk=spam --join work,job=work --drop other
    ```
    """
    if not (rename or join or drop or no_thresholds):
        classifier = load(model)
        o.Output(out.json).print(o.class_counts(classifier), partial(_show, classifier, model))
        return
    path = output or model
    with exclusive(path):
        classifier = load(model)
        changed = classifier
        if rename or join or drop:
            mapping = _mapping(o.labels_of(classifier), rename, join, drop)
            changed = require(classifier, "relabel")(mapping)
        if no_thresholds:
            changed.decide_by(None)
        else:
            _note_gone(classifier.decision, changed.decision)
        save_model(changed, path)
    out.print(o.class_counts(changed), partial(_show, changed, path))


def _mapping(
    labels: list[Label], rename: list[str], join: list[str], drop: list[str]
) -> dict[Label, Label | None]:
    """Return the new name of each class that changes, None if it is dropped."""
    renamed = [_halves(pair, "--rename", "old=new") for pair in rename]
    joined = [_halves(pair, "--join", "a,b=c") for pair in join]
    pairs = [*renamed, *((old, new) for names, new in joined for old in names.split(","))]
    mapping: dict[Label, Label | None] = {}
    for name, new in [*pairs, *((name, None) for name in drop)]:
        label = o.named_label(name, labels)
        if label in mapping:
            raise InputError(f"the class {name!r} is named twice; name it once")
        mapping[label] = None if new is None else _new_label(new, labels)
    for pair, (old, new) in zip(rename, renamed, strict=True):
        taken = _new_label(new, labels)
        if taken in labels and taken not in mapping:
            raise InputError(
                f"--rename {pair}: there is a class {str(taken)!r} already; to make one of both, "
                f"--join {old},{new}={new}"
            )
    return mapping


def _halves(pair: str, option: str, example: str) -> tuple[str, str]:
    old, equals, new = pair.rpartition("=")
    if not equals or not new.strip():
        raise InputError(f"{option} {pair}; expected {example}")
    return old, new


def _new_label(name: str, labels: list[Label]) -> Label:
    """Return a class of exactly this name, or a new label without the blanks around it."""
    label: Label = parsed([name if name in map(str, labels) else name.strip()], labels)[0]
    return label


def _note_gone(before: Decision | None, after: Decision | None) -> None:
    """Note how many thresholds went with classes that were joined or dropped."""
    kept = 0 if after is None else len(after.thresholds)
    gone = 0 if before is None else len(before.thresholds) - kept
    if gone:
        thresholds = "1 threshold was" if gone == 1 else f"{gone} thresholds were"
        screen.note(
            f"{thresholds} removed with classes that were joined or dropped; choose new ones by "
            f"`nabi evaluate --precision C=P --keep`"
        )


def _show(model: Model, path: str, counts: dict[str, float]) -> None:
    total = sum(counts.values()) or 1  # rules have learned none
    rows = [
        [screen.label_cell(label), screen.as_count(n), f"{n / total:.2%}"]
        for label, n in counts.items()
    ]
    screen.print_table(["class", f">{model.noun}s", ">share"], rows)
    if model.decision is not None:
        screen.say(f"thresholds: {decision_line(model.decision)}")
    show_calibration(calibration_facts(model), quote(path), f"{model.noun}s")

"""`nabi info`."""

import os
from collections.abc import Mapping
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.models.counting import CountingModel
from nabi.scoring.smoothing import AUTO

CALIBRATED = {
    "none": "no",
    "fresh": "yes",
    "stale": "no longer, since the model changed. Run `nabi calibrate MODEL DATA`.",
}
FILE = ("file", "bytes", "checksum", "format", "nabi")


def info(model: str = o.MODEL, *, json: bool = o.JSON) -> None:
    """Show what is in a model file: recipe, classes, vocabulary, size, checksum, versions.

    ```
    nabi info mail.nabi
    ```
    """
    facts = _facts(model)
    if json:
        screen.print_json(facts)
        return
    for name, value in _shown(facts).items():
        print(f"{name:<11} {value}")


def _facts(path: str) -> dict[str, Any]:
    from nabi import __version__, load
    from nabi.files import model_file

    model = load(path)
    counts = o.class_counts(model)
    file = {
        "file": path,
        "bytes": os.path.getsize(path),
        "checksum": model_file.checksum(path),
        "format": model_file.FORMAT,
        "nabi": __version__,
    }
    if not isinstance(model, CountingModel):
        known = {"kind": model.kind, **model.facts}
        return {**file, **known, "texts": sum(counts.values()), "classes": counts}
    return {
        **file,
        **model.facts,
        "alpha": model.alpha_,
        "auto": model.alpha == AUTO,
        "calibration": model.calibration_state,
        "prior": _prior(model),
        "ledger": model.ledger,
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(model),
    }


def _prior(model: CountingModel) -> Any:
    """Return the prior: a word, or the share of each class by its name."""
    prior = model.prior
    if isinstance(prior, str):
        return prior
    shares = prior.values() if isinstance(prior, Mapping) else prior
    names = prior if isinstance(prior, Mapping) else o.labels_of(model)
    return {str(name): float(share) for name, share in zip(names, shares, strict=True)}


def _shown(facts: dict[str, Any]) -> dict[str, str]:
    file = {
        "file": f"{facts['file']} ({screen.as_size(facts['bytes'])})",
        "checksum": f"XXH3 {facts['checksum']}, verified",
        "format": f"{facts['format']}, read by nabi {facts['nabi']}",
    }
    return {**file, **(_shown_kind(facts) if "kind" in facts else _shown_counts(facts))}


def _shown_kind(facts: dict[str, Any]) -> dict[str, str]:
    """Return the lines of a model that does not count."""
    known = {name: value for name, value in facts.items() if name not in FILE}
    known["texts"] = screen.as_count(facts["texts"])
    known["classes"] = screen.classes_line(facts["classes"])
    if not facts["texts"]:  # rules have learned none
        del known["texts"]
        known["classes"] = ", ".join(name or "(no label)" for name in facts["classes"])
    if "recipe" in known:
        known["recipe"] = _recipe(facts["recipe"])
    return {name: _fact(value) for name, value in known.items()}


def _fact(value: object) -> str:
    """`a, b` of a list, and `none` of what is not there."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else _plain(value)


def _shown_counts(facts: dict[str, Any]) -> dict[str, str]:
    prior = facts["prior"]
    if not isinstance(prior, str):
        prior = ", ".join(f"{label} {share:g}" for label, share in prior.items())
    noun = "row" if "columns" in facts else "text"
    return {
        **_shown_way(facts, f"{_alpha(facts)}, prior {prior}"),
        "calibrated": CALIBRATED[facts["calibration"]],
        "ledger": f"yes: forgetting is checked {noun} by {noun}" if facts["ledger"] else "no",
        f"{noun}s": screen.as_count(facts["texts"]),
        "classes": screen.classes_line(facts["classes"]),
        **_shown_extent(facts),
    }


def _alpha(facts: dict[str, Any]) -> str:
    return f"alpha {facts['alpha']:g}{' (auto)' if facts['auto'] else ''}"


def _shown_way(facts: dict[str, Any], more: str) -> dict[str, str]:
    if "recipe" not in facts:
        return {
            "missing": "skipped" if facts["missing"] == "skip" else "counts as evidence",
            "variances": f"divisor n{' - 1' if facts['ddof'] else ''}, "
            f"smoothed by {facts['var_smoothing']:g}",
            "weights": more,
        }
    return {"recipe": _recipe(facts["recipe"]), "event": f"{facts['event']}, {more}"}


def _recipe(options: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in options.items())


def _shown_extent(facts: dict[str, Any]) -> dict[str, str]:
    if "columns" not in facts:
        return {"vocabulary": f"{facts['vocabulary']:,}"}
    return {"columns": screen.extent(facts)}


def _plain(value: object) -> str:
    if isinstance(value, tuple | list):
        if len(value) == 2 and all(isinstance(n, int) for n in value):
            return f"{value[0]}-{value[1]}"
        return f"({len(value)} words)"
    return "yes" if value is True else "no" if value is False else str(value)

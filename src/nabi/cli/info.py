"""`nabi info`."""

import os
from collections.abc import Mapping
from typing import Any

from nabi.classifier import Classifier
from nabi.cli import options as o
from nabi.cli import screen
from nabi.smoothing import AUTO

CALIBRATED = {
    "none": "no",
    "fresh": "yes",
    "stale": "for other counts, and not used: nabi calibrate MODEL DATA anew",
}


def info(model: o.Model, json: o.Json = False) -> None:
    """Say what is in a model file: recipe, classes, vocabulary, size, checksum, versions.

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
    from nabi import __version__, load, model_file

    model = load(path)
    counts = o.class_counts(model)
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "checksum": model_file.checksum(path),
        "format": model_file.FORMAT,
        "nabi": __version__,
        **_way(model),
        "prior": _prior(model),
        "ledger": model.ledger,
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(model),
    }


def _way(model: Any) -> dict[str, Any]:
    """How the model counts and weighs."""
    if not isinstance(model, Classifier):
        made_of = {"made_of": model.made_of_, "bits": model.bits_}
        state = {"calibration": "fresh" if model.is_calibrated else "none"}
        return {"recipe": model.recipe.to_dict(), **made_of, **state}
    weighed = {
        "alpha": model.alpha_,
        "auto": model.alpha == AUTO,
        "calibration": model.calibration_state,
    }
    counts: Any = model
    if not model.is_table:
        return {"recipe": counts.recipe.to_dict(), "event": counts.event, **weighed}
    names = ("missing", "ddof", "var_smoothing")
    return {**{name: getattr(model, name) for name in names}, **weighed}


def _prior(model: Classifier) -> Any:
    """A word, or the share of each class by its name."""
    given = model.prior
    if isinstance(given, str):
        return given
    labels = o.labels_of(model)
    shares = given.values() if isinstance(given, Mapping) else given
    names = given if isinstance(given, Mapping) else labels
    return {str(name): float(share) for name, share in zip(names, shares, strict=True)}


def _shown(facts: dict[str, Any]) -> dict[str, str]:
    prior = facts["prior"]
    if not isinstance(prior, str):
        prior = ", ".join(f"{label} {share:g}" for label, share in prior.items())
    noun = "row" if "columns" in facts else "text"
    return {
        "file": f"{facts['file']} ({screen.as_size(facts['bytes'])})",
        "checksum": f"XXH3 {facts['checksum']}, verified",
        "format": f"{facts['format']}, read by nabi {facts['nabi']}",
        **(_shown_pruned(facts, prior) if "made_of" in facts else _shown_way(facts, prior)),
        "ledger": f"yes: forgetting is checked {noun} by {noun}" if facts["ledger"] else "no",
        f"{noun}s": screen.as_count(facts["texts"]),
        "classes": screen.classes_line(facts["classes"]),
        **_shown_extent(facts),
    }


def _alpha(facts: dict[str, Any]) -> str:
    return f"alpha {facts['alpha']:g}{' (auto)' if facts['auto'] else ''}"


def _shown_pruned(facts: dict[str, Any], prior: str) -> dict[str, str]:
    of = facts["made_of"]
    return {
        "recipe": _shown_recipe(facts),
        "pruned": f"of {of['words']:,} words ({of['kind']}), {of['kept']:.1%} of what they tell",
        "weights": f"{facts['bits']} bits each, prior {prior}",
        "calibrated": CALIBRATED[facts["calibration"]],
    }


def _shown_way(facts: dict[str, Any], prior: str) -> dict[str, str]:
    more = f"{_alpha(facts)}, prior {prior}"
    calibrated = {"calibrated": CALIBRATED[facts["calibration"]]}
    if "recipe" not in facts:
        return {
            "missing": "skipped" if facts["missing"] == "skip" else "counts as evidence",
            "variances": f"divisor n{' - 1' if facts['ddof'] else ''}, "
            f"smoothed by {facts['var_smoothing']:g}",
            "weights": more,
            **calibrated,
        }
    return {"recipe": _shown_recipe(facts), "event": f"{facts['event']}, {more}", **calibrated}


def _shown_recipe(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in facts["recipe"].items())


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

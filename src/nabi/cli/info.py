"""`nabi info`."""

import os
from collections.abc import Mapping
from typing import Any

from nabi.classifier import Classifier
from nabi.cli import options as o
from nabi.cli import screen


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
        "recipe": model.recipe.to_dict(),
        "event": model.event,
        "alpha": model.alpha,
        "prior": _prior(model),
        "ledger": model.ledger,
        "texts": sum(counts.values()),
        "classes": counts,
        "vocabulary": model.n_features_,
    }


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
    recipe = ", ".join(f"{name} {_plain(value)}" for name, value in facts["recipe"].items())
    prior = facts["prior"]
    if not isinstance(prior, str):
        prior = ", ".join(f"{label} {share:g}" for label, share in prior.items())
    return {
        "file": f"{facts['file']} ({screen.as_size(facts['bytes'])})",
        "checksum": f"XXH3 {facts['checksum']}, verified",
        "format": f"{facts['format']}, read by nabi {facts['nabi']}",
        "recipe": recipe,
        "event": f"{facts['event']}, alpha {facts['alpha']:g}, prior {prior}",
        "ledger": "yes: forgetting is checked text by text" if facts["ledger"] else "no",
        "texts": screen.as_count(facts["texts"]),
        "classes": screen.classes_line(facts["classes"]),
        "vocabulary": f"{facts['vocabulary']:,}",
    }


def _plain(value: object) -> str:
    if isinstance(value, tuple | list):
        if len(value) == 2 and all(isinstance(n, int) for n in value):
            return f"{value[0]}-{value[1]}"
        return f"({len(value)} words)"
    return "yes" if value is True else "no" if value is False else str(value)

"""`nabi info`."""

import os
from collections.abc import Mapping
from typing import Any

from nabi import __version__, load
from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_facts, facts_line
from nabi.cli.show.score import calibration_facts, calibration_line
from nabi.files import model_file
from nabi.models.counting import CountingModel
from nabi.scoring.smoothing import AUTO

FILE = ("file", "bytes", "checksum", "format", "nabi", "source_columns", "decision")


def info(model: str = o.MODEL, *, out: o.Output) -> None:
    """Show what is in a model file: recipe, classes, vocabulary, size, checksum, versions.

    ```
    nabi info mail.nabi
    ```
    """
    out.print(_facts(model), _show)


def _facts(path: str) -> dict[str, Any]:
    model = load(path)
    counts = o.class_counts(model)
    own, extent = o.facts(model), {}
    if isinstance(model, CountingModel):
        own, extent = model.facts, model.extent
        own |= {
            "alpha": model.alpha_,
            "auto": model.alpha == AUTO,
            **calibration_facts(model),
            "prior": _prior(model),
            "ledger": model.ledger,
            "unicode": model.counts.unicode,
        }
        if not model.is_table:
            own["floor"] = model.counts.floor
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "checksum": model_file.checksum(path),
        "format": model_file.format_of(model_file.read(path, verify=False)[0]),
        "nabi": __version__,
        **own,
        **({"source_columns": dict(model.source_columns)} if model.source_columns else {}),
        "decision": None if model.decision is None else decision_facts(model.decision),
        "texts": sum(counts.values()),
        "classes": counts,
        **extent,
    }


def _prior(model: CountingModel) -> Any:
    """Return the prior: a word, or the share of each class by its name."""
    prior = model.prior
    if isinstance(prior, str):
        return prior
    labels = o.labels_of(model)
    shares = [prior[label] for label in labels] if isinstance(prior, Mapping) else prior
    return {str(label): float(share) for label, share in zip(labels, shares, strict=True)}


def _show(facts: dict[str, Any]) -> None:
    lines = {
        "file": f"{facts['file']} ({screen.as_size(facts['bytes'])})",
        "checksum": f"XXH3 {facts['checksum']}, verified",
        "format": f"{facts['format']}, read by nabi {facts['nabi']}",
        **(_other_lines(facts) if "kind" in facts else _counting_lines(facts)),
    }
    if "source_columns" in facts:
        lines["trained on"] = _plain(facts["source_columns"])
    if facts["decision"] is not None:
        lines["decision"] = facts_line(facts["decision"])
    for name, value in lines.items():
        screen.say(f"{name:<11} {value}")


def _other_lines(facts: dict[str, Any]) -> dict[str, str]:
    known = {name: value for name, value in facts.items() if name not in FILE}
    known["texts"] = screen.as_count(facts["texts"])
    known["classes"] = screen.classes_line(facts["classes"])
    if not facts["texts"]:  # rules have learned none
        del known["texts"]
        known["classes"] = ", ".join(name or "(no label)" for name in facts["classes"])
    for name, value in known.items():
        listed = ", ".join(map(str, value)) if isinstance(value, list) else _plain(value)
        known[name] = "none" if value is None or value == [] else listed
    return known


def _counting_lines(facts: dict[str, Any]) -> dict[str, str]:
    prior = facts["prior"]
    if not isinstance(prior, str):
        prior = ", ".join(f"{label} {share:g}" for label, share in prior.items())
    weights = f"alpha {facts['alpha']:g}{' (auto)' if facts['auto'] else ''}, prior {prior}"
    if "columns" in facts:
        variances = f"divisor n{' - 1' if facts['ddof'] else ''}"
        settings = {
            "missing": "skipped" if facts["missing"] == "skip" else "counts as evidence",
            "variances": f"{variances}, smoothed by {facts['var_smoothing']:g}",
            "weights": weights,
        }
        noun, extent = "row", {"columns": screen.extent(facts)}
    else:
        settings = {"recipe": _plain(facts["recipe"]), "event": f"{facts['event']}, {weights}"}
        noun, extent = "text", {"vocabulary": f"{facts['vocabulary']:,}"}
        if facts["floor"]:
            extent["floor"] = f"words of fewer than {facts['floor']} counts are gone"
    return {
        **settings,
        "calibrated": calibration_line(facts, f"{noun}s"),
        "ledger": _ledger(facts["ledger"], noun),
        f"{noun}s": screen.as_count(facts["texts"]),
        "classes": screen.classes_line(facts["classes"]),
        **extent,
        **({"unicode": facts["unicode"]} if facts["unicode"] else {}),
    }


def _plain(value: object) -> str:
    if isinstance(value, dict):  # a recipe
        return ", ".join(f"{name} {_plain(option)}" for name, option in value.items())
    if isinstance(value, tuple | list):
        if len(value) == 2 and all(isinstance(n, int) for n in value):
            return f"{value[0]}-{value[1]}"
        return f"({len(value)} words)"
    return "yes" if value is True else "no" if value is False else str(value)


def _ledger(ledger: bool | str, noun: str) -> str:
    strong = ", strong fingerprints" if ledger == "strong" else ""
    return f"yes: forgetting is checked {noun} by {noun}{strong}" if ledger else "no"

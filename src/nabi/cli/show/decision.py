"""How a model decides, in words and in JSON's terms: thresholds, and what is not sure."""

from typing import Any

from nabi.metrics.thresholds import Decision, as_limit


def decision_facts(decision: Decision) -> dict[str, Any]:
    """Return thresholds by the names of their classes, and the label of what is not sure."""
    facts: dict[str, Any] = {
        "thresholds": {str(label): limit for label, limit in decision.thresholds.items()}
    }
    if decision.not_sure is not None:
        facts |= {"not_sure": str(decision.not_sure), "confidence": decision.confidence}
    return facts


def decision_line(decision: Decision) -> str:
    """`spam from 0.9, unsure below 0.8`"""
    return facts_line(decision_facts(decision))


def facts_line(facts: dict[str, Any]) -> str:
    """Return what `decision_facts` returns in words."""
    parts = [f"{name} from {as_limit(limit)}" for name, limit in facts["thresholds"].items()]
    if "not_sure" in facts:
        parts.append(f"{facts['not_sure'] or '(no label)'} below {as_limit(facts['confidence'])}")
    return ", ".join(parts)

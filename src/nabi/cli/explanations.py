"""Which module shows an explanation of which kind."""

from importlib import import_module
from typing import Any

# Where none is named, it is one of the words of a text.
SHOWN = {
    "TableExplanation": "nabi.cli.table_evidence",
    "NeighboursExplanation": "nabi.cli.neighbour_evidence",
    "RuleExplanation": "nabi.cli.rule_evidence",
    "RuledExplanation": "nabi.cli.rule_evidence",
}


def shown_by(explanation: Any) -> Any:
    """The module with `show` and `as_json` for an explanation."""
    return import_module(SHOWN.get(type(explanation).__name__, "nabi.cli.evidence"))

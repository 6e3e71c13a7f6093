"""Which module shows an explanation of which kind."""

from importlib import import_module
from typing import Any

# Where none is named, it is one of the words of a text.
SHOWN = {
    "TableExplanation": "nabi.cli.show.table_evidence",
    "NeighboursExplanation": "nabi.cli.show.neighbour_evidence",
    "RuleExplanation": "nabi.cli.show.rule_evidence",
    "RuledExplanation": "nabi.cli.show.rule_evidence",
}


def shown_by(explanation: Any) -> Any:
    """The module with `show` and `as_json` for an explanation."""
    return import_module(SHOWN.get(type(explanation).__name__, "nabi.cli.show.text_evidence"))

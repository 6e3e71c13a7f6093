"""The explanation of a row on the screen: the sum over its columns, and the words in its texts."""

from typing import TYPE_CHECKING, Any

from nabi.cli.show import screen
from nabi.cli.show.text_evidence import (
    AGAINST,
    FOR,
    by_name,
    sides,
    term_as_json,
)
from nabi.explain.table import (
    TableExplanation,
    about,
    counts_of,
    shown,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

STRONG = 1.0  # evidence from which a row is coloured


def show(console: "Console", explanation: TableExplanation, top: int) -> None:
    """Print it all."""
    from rich.text import Text

    label, proba = explanation.label, explanation.proba[explanation.label]
    console.print(Text.assemble((str(label), "bold"), f"  (probability {proba:.4f})\n"))
    console.print(sides(explanation))
    console.print()
    console.print(_sum(explanation, top))
    for label, columns in explanation.impossible.items():
        why = ", ".join(columns) or "its prior, which is 0"
        console.print(f"\n{label} is impossible, because of {why}", markup=False)


def _sum(explanation: TableExplanation, top: int) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("value", overflow="fold")
    table.add_column("evidence", justify="right")
    table.add_column("why", overflow="fold")
    table.add_row("(prior)", "", f"{explanation.prior:+.4f}", "")
    for term in explanation.terms:
        _add(table, term.column, shown(term.value), term.evidence, about(term))
        for word in term.words[:top]:
            name = f"  {screen.visible(word.word)}"
            times = f"x{word.times}" if word.times > 1 else ""
            _add(table, name, times, word.evidence, counts_of(word))
        rest = term.words[top:]
        if rest:
            _add(table, f"  ({len(rest)} more words)", "", sum(w.evidence for w in rest), "")
    table.add_section()
    table.add_row("score", "", f"{explanation.score:+.4f}", "", style="bold")
    return table


def _add(table: "Table", name: str, value: str, evidence: float, why: str) -> None:
    from rich.text import Text

    colour = FOR if evidence > 0 else AGAINST
    style = f"bold {colour}" if abs(evidence) >= STRONG else ""
    table.add_row(Text(name, style), Text(value), f"{evidence:+.4f}", Text(why))


def as_json(explanation: TableExplanation) -> dict[str, Any]:
    """All of it, for a program."""
    return {
        "label": explanation.label,
        "proba": by_name(explanation.proba),
        "of": explanation.of,
        "against": explanation.against,
        "score": explanation.score,
        "prior": explanation.prior,
        "terms": [
            {
                "column": term.column,
                "model": term.model,
                "value": term.value,
                "evidence": term.evidence,
                "weights": by_name(term.weights),
                "seen": by_name(term.seen),
                "words": [term_as_json(word) for word in term.words],
                "remark": term.remark,
            }
            for term in explanation.terms
        ],
        "impossible": {str(label): list(why) for label, why in explanation.impossible.items()},
    }

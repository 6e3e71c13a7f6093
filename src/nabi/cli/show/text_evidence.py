"""An explanation on the screen: the text with its words coloured, and the sum written out."""

import math
from typing import TYPE_CHECKING, Any

from nabi.cli.show import screen
from nabi.explain.text import Explanation, Term

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from nabi.explain.table import TableExplanation

# Blue and orange: told apart also by those who see no red or no green; and neither light nor dark,
# so that they can be read on both, and white on them (contrast 4.0 and more).
FOR, AGAINST = "rgb(38,110,206)", "rgb(184,84,0)"
WEAK, STRONG = 0.5, 1.5  # evidence from which a word is coloured, and from which it is filled


def show(console: "Console", explanation: Explanation, top: int) -> None:
    """Print it all."""
    from rich.text import Text

    label, proba = explanation.label, explanation.proba[explanation.label]
    console.print(Text.assemble((str(label), "bold"), f"  (probability {proba:.4f})\n"))
    if explanation.text.strip():
        console.print(coloured(explanation))
        console.print()
    console.print(sides(explanation))
    console.print()
    console.print(_sum(explanation, top))
    for line in _remarks(explanation):
        console.print(f"\n{line}", markup=False)


def coloured(explanation: Explanation) -> "Text":
    """The text, each word in the colour of the class it speaks for."""
    from rich.text import Text

    out = Text(explanation.text)
    for term in reversed(explanation.terms):  # the strongest last: it is seen
        style = _style(term)
        for begin, end in term.spans:
            out.stylize(style, begin, end)
    return out


def _style(term: Term) -> str:
    evidence = term.evidence / term.times
    colour = FOR if evidence > 0 else AGAINST
    if abs(evidence) >= STRONG:
        return f"bold rgb(255,255,255) on {colour}"
    return f"bold {colour}" if abs(evidence) >= WEAK else ""


def sides(explanation: "Explanation | TableExplanation") -> "Text":
    """Which colour speaks for which class."""
    from rich.text import Text

    out = Text("evidence: ")
    out.append(f"above 0 for {explanation.of}", f"bold {FOR}")
    if explanation.against is not None:
        out.append(", ")
        out.append(f"below 0 for {explanation.against}", f"bold {AGAINST}")
    return out


def _sum(explanation: Explanation, top: int) -> "Table":
    """The terms, and what they add up to."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("word", overflow="fold")
    table.add_column("times", justify="right")
    table.add_column("evidence", justify="right")
    table.add_column("seen", overflow="fold")
    table.add_row("(prior)", "", f"{explanation.prior:+.4f}", "")
    if explanation.absent:
        table.add_row("(absent words)", "", f"{explanation.absent:+.4f}", "")
    for term in explanation.terms[:top]:
        times = f"x{term.times}" if term.times > 1 else ""
        word = Text.assemble((screen.visible(term.word), _style(term)))
        table.add_row(word, times, f"{term.evidence:+.4f}", Text(_seen(term, explanation)))
    rest = explanation.terms[top:]
    if rest:
        table.add_row(f"({len(rest)} more)", "", f"{math.fsum(t.evidence for t in rest):+.4f}", "")
    table.add_section()
    table.add_row("score", "", f"{explanation.score:+.4f}", "", style="bold")
    return table


def _seen(term: Term, explanation: Explanation, most: int = 4) -> str:
    """`pos 12, neg 3`: the classes that saw the word, those in question first."""
    order = sorted(
        term.counts.items(),
        key=lambda item: (item[0] not in (explanation.of, explanation.against), -item[1]),
    )
    shown = ", ".join(f"{label} {screen.as_count(count)}" for label, count in order[:most])
    more = f", {len(order) - most} more" if len(order) > most else ""
    return shown + more


def _remarks(explanation: Explanation, most: int = 10) -> list[str]:
    lines = []
    if not explanation.terms:
        lines.append("no word of it is known: only the prior speaks")
    if explanation.unknown:
        some = ", ".join(map(screen.visible, explanation.unknown[:most]))
        left = len(explanation.unknown) - most
        lines.append(f"unknown, and ignored: {some}" + (f", and {left} more" if left > 0 else ""))
    for label, words in explanation.impossible.items():
        why = ", ".join(map(repr, words[:5])) if words else "its prior, which is 0"
        lines.append(f"{label} is impossible, because of {why}")
    return lines


def as_json(explanation: Explanation) -> dict[str, Any]:
    """All of it, for a program."""
    return {
        "text": explanation.text,
        "label": explanation.label,
        "proba": by_name(explanation.proba),
        "of": explanation.of,
        "against": explanation.against,
        "score": explanation.score,
        "prior": explanation.prior,
        "absent": explanation.absent,
        "terms": [term_as_json(term) for term in explanation.terms],
        "unknown": list(explanation.unknown),
        "impossible": {str(label): list(words) for label, words in explanation.impossible.items()},
    }


def term_as_json(term: Term) -> dict[str, Any]:
    """A word, for a program."""
    return {
        "word": term.word,
        "times": term.times,
        "evidence": term.evidence,
        "counts": by_name(term.counts),
        "weights": by_name(term.weights),
        "spans": term.spans,
    }


def by_name(values: Any) -> dict[str, Any]:
    """Values by the names of their classes."""
    return {str(label): value for label, value in values.items()}

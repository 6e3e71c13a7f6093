"""An explanation by neighbours on the screen: each with its text and the words it shares."""

from typing import TYPE_CHECKING, Any

from nabi.cli.show import screen
from nabi.cli.show.text_evidence import by_name
from nabi.models.neighbours.evidence import Neighbour, NeighboursExplanation, words_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def show(console: "Console", explanation: NeighboursExplanation, top: int) -> None:
    """Print it all."""
    from rich.text import Text

    label, proba = explanation.label, explanation.proba[explanation.label]
    console.print(Text.assemble((str(label), "bold"), f"  (probability {proba:.4f})\n"))
    console.print(explanation.remark or explanation.tally, markup=False)
    if explanation.neighbours:
        console.print()
        console.print(_near(explanation.neighbours[:top]))
    left = len(explanation.neighbours) - top
    if left > 0:
        console.print(f"({left} more)")
    if explanation.unknown:
        some = ", ".join(map(screen.visible, explanation.unknown[:10]))
        console.print(f"\nunknown, and ignored: {some}", markup=False)


def _near(neighbours: tuple[Neighbour, ...]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("near", justify="right")
    table.add_column("label", overflow="fold")
    table.add_column("text", overflow="fold")
    table.add_column("by the words", overflow="fold")
    for each in neighbours:
        cells = (str(each.label), each.shown, words_line(each))
        table.add_row(f"{each.similarity:.4f}", *map(Text, cells))
    return table


def as_json(explanation: NeighboursExplanation) -> dict[str, Any]:
    """All of it, for a program."""
    return {
        "text": explanation.text,
        "label": explanation.label,
        "proba": by_name(explanation.proba),
        "votes": by_name(explanation.votes),
        "neighbours": [
            {
                "number": each.number,
                "text": each.text,
                "label": each.label,
                "similarity": each.similarity,
                "vote": each.vote,
                "words": {word.word: word.part for word in each.words},
            }
            for each in explanation.neighbours
        ],
        "unknown": list(explanation.unknown),
        "remark": explanation.remark,
    }

"""HTML for notebooks: escaped, without scripts, its styles inline, readable on light and dark."""

import html
from collections.abc import Iterable, Mapping, Sequence

from nabi.base.printable import printable

# The letters keep the notebook's own colour: a tint of at most 0.6 leaves them a contrast of 7 on
# white and on black.
FOR, AGAINST = "38,110,206", "184,84,0"  # blue and orange
BOX = "font: 14px/1.6 system-ui, sans-serif; max-width: 60em; margin: 0 0 .5em; overflow: auto"
TABLE = "border: 0; border-collapse: collapse; font-size: 13px; margin: 0 0 .5em"
CELL = "border: 0; padding: .1em 1.2em .1em 0; vertical-align: top"
LEFT = "text-align: left; white-space: pre-wrap"
RIGHT = "text-align: right; white-space: pre"
LONGEST = 60  # letters of a name
MOST = 20  # rows of a table


def escape(text: str) -> str:
    """Return a text as HTML, control characters written out."""
    return html.escape(printable(text, "\n\t"))


def box(inner: str, style: str = BOX) -> str:
    """Return HTML in a box of its own."""
    return f'<div dir="auto" style="{style}">{inner}</div>'


def quiet(text: str) -> str:
    """Return a text that is less important."""
    return f'<span style="opacity: .75">{escape(text)}</span>'


def row(cells: Iterable[tuple[str, str]], *, tag: str = "td", style: str = "") -> str:
    """Return a row of a table: the HTML of each cell, and whether it is LEFT or RIGHT."""
    made = (f'<{tag} style="{CELL}; {side}{style}">{cell}</{tag}>' for cell, side in cells)
    return f'<tr style="background: none">{"".join(made)}</tr>'


def table(rows: Iterable[str]) -> str:
    """Return a table of rows."""
    return f'<table style="{TABLE}">{"".join(rows)}</table>'


def titled(title: str, note: str, *parts: str) -> str:
    """Return a title with a note, and HTML below it."""
    head = f"<b>{escape(title)}</b> {quiet(note)}" if note else f"<b>{escape(title)}</b>"
    return f"<div>{box(head)}{''.join(map(box, parts))}</div>"


def folded(summary: str, inner: str) -> str:
    """Return HTML that a reader opens by a click on its summary."""
    return f"<details><summary>{escape(summary)}</summary>{inner}</details>"


def facts(lines: Mapping[str, str]) -> str:
    """Return a table of names and what is to be said of them."""
    name_side, value_side = "text-align: left; white-space: pre", f"{LEFT}; overflow-wrap: anywhere"
    return table(
        row([(quiet(name), name_side), (escape(value), value_side)])
        for name, value in lines.items()
    )


def figures(heads: Sequence[str], rows: Sequence[Sequence[str]], most: int = MOST) -> str:
    """Return a table whose first column is a name, and whose others are numbers."""
    sides = [LEFT, *[RIGHT] * (len(heads) - 1)]
    made = [row(zip(map(escape, heads), sides, strict=True), tag="th")]
    made += [row(zip(map(escape, cells), sides, strict=True)) for cells in rows[:most]]
    left = len(rows) - most
    return table(made) + (quiet(f"and {left:,} more") if left > 0 else "")


def shortened(name: object, most: int = LONGEST) -> str:
    """Return a name, cut where it is long."""
    text = str(name)
    return text if len(text) <= most else text[: most - 1] + "…"

"""A confusion matrix as text or HTML, both axes named."""

from collections.abc import Sequence

from nabi.base import notebook
from nabi.base.arrays import Array
from nabi.base.labels import Label

MOST = 20  # classes that a screen holds
LONGEST = 20  # letters of a label
NUMBER = f"{notebook.RIGHT}; padding: .1em .6em"


def matrix_text(corner: Array, labels: Sequence[Label]) -> str:
    """Write rows of predicted classes, columns of actual ones; of many classes the first."""
    from rich.cells import cell_len  # columns on a terminal: letters of East Asia take two

    names = [_name(label) for label in labels[:MOST]]
    rows = [["predicted", *names]]
    for name, counts in zip(names, corner.tolist(), strict=True):
        rows.append([name, *map(_count, counts)])
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = [" " * widths[0] + "  actual"]
    for row in rows:  # the name to the left, the numbers to the right
        pads = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        numbers = [pad + text for pad, text in zip(pads[1:], row[1:], strict=True)]
        lines.append("  ".join([row[0] + pads[0], *numbers]))
    if len(labels) > MOST:
        lines.append(f"... {len(labels):,} classes in all; `cells` holds every count")
    return "\n".join(lines)


def matrix_html(corner: Array, labels: Sequence[Label]) -> str:
    """Write the matrix for a notebook: the larger the share of an actual class, the darker."""
    names = [notebook.escape(_name(label)) for label in labels[:MOST]]
    corner_style = "text-align: left; white-space: pre"
    heads = [("predicted ↓ actual →", corner_style), *((name, NUMBER) for name in names)]
    rows = [notebook.row(heads, tag="th")]
    actual = corner.sum(axis=0).tolist()
    for i, (name, counts) in enumerate(zip(names, corner.tolist(), strict=True)):
        shares = [
            count / total if total else 0.0 for count, total in zip(counts, actual, strict=True)
        ]
        cells = [_cell(n, shares[j], right=i == j) for j, n in enumerate(counts)]
        rows.append(notebook.row([(f"<b>{name}</b>", notebook.LEFT), *cells]))
    more = f"the first {MOST} of {len(labels):,} classes" if len(labels) > MOST else ""
    return notebook.box(notebook.table(rows) + notebook.quiet(more))


def _cell(count: float, share: float, *, right: bool) -> tuple[str, str]:
    """The HTML of a count and its style: bold where the prediction is right."""
    text = f"<b>{_count(count)}</b>" if right else _count(count)
    colour = notebook.FOR if right else notebook.AGAINST
    return text, f"{NUMBER}; background: rgba({colour},{0.6 * share:.2f})"


def _count(count: float) -> str:
    return f"{count:.7g}" if count % 1 else f"{count:.0f}"


def _name(label: Label) -> str:
    """A label on one line, cut where it is long."""
    text = "".join(letter if letter.isprintable() else "·" for letter in str(label))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

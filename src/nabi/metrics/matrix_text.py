"""A confusion matrix as text, both axes named."""

from collections.abc import Sequence

from nabi.base.arrays import Array
from nabi.base.labels import Label

MOST = 20  # classes that a screen holds
LONGEST = 20  # letters of a label


def matrix_text(corner: Array, labels: Sequence[Label]) -> str:
    """Write rows of predicted classes, columns of actual ones; of many classes the first."""
    from rich.cells import cell_len  # columns on a terminal: letters of East Asia take two

    names = [_name(label) for label in labels[:MOST]]
    rows = [["system", *names]]
    for name, counts in zip(names, corner.tolist(), strict=True):
        rows.append([name, *(f"{count:.7g}" if count % 1 else f"{count:.0f}" for count in counts)])
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = [" " * widths[0] + "  gold"]
    for row in rows:  # the name to the left, the numbers to the right
        pads = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        numbers = [pad + text for pad, text in zip(pads[1:], row[1:], strict=True)]
        lines.append("  ".join([row[0] + pads[0], *numbers]))
    if len(labels) > MOST:
        lines.append(f"... {len(labels):,} classes in all; `cells` holds every count")
    return "\n".join(lines)


def _name(label: Label) -> str:
    """A label on one line, cut where it is long."""
    text = "".join(letter if letter.isprintable() else "·" for letter in str(label))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

"""What all pictures share: colours, fonts, and axes to draw on."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from nabi.base.checks import whole_number
from nabi.errors import InputTypeError, MissingExtraError

try:
    from matplotlib import font_manager, rcParams
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("matplotlib"):
        raise
    raise MissingExtraError(
        "nabi.plots draws with matplotlib, which is not installed; pip install 'nabi[plots]'"
    ) from None

# As on the command line: orange for the first of two classes, blue for the second. The others keep
# a distance from all before them for people who see no red, no green or no blue: 17 and more in
# CIELAB, by the matrices of Machado, Oliveira and Fernandes (2009).
PALETTE = (
    *("#b85400", "#266ece", "#009e73", "#d55aa0"),
    *("#e6a817", "#62bfee", "#4d4d4d", "#4b1f7a"),
)
LINES = ("-", "--", ":", "-.")  # tell apart classes of one colour, where there are more than eight
INK, FAINT = "#333333", "#8a8a8a"
WIDTH, DPI = 8.0, 100  # 800 pixels
LONGEST = 28  # letters of a word or a name


def colour(i: int) -> str:
    """The colour of a class."""
    return PALETTE[i % len(PALETTE)]


def line(i: int) -> str:
    """The line style of a class."""
    return LINES[i // len(PALETTE) % len(LINES)]


# ---- axes ----


def figure(height: float) -> Figure:
    """A figure that pyplot does not know of."""
    return Figure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")


def paper(ax: Axes | None, height: float) -> Axes:
    """The axes to draw on: those given, or new ones."""
    if ax is None:
        return figure(height).add_subplot()
    if not isinstance(ax, Axes):
        raise InputTypeError(f"ax is {type(ax).__name__}, expected the Axes of a matplotlib figure")
    return ax


def bare(ax: Axes, *kept: str) -> None:
    """Take away all edges of the axes but those kept, and the marks of the others."""
    for name, spine in ax.spines.items():
        spine.set_visible(name in kept)
        spine.set_color(FAINT)
    ax.tick_params(colors=INK, color=FAINT, labelsize=9)
    ax.tick_params(axis="y", length=3 if "left" in kept else 0)
    ax.tick_params(axis="x", length=3 if "bottom" in kept else 0)


def legend(where: Axes | Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """A legend in rows above the axes, where it hides nothing."""
    place: dict[str, Any] = {"loc": "outside upper left"}
    if isinstance(where, Axes):
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1.01), "borderaxespad": 0}
    # The names come afterwards: matplotlib leaves out those that begin with an underscore.
    made = where.legend(
        handles,
        [str(i) for i in range(len(names))],
        ncols=min(len(names), max(1, 100 // (5 + max(map(len, names))))),
        frameon=False,
        fontsize=9,
        handlelength=1.2,
        handletextpad=0.5,
        columnspacing=1.4,
        **place,
    )
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set_text(name)
    plain(made.get_texts())


# ---- words ----


def written(word: object, most: int = LONGEST) -> str:
    """A word or a name as it can be drawn: on one line, short, white space at its edges shown."""
    text = str(word)
    if text != text.strip() or not text:
        text = repr(text.strip("\t"))
    text = "".join(letter if letter.isprintable() else "·" for letter in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def plain(texts: Iterable[Text]) -> None:
    """Draw texts letter by letter, no dollar being mathematics, in fonts that have the letters."""
    for text in texts:
        text.set_parse_math(False)
        text.set_fontfamily(families(text.get_text()))


def families(text: str) -> list[str]:
    """The usual font, and those that have what it lacks of a text."""
    usual = list(rcParams["font.family"])
    paths = [font_manager.findfont(FontProperties(family=[family])) for family in usual]
    lacking = [letter for letter in dict.fromkeys(text) if not any(has(p, letter) for p in paths)]
    found = dict.fromkeys(_font_with(letter) for letter in lacking)
    return [*usual, *(family for family in found if family is not None)]


@cache
def _font_with(letter: str) -> str | None:
    """An installed font that has a letter; upright and without serifs if may be."""
    fonts = sorted(
        (
            font
            for font in font_manager.fontManager.ttflist
            if "last resort" not in font.name.lower()
        ),
        key=lambda font: (
            font.style != "normal",
            font.weight not in (400, "normal", "regular"),
            "sans" not in font.name.lower() and "gothic" not in font.name.lower(),
            font.name,
        ),
    )
    return next((font.name for font in fonts if has(font.fname, letter)), None)


def has(path: str, letter: str) -> bool:
    """Whether the font of a file has a letter."""
    try:
        return bool(font_manager.get_font(path).get_char_index(ord(letter)))
    except (OSError, RuntimeError):  # a file that is gone, or no font after all
        return False


# ---- numbers ----


def drawable(low: float, high: float) -> bool:
    """Whether an axis can go from one number to the other."""
    return abs(low) < 1e300 and abs(high) < 1e300 and high - low > 1e-280


def checked_top(top: Any) -> int:
    """How many rows to draw."""
    return whole_number("top", top, 1, expected="a whole number from 1, such as 10")

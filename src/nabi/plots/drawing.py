"""Parts that all pictures share: colours, fonts, axes, legends, marks and bars."""

import io
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from nabi.base.checks import check_type, whole_number
from nabi.errors import MissingExtraError

try:
    from matplotlib import font_manager, rcParams
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from matplotlib.ticker import MaxNLocator
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("matplotlib"):
        raise
    raise MissingExtraError("nabi.plots draws with matplotlib", "plots") from None

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


class Picture(Figure):
    """A figure that pyplot does not know of, and that a notebook shows all the same."""

    def _repr_png_(self) -> bytes:
        """The picture in a notebook."""
        png = io.BytesIO()
        self.savefig(png, format="png", dpi="figure")
        return png.getvalue()


class PictureAxes(Axes):
    """Axes that fill a picture: a notebook shows it in their place."""

    def _repr_png_(self) -> bytes:
        """The picture in a notebook."""
        picture = self.figure
        assert isinstance(picture, Picture)
        return picture._repr_png_()


def new_figure(height: float) -> Figure:
    """Make a figure that pyplot does not know of."""
    return Picture(figsize=(WIDTH, height), dpi=DPI, layout="constrained")


def axes_for(ax: Axes | None, height: float) -> Axes:
    """Return the axes to draw on: those given, or new ones."""
    if ax is None:
        return new_figure(height).add_subplot(axes_class=PictureAxes)
    check_type("ax", ax, Axes, "the Axes of a matplotlib figure")
    return ax


def keep_edges(ax: Axes, *kept: str) -> None:
    """Keep these edges of the axes, and hide the others with their ticks."""
    for name, spine in ax.spines.items():
        spine.set_visible(name in kept)
        spine.set_color(FAINT)
    ax.tick_params(colors=INK, color=FAINT, labelsize=9)
    ax.tick_params(axis="y", length=3 if "left" in kept else 0)
    ax.tick_params(axis="x", length=3 if "bottom" in kept else 0)


def name_axes(ax: Axes, *names: object) -> None:
    """Name the x axis, and perhaps the y axis."""
    for axis, name in zip((ax.xaxis, ax.yaxis), names, strict=False):
        axis.set_label_text(shortened(name, 60))
        literal([axis.label])


def title(ax: Axes, text: str, **look: Any) -> None:
    """Set a title, drawn letter by letter."""
    literal([ax.set_title(text, **look)])


def bar_axes(ax: Axes, rows: int, names: Sequence[str], *, ticks: int) -> None:
    """Prepare axes for so many horizontal bars with names, the first at the top."""
    ax.set_yticks(range(len(names)), names)
    literal(ax.get_yticklabels())
    ax.set_ylim(rows - 0.4, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
    ax.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    keep_edges(ax)


def beside(ax: Axes, text: str, x: float, y: float, *, right: bool, **look: Any) -> None:
    """Write a text to the right or to the left of a point."""
    offset, align = ((5, 0), "left") if right else ((-5, 0), "right")
    look |= {"ha": align, "va": "center", "textcoords": "offset points"}
    literal([ax.annotate(text, (x, y), offset, **look)])


def mark(shape: str, size: float, fill: str, edge: str = "white") -> Line2D:
    """Make a mark for a legend."""
    look: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": edge}
    return Line2D([], [], marker=shape, linestyle="none", markersize=size, **look)


def legend(where: Axes | Figure, entries: Iterable[tuple[Any, object]]) -> None:
    """Draw a legend (marks and names) in rows above the axes, where it hides nothing."""
    handles, given = zip(*entries, strict=True)
    names = [shortened(name) for name in given]
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
    literal(made.get_texts())


# ---- words ----


def shortened(word: object, most: int = LONGEST) -> str:
    """Return a word or name on one line, cut where long; white space at its ends is shown."""
    text = str(word)
    if text != text.strip() or not text:
        text = repr(text.strip("\t"))
    text = "".join(letter if letter.isprintable() else "·" for letter in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def literal(texts: Iterable[Text]) -> None:
    """Draw texts letter by letter (no $ is mathematics), in fonts that have the letters."""
    for text in texts:
        text.set_parse_math(False)
        text.set_fontfamily(families(text.get_text()))


def families(text: str) -> list[str]:
    """Return the usual font, and fonts for the letters of a text that it lacks."""
    usual = list(rcParams["font.family"])
    paths = [font_manager.findfont(FontProperties(family=[family])) for family in usual]
    lacking = [letter for letter in dict.fromkeys(text) if not any(has(p, letter) for p in paths)]
    found = dict.fromkeys(_font_with(letter) for letter in lacking)
    return [*usual, *(family for family in found if family is not None)]


@cache
def _font_with(letter: str) -> str | None:
    """Return an installed font that has a letter; upright and without serifs if possible."""
    installed = font_manager.fontManager.ttflist
    fonts = sorted(
        (font for font in installed if "last resort" not in font.name.lower()),
        key=lambda font: (
            font.style != "normal",
            font.weight not in (400, "normal", "regular"),
            "sans" not in font.name.lower() and "gothic" not in font.name.lower(),
            font.name,
        ),
    )
    return next((font.name for font in fonts if has(font.fname, letter)), None)


def has(path: str, letter: str) -> bool:
    """Return whether the font of a file has a letter."""
    try:
        return bool(font_manager.get_font(path).get_char_index(ord(letter)))
    except (OSError, RuntimeError):  # a file that is gone, or no font after all
        return False


# ---- numbers ----


def drawable(low: float, high: float) -> bool:
    """Return whether an axis can go from one number to the other."""
    return abs(low) < 1e300 and abs(high) < 1e300 and high - low > 1e-280


def checked_top(top: Any) -> int:
    """Return the number of rows to draw."""
    return whole_number("top", top, 1, expected="a whole number from 1, such as 10")

"""Print for people: tables, notes, words and numbers; and JSON for programs."""

import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nabi.base.printable import printable
from nabi.explain.parts import visible

if TYPE_CHECKING:
    from rich.console import Console

Step = Callable[[str, int, int], None]  # (what is done, how many are, of how many)
SHOWN = 60  # characters of a text
# What JSON leaves as it is, and a terminal does not show.
_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def say(*lines: str) -> None:
    """Print lines for people: what would move a terminal's cursor or set its title is written out.

    Every word that a command prints goes through here, `print_table` or `show.explanation`; data
    for programs does not: JSON escapes by itself, and rows of `predict` and `store export`
    are written out by `TerminalOutput` where a terminal is to show them.
    """
    for line in lines:
        print(printable(line))  # noqa: T201


def note(text: str) -> None:
    """Print a line on standard error."""
    print(printable(f"nabi: {text}"), file=sys.stderr)  # noqa: T201


def console() -> "Console":
    """Return a console for results: in colour on a terminal, plain in a pipe."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a result as one JSON value; a terminal obeys nothing in it."""
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    print(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))  # noqa: T201


def _finite(value: Any) -> Any:
    """Replace infinity and NaN, which JSON has not, by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


# ---- words and numbers ----


def as_size(n: float) -> str:
    """1234567 -> '1.2 MB'"""
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} GB"


def as_count(n: float) -> str:
    """12500.0 -> '12,500'; weights may make it 0.5"""
    return f"{int(n):,}" if float(n).is_integer() else f"{n:,.2f}"


def with_interval(name: str, rate: float, interval: Sequence[float]) -> str:
    """'accuracy 0.9000  (95 %: 0.8800 to 0.9200)'"""
    low, high = interval
    return f"{name} {rate:.4f}  (95 %: {low:.4f} to {high:.4f})"


def as_time(seconds: float, size: float) -> str:
    """'2.00 s (150 MB/s)'; of little text, a rate says nothing."""
    rate = f" ({size / 1e6 / seconds:.0f} MB/s)" if size >= 1e6 else ""
    return f"{seconds:.2f} s{rate}"


def how_many(n: float, noun: str) -> str:
    """1, 'row' -> '1 row'; 1200, 'class' -> '1,200 classes'"""
    several = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{as_count(n)} {noun if n == 1 else several}"


def label_cell(label: str) -> str:
    """'spam ' -> "'spam '": a label with blanks at its ends, or none at all, is quoted"""
    return label if label and label == label.strip() else repr(label)


def documents(n: float, result: dict[str, Any]) -> str:
    """1 -> '1 text', or of a table '1 row'"""
    return how_many(n, "row" if "columns" in result else "text")


def extent(result: dict[str, Any], most: int = 12) -> str:
    """`vocabulary 8,713`, or `2 columns: age gaussian, body text`"""
    if "columns" not in result:
        return f"vocabulary {result['vocabulary']:,}"
    columns = [f"{name} {model}" for name, model in result["columns"].items()]
    return _listed(columns, "column", most)


def shortened(text: str | None) -> str:
    """Return as much of a text as fits on a line."""
    line = " ".join((text or "").split())
    return visible(line if len(line) <= SHOWN else line[: SHOWN - 3] + "...")


def rows_line(result: Mapping[str, Any]) -> str:
    """`3 rows read = 2 used + 1 rejected (see mail.rejects.csv)`"""
    read, used, rejected = result["rows"].values()
    see = f" (see {result['rejects']})" if result["rejects"] else ""
    return f"{how_many(read, 'row')} read = {used:,} used + {rejected:,} rejected{see}"


def classes_line(classes: Mapping[str, float], most: int = 8) -> str:
    """`2 classes: ham 4,827, spam 747`, the largest first."""
    largest = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
    return _listed([f"{label_cell(label)} {as_count(n)}" for label, n in largest], "class", most)


def _listed(items: list[str], noun: str, most: int) -> str:
    """`3 columns: a, b, and 1 more`"""
    more = f", and {len(items) - most:,} more" if len(items) > most else ""
    return f"{how_many(len(items), noun)}: {', '.join(items[:most])}{more}"


def print_next(commands: Sequence[str]) -> None:
    """Print commands that the reader may want to run next."""
    say("", "Next:", *(f"  {command}" for command in commands))


# ---- tables ----


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, aligned right where the name begins with >, as in '>count'.

    rich's own tables take a minute for 20,000 rows.
    """
    names = [name.removeprefix(">") for name in columns]
    rows = [[*map(printable, row)] for row in rows]
    widths = [max(map(_width, cells)) for cells in zip(names, *rows, strict=True)]
    rule = "─" * (sum(widths) + 3 * (len(widths) - 1))
    for cells in (names, [rule], *rows):
        padded = []
        for cell, width, name in zip(cells, widths, columns, strict=False):
            space = " " * (width - _width(cell))
            padded.append(space + cell if name.startswith(">") else cell + space)
        say("   ".join(padded).rstrip())


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal: Korean has two for each letter."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)

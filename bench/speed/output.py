"""Progress, tables and JSON."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

Figures = dict[str, Any]


def progress(what: str) -> None:
    """Say what is being measured, where somebody looks on; an empty text clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns, the first row as the head, the first column to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_padded(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = row
    return [first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write the figures as JSON to a file; without a name to stdout, in place of tables",
    )


def say(text: str, json_to: str | None) -> None:
    """Print the text, unless stdout is for JSON."""
    progress("")
    if json_to != "-":
        print(text, flush=True)


def save(figures: Figures, json_to: str | None) -> None:
    """Write the figures where `--json` says, if it does."""
    text = json.dumps(figures, indent=2)
    if json_to == "-":
        print(text)
    elif json_to:
        with open(json_to, "w", encoding="utf-8") as file:
            file.write(text + "\n")

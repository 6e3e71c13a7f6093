"""What a person sees: tables, notes, a progress bar; and JSON for programs."""

import contextlib
import json
import math
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nabi.readers import Part, Reader

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


def note(text: str) -> None:
    """Say something on the side."""
    print(f"nabi: {text}", file=sys.stderr)


def console() -> "Console":
    """Where results are printed: in colour on a terminal, plainly in a pipe."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def print_json(value: Any) -> None:
    """A result for programs: one JSON value."""
    print(json.dumps(_finite(value), ensure_ascii=False, indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    """JSON has no infinity: it is null there."""
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


def as_time(seconds: float, size: float) -> str:
    """'2.00 s (150 MB/s)'; of little text, a rate says nothing."""
    rate = f" ({size / 1e6 / seconds:.0f} MB/s)" if size >= 1e6 else ""
    return f"{seconds:.2f} s{rate}"


def documents(n: float, result: dict[str, Any]) -> str:
    """1 -> '1 text', or of a table '1 row'"""
    noun = "row" if "columns" in result else "text"
    return f"{as_count(n)} {noun if n == 1 else noun + 's'}"


def extent(result: dict[str, Any], most: int = 12) -> str:
    """`vocabulary 8,713`, or `2 columns: age gaussian, body text`"""
    if "columns" not in result:
        return f"vocabulary {result['vocabulary']:,}"
    columns = result["columns"]
    shown = ", ".join(f"{name} {model}" for name, model in list(columns.items())[:most])
    more = f", and {len(columns) - most} more" if len(columns) > most else ""
    return f"{len(columns)} {'column' if len(columns) == 1 else 'columns'}: {shown}{more}"


def quoted(path: str) -> str:
    """A path as it is typed in a shell."""
    return shlex.quote(path)


def visible(word: str) -> str:
    """A word for the screen: in quotes where white space is at its edge."""
    return word if word == word.strip() else repr(word.lstrip("\t"))


def rows(reader: Reader) -> dict[str, int]:
    """What became of the rows."""
    return {"read": reader.read, "used": reader.used, "rejected": reader.rejected}


def rows_line(rows: dict[str, int], rejects: str | None) -> str:
    """What became of the rows, so that the sum can be seen, and where those rejected are."""
    line = f"{rows['read']:,} rows read = {rows['used']:,} used + {rows['rejected']:,} rejected"
    return f"{line} (see {rejects})" if rejects else line


def classes_line(classes: dict[str, float], most: int = 8) -> str:
    """`2 classes: ham 4,827, spam 747`, the largest first."""
    largest = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{label} {as_count(n)}" for label, n in largest[:most])
    more = f", and {len(classes) - most} more" if len(classes) > most else ""
    return f"{len(classes)} {'class' if len(classes) == 1 else 'classes'}: {shown}{more}"


# ---- progress ----


@contextlib.contextmanager
def progress(reader: Reader, what: str, *, quiet: bool) -> Iterator[Iterator[Part]]:
    """The reader's parts, with a bar on a terminal: how far, how fast, how long still.

    The bar is gone when the block ends, and before any word on how it ended.
    """
    if quiet or not sys.stderr.isatty():
        yield iter(reader)
        return
    with _bar(reader.total) as bar:
        yield _followed(reader, bar, bar.add_task(what, total=reader.total or None))


Step = Callable[[str, int, int], None]  # (what is done, how many are, of how many)


@contextlib.contextmanager
def steps(what: str, *, quiet: bool) -> Iterator[Step | None]:
    """What to call with each step of something long, to show it on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich import progress as p
    from rich.console import Console

    columns = (p.TextColumn("{task.description}"), p.BarColumn(), p.MofNCompleteColumn())
    with p.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def _followed(reader: Reader, bar: "Progress", task: "TaskID") -> Iterator[Part]:
    for part in reader:
        yield part
        bar.update(task, completed=min(reader.done, reader.total or reader.done))
    bar.update(task, completed=reader.total or reader.done)


def _bar(total: int) -> "Progress":
    from rich import progress as p
    from rich.console import Console

    far = (p.DownloadColumn(), p.TransferSpeedColumn())
    left = (p.TimeRemainingColumn(compact=True), p.TextColumn("left"))
    return p.Progress(
        p.TextColumn("{task.description}"),
        p.BarColumn(),
        *(far + left if total else (p.FileSizeColumn(), p.TransferSpeedColumn())),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


# ---- tables ----


def print_table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, each (name, 'left' or 'right'); rich's own take a minute for 20,000 rows."""
    names = [name for name, _ in columns]
    widths = [max(map(_width, cells)) for cells in zip(names, *rows, strict=True)]
    sides = [side for _, side in columns]
    rule = "─" * (sum(widths) + 3 * (len(widths) - 1))
    for cells in (names, [rule], *rows):
        padded = map(_padded, cells, widths, sides)
        print("   ".join(padded).rstrip())


def _padded(cell: str, width: int, side: str) -> str:
    space = " " * (width - _width(cell))
    return cell + space if side == "left" else space + cell


def _width(text: str) -> int:
    """How many columns of a terminal it takes: Korean has two for each letter."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)

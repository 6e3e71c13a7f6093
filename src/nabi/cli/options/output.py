"""`--json` and `--quiet`: how a command shows its progress and prints its result."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nabi.cli.options.declare import flag
from nabi.cli.show.screen import Step, print_json
from nabi.readers import Part, Reader

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True)
class Output:
    """Output of a command that shows no progress."""

    json: bool = flag("Print the result as JSON.")

    def print(self, result: Any, show: Callable[[Any], None]) -> None:
        """Print a result as JSON, or show it in words."""
        if self.json:
            print_json(result)
        else:
            show(result)


@dataclass(frozen=True)
class Findings(Output):
    """Output of a command that judges data or models: progress, and what was found."""

    quiet: bool = flag("Show no progress.", short="-q")

    def print(self, result: dict[str, Any], show: Callable[[Any], None]) -> None:
        """Print a result as JSON, or show it in words; only words name the files of bad rows."""
        if self.json:
            result = {name: v for name, v in result.items() if not name.endswith("rejects")}
        super().print(result, show)

    @contextlib.contextmanager
    def progress(self, reader: Reader, what: str) -> Iterator[Iterator[Part]]:
        """Yield the reader's parts; show a bar on a terminal: how far, how fast, how long still.

        The bar is gone when the block ends, and before any word on how it ended.
        """
        if self.quiet or not sys.stderr.isatty():
            yield iter(reader)
            return
        from rich import progress as p

        far, speed = p.DownloadColumn(), p.TransferSpeedColumn()
        left = (p.TimeRemainingColumn(compact=True), p.TextColumn("left"))
        columns = (far, speed, *left) if reader.total else (p.FileSizeColumn(), speed)
        with _bar(*columns) as bar:
            yield _followed(reader, bar, bar.add_task(what, total=reader.total or None))

    @contextlib.contextmanager
    def steps(self, what: str) -> Iterator[Step | None]:
        """Yield a function to call with each step of long work, which shows it on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.progress import MofNCompleteColumn

        with _bar(MofNCompleteColumn()) as bar:
            task = bar.add_task(what)
            yield lambda what, done, total: bar.update(
                task, description=what, completed=done, total=total
            )


@dataclass(frozen=True)
class Summary(Findings):
    """Output of a command that writes a file: progress, and a summary."""

    quiet: bool = flag("Print warnings and errors only: no progress, no summary.", short="-q")

    def print(self, result: dict[str, Any], show: Callable[[Any], None]) -> None:
        """Print a result as JSON, or show it in words unless it is to be quiet."""
        if self.json or not self.quiet:
            Output.print(self, result, show)


def _bar(*columns: Any) -> "Progress":
    from rich import progress as p
    from rich.console import Console

    return p.Progress(
        p.TextColumn("{task.description}"),
        p.BarColumn(),
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _followed(reader: Reader, bar: "Progress", task: "TaskID") -> Iterator[Part]:
    for part in reader:
        yield part
        bar.update(task, completed=min(reader.done, reader.total or reader.done))
    bar.update(task, completed=reader.total or reader.done)

"""Options that several commands share, how they are read, and `--json` and `--quiet` obeyed."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from click import UsageError

from nabi.base.labels import Label, shown
from nabi.base.printable import printable
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.show.screen import Step, print_json, rows_line, say
from nabi.errors import InputError
from nabi.files import model_file
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.readers import Part, Reader

if TYPE_CHECKING:
    from rich.progress import Progress

Show = Callable[[Any], None]  # prints a result in words


def writable(path: str | None) -> str | None:
    """Return the path; refuse it before all the work if nothing can be written there."""
    if path and path != "-":
        check_folder(path, "-o")
    return path


def check_folder(path: str, name: str) -> None:
    """Refuse a path where no file can be: it is a folder, or lies in none."""
    if os.path.isdir(path):
        raise InputError(f"{name} {path}: that is a folder; give the name of a file in it")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise InputError(f"{name} {path}: no folder {folder}; make it first: mkdir -p {folder}")


def _a_model_file(path: str | None) -> str | None:
    if path == "-":
        raise UsageError("A model goes to a file, not to standard output: -o model.nabi.")
    if path and os.path.isfile(path) and os.path.getsize(path) and not model_file.is_model(path):
        raise InputError(
            f"-o {path}: that file is no nabi model; choose another name for the model"
        )
    return writable(path)


def check_apart(written: str | None, kept: Iterable[str], name: str = "-o") -> None:
    """Refuse to write over what is read."""
    if not written or written == "-" or not os.path.exists(written):
        return
    for path in kept:
        if os.path.exists(path) and os.path.samefile(path, written):
            raise InputError(f"{name} {written}: that file is read here; give another name")


def _beta(value: float) -> float:
    if not 0 < value < float("inf"):
        raise UsageError(f"--beta {value:g}: expected a number above 0, such as 2.")
    return value


MODEL: Any = argument("A model file, as `train` writes it.", "MODEL")
_model_to_write = partial(option, metavar="MODEL", short="-o", check=_a_model_file)
NEW_MODEL: Any = _model_to_write("The model file to write.", default="model.nabi")
REQUIRED_MODEL: Any = _model_to_write("The model file to write.", default=MISSING)
OTHER_MODEL: Any = _model_to_write("The model file to write (default: replace MODEL).")
PRIOR: Any = option(
    "Prior to use instead of the model's: uniform, empirical, or spam=0.1,ham=0.9.",
    "PRIOR",
    first=False,
)
TIME_LIMIT: Any = option(
    "Seconds that one regular expression of the rules may take on one text (default: 1; a model "
    "file may have a lower limit).",
    "S",
    first=False,
)
BETA: Any = option(
    "In F, recall counts B times as much as precision.", "B", default=1.0, check=_beta
)


def prior(typed: str | None, labels: list[Label] | None) -> Any:
    """'spam=0.1,ham=0.9' -> a number for each label; 'uniform' and 'empirical' as they are."""
    if typed is None or typed in ("uniform", "empirical"):
        return typed
    shares: dict[Label, float] = {}
    for item in typed.split(","):
        name, _, number = item.rpartition("=")
        share = as_number(number)
        if not name or share is None:
            raise InputError(
                f"--prior {typed}; expected uniform, empirical or c=p,... such as spam=0.1,ham=0.9"
            )
        shares[named_label(name, labels)] = share
    return shares


def as_number(typed: str) -> float | None:
    """'0.5' -> 0.5; None for what is no number"""
    try:
        return float(typed)
    except ValueError:
        return None


def named_label(name: str, labels: list[Label] | None) -> Label:
    """Return the label that is written like this, or like this without the blanks around it.

    An exact name wins; an unknown one is refused.
    """
    if labels is None:
        return name.strip()
    by_name = {str(label): label for label in labels}
    found = name if name in by_name else name.strip()
    if found not in by_name:
        raise InputError(f"no class {found!r}; the classes are {shown(labels)}")
    return by_name[found]


def labels_of(model: Model) -> list[Label]:
    """Return the classes of a model."""
    labels: list[Label] = model.classes_.tolist()
    return labels


def class_counts(model: Model) -> dict[str, float]:
    """Return the number of texts of each class, by its name."""
    counts: list[float] = model.class_count_.tolist()
    return dict(zip(map(str, labels_of(model)), counts, strict=True))


def facts(model: Any) -> dict[str, Any]:
    """Return the kind of a model, and what it says of itself."""
    if not isinstance(model, CountingModel):
        return {"kind": model.kind, **model.facts}
    return {"kind": model.kind, **model.extent, "alpha": model.alpha_}


# ---- --json and --quiet ----


@dataclass(frozen=True)
class Output:
    """Output of a command that shows no progress."""

    json: bool = flag("Print the result as JSON.", first=True)

    def print(self, result: Any, show: Show) -> None:
        """Print a result as JSON, or show it in words."""
        if self.json:
            print_json(result)
        else:
            show(result)


@dataclass(frozen=True)
class Findings(Output):
    """Output of a command that judges data or models: progress, and what was found."""

    quiet: bool = flag("Show no progress.", short="-q")

    def print(self, result: dict[str, Any], show: Show, rows: Mapping[str, Any] = {}) -> None:
        """Print a result as JSON, or show it in words; only words name the files of bad rows.

        `rows` are those that were read, as `Texts.finish` tells; they come first.
        """
        result = {**rows, **result}
        if self.json:
            result = {name: v for name, v in result.items() if not name.endswith("rejects")}
        elif rows:
            say(rows_line(rows))
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
            yield _followed(reader, bar, what)

    @contextlib.contextmanager
    def steps(self, what: str) -> Iterator[Step]:
        """Yield a function to call with each step of long work, which shows it on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield lambda what, done, total: None
            return
        from rich.progress import MofNCompleteColumn

        with _bar(MofNCompleteColumn()) as bar:
            task = bar.add_task(what)
            yield lambda what, done, total: bar.update(
                task, description=printable(what), completed=done, total=total
            )


@dataclass(frozen=True)
class Summary(Findings):
    """Output of a command that writes a file: progress, and a summary."""

    quiet: bool = flag("Print warnings and errors only: no progress, no summary.", short="-q")

    def print(self, result: dict[str, Any], show: Show, rows: Mapping[str, Any] = {}) -> None:
        """Print a result as JSON, or show it in words unless it is to be quiet."""
        if self.json:
            print_json({**rows, **result})
        elif not self.quiet:
            super().print(result, show, rows)


def _bar(*columns: Any) -> "Progress":
    from rich import progress as p
    from rich.console import Console

    return p.Progress(
        p.TextColumn("{task.description}", markup=False),
        p.BarColumn(),
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _followed(reader: Reader, bar: "Progress", what: str) -> Iterator[Part]:
    task = bar.add_task(what, total=reader.total or None)
    for part in reader:
        yield part
        bar.update(task, completed=min(reader.done, reader.total or reader.done))
    bar.update(task, completed=reader.total or reader.done)

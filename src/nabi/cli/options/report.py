"""`--report`: the page of `nabi.report`, for `evaluate` and `crossval`."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from nabi._native import Batch
from nabi.cli.options.common import UsageError, check_apart, check_folder
from nabi.cli.show.screen import Step, rows, steps
from nabi.cli.show.written import writing
from nabi.errors import InputError
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.readers import Part, Reader

if TYPE_CHECKING:
    from nabi.report import Report as Page

START = b"<!doctype html>"


def _a_page(path: str | None) -> str | None:
    """The path, unless a page cannot be written there: better said before all the work."""
    if path is None:
        return None
    if path == "-":
        raise UsageError("A report goes to a file, not to standard output: --report report.html.")
    check_folder(path, "--report")
    if os.path.isfile(path) and os.path.getsize(path) and not _is_page(path):
        raise InputError(f"--report {path}: that file is no HTML page; choose another name")
    return path


def _is_page(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(START)).lower() == START


Report = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write a page that shows how good it is, where it fails and why: one HTML file.",
        callback=_a_page,
    ),
]


def check_report(path: str | None, model: Model, read: Iterable[str]) -> None:
    """Refuse a report of a table, or one over what is read."""
    check_apart(path, read, "--report")
    if path and model.is_table:
        raise InputError(
            "--report is for models of texts, and this is one of a table; leave it out"
        )
    if path and not isinstance(model, CountingModel):
        raise InputError("--report is for models that count (nabi train --model nb); leave it out")


def kept(parts: Iterable[Part], texts: list[Batch], report: str | None) -> Iterator[Part]:
    """The parts; where there is to be a report, their texts are kept for it."""
    for part in parts:
        if report:
            texts.append(part.texts)
        yield part


def titled(data: list[str] | None, model: str | None = None) -> str:
    """`mail.nabi on test.csv`"""
    names = [os.path.basename(os.path.normpath(name)) for name in data or ["a query"]]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{os.path.basename(model)} on {shown}" if model else shown


def write_report(
    path: str, page: "Callable[..., Page]", title: str, *, reader: Reader, quiet: bool
) -> None:
    """Make a report, showing its steps on a terminal, and write it."""
    with steps("report: judging", quiet=quiet) as step:
        made = page(title=title, where=reader.where, rows=rows(reader), progress=_followed(step))
    with writing(path):
        made.write(path)


def _followed(step: Step | None) -> Step | None:
    """The steps of a report, named as such."""
    return step and (lambda what, done, total: step(f"report: {what}", done, total))

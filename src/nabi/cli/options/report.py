"""`--report`: the page of `nabi.report`, for `evaluate` and `crossval`."""

import os
from collections.abc import Callable, Iterable
from typing import Any

from click import UsageError

from nabi.cli.options.common import Findings, check_apart, check_folder
from nabi.cli.options.declare import option
from nabi.cli.saving import saving
from nabi.errors import InputError
from nabi.models.base import Model
from nabi.models.counting import CountingModel
from nabi.readers import Reader

START = b"<!doctype html>"


def _a_page(path: str | None) -> str | None:
    """Return the path; refuse it before all the work if no page can be written there."""
    if path is None:
        return None
    if path == "-":
        raise UsageError("A report goes to a file, not to standard output: --report report.html.")
    check_folder(path, "--report")
    if os.path.isfile(path) and os.path.getsize(path):
        with open(path, "rb") as file:
            if file.read(len(START)).lower() != START:
                raise InputError(f"--report {path}: that file is no HTML page; choose another name")
    return path


REPORT: Any = option(
    "Write an HTML page that shows how good the model is, where it fails and why.",
    "FILE",
    check=_a_page,
)


def check_report(path: str | None, model: Model, read: Iterable[str]) -> None:
    """Refuse a report of a table, or one over what is read."""
    check_apart(path, read, "--report")
    if path and model.is_table:
        raise InputError(
            "--report is for models of texts, and this is one of a table; leave it out"
        )
    if path and not isinstance(model, CountingModel):
        raise InputError("--report is for models that count (nabi train --model nb); leave it out")


def titled(data: list[str], model: str | None = None) -> str:
    """`mail.nabi on test.csv`"""
    names = [os.path.basename(os.path.normpath(name)) for name in data or ["a query"]]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{os.path.basename(model)} on {shown}" if model else shown


def write_report(
    path: str, page: Callable[..., Any], title: str, *, reader: Reader, out: Findings
) -> None:
    """Make a report, showing its steps on a terminal, and write it."""
    rows = {"read": reader.read, "used": reader.used, "rejected": reader.rejected}
    with out.steps("report: judging") as step:
        made = page(
            title=title,
            where=reader.where,
            rows=rows,
            progress=lambda what, done, total: step(f"report: {what}", done, total),
        )
    with saving(path):
        made.write(path)

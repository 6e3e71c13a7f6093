"""`--report`: the page of `nabi.report`, for `evaluate` and `crossval`."""

import os
from collections.abc import Callable, Iterable, Sequence
from shlex import quote
from typing import Any

from click import UsageError

from nabi._native import Batch
from nabi.cli.options.common import Findings, check_apart, check_folder
from nabi.cli.options.declare import option
from nabi.cli.saving import saving
from nabi.cli.show.screen import say
from nabi.errors import InputError
from nabi.models.base import Model
from nabi.readers import Reader
from nabi.scoring.unseen import check_held

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


def check_report(
    path: str | None, model: Model, read: Iterable[str], labels: Sequence[str] = ()
) -> None:
    """Refuse a report of pruned models or rules, of too many `labels`, or over what is read."""
    check_apart(path, read, "--report")
    if path and model.kind in ("pruned", "rules", "ruled"):
        raise InputError(
            f"--report: no report is made of a model of kind {model.kind}; leave it out"
        )
    if path and labels:
        check_held(len(labels), len(set(labels)), "a report")


def judged_documents(model: Any, parts: list[Any]) -> Any:
    """Return the documents of all parts of a file as one batch, or one table."""
    if not model.is_table:
        return Batch.joined(parts)
    from nabi.models.table_parts import joined

    return joined(parts, model.kinds)


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


def say_report(path: str | None, out: Findings) -> None:
    """Say where the report is, if there is one."""
    if path is not None and not out.quiet:
        say(f"report: {quote(path)}")

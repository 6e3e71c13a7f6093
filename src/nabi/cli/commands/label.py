"""`nabi label`."""

import os
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.show import screen
from nabi.cli.show.address import announce, log_to_screen
from nabi.errors import InputError, MissingExtraError, ReadOnlyError

STORE = ".nabi-store"


def label(
    data_file: str = argument("Texts: CSV, TSV, JSONL, Parquet, or one text a line.", "DATA"),
    *,
    classes: str | None = option("Classes, with commas between them: spam,ham.", "A,B,..."),
    data: str | None = option("The data directory (default: texts.nabi-store).", "DIR"),
    resume: bool = flag("Go on where the data directory was left."),
    text: str | None = option("Column of the texts (default: `text`).", "COL"),
    label: str | None = option("Column of labels that some texts have already.", "COL"),
    port: int = option("Port; 0 is any that is free.", "P", default=0, least=0),
    no_open: bool = flag("Open no browser."),
    out: o.Output,
) -> None:
    """Label texts in a browser, one key a text: from no labels to a model and an honest figure.

    Labels are on disk at once, in a data directory beside DATA; `--resume` goes on with it.
    See docs/label.md.

    ```
    nabi label texts.csv --classes spam,ham
    nabi label texts.csv --resume
    ```
    """
    try:
        from nabi.server.http.start import Settings, start
        from nabi.server.journal.directory import JOURNAL
        from nabi.server.labelling.loading import check
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"`nabi label` needs {error.name}", "server") from None
    path = Path(data_file)
    folder = path.with_suffix(STORE) if data is None else Path(data)
    is_there = (folder / JOURNAL).exists()
    if is_there and not resume:
        again = f"nabi label {quote(data_file)} --data {quote(str(folder))} --resume"
        raise InputError(
            f"{folder} holds labels already; go on with `{again}`, or give another --data"
        )
    names = named(classes)
    if not names and not is_there:
        raise UsageError("Name the classes: --classes spam,ham.")
    check(path, text=text, label=label)
    settings = Settings(data=folder, port=port)
    given = {"text": text, "label": label}
    begin = partial(_begin, out, path, given, names, not no_open)
    log_to_screen()
    start(settings, begin)


def named(classes: str | None) -> list[str]:
    """'spam, ham' -> ['spam', 'ham']"""
    names = [name.strip() for name in (classes or "").split(",")]
    names = [name for name in names if name]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"--classes names {twice[0]!r} twice.")
    if classes is not None and len(names) < 2:
        raise UsageError("--classes needs two classes or more: spam,ham.")
    return names


def _begin(
    out: o.Output,
    path: Path,
    given: dict[str, Any],
    names: list[str],
    opens: bool,
    settings: Any,
    made: Any,
) -> None:
    """Name the classes, load the texts while the page is served, and open it."""
    import threading

    from nabi.server.labelling.project import changed, project

    labelling = made.app.service.labelling
    if names:
        keys = [(name, str(n) if n < 10 else "") for n, name in enumerate(names, 1)]
        now = project(labelling.store)
        change = changed(now, title=now.title or path.name, classes=keys)
        labelling.store.submit([change], who="nabi label").result()
    threading.Thread(target=_load, args=[labelling, path, given], daemon=True).start()
    announce(out, settings, made, opens=opens)


def _load(labelling: Any, path: Path, given: dict[str, Any]) -> None:
    """Load the texts, and say what became of them."""
    from nabi.errors import NabiError
    from nabi.server.http.limits import Limits
    from nabi.server.labelling.loading import load

    try:
        with labelling.loads():
            found = load(labelling.store, path, who="nabi label", longest=Limits.text, **given)
    except ReadOnlyError:
        return  # the server was stopped meanwhile; --resume goes on
    except (NabiError, OSError) as error:
        screen.note(f"{os.fspath(path)}: {error}")
        return
    screen.note(
        f"{found.read:,} rows: {found.added:,} texts, {found.duplicates:,} that were there "
        f"already, {found.empty:,} empty, {found.rejected:,} rejected"
    )

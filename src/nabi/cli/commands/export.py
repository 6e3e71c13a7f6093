"""`nabi export`."""

import os
from dataclasses import MISSING
from typing import Any

from click import UsageError

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.show import screen
from nabi.errors import InputError

TARGETS = ("sql", "web", "clickhouse")
DIALECTS = ("duckdb", "postgres")


def export(
    model: str = o.MODEL,
    *,
    to: str = option("Target: sql, web or clickhouse.", "TARGET", default=MISSING),
    output: str = option(
        "Where to write: for sql a file.sql or a folder, for web a folder, for clickhouse a file.",
        "PATH",
        short="-o",
        default=MISSING,
    ),
    dialect: str | None = option("For sql: duckdb or postgres.", "DIALECT"),
    name: str = option(
        "For sql and clickhouse: what the names of tables begin with.",
        "NAME",
        default="nabi",
        first=False,
    ),
    table: str = option("For sql and clickhouse: the table to classify.", "TABLE", default="texts"),
    id: str = option("Its column that tells rows apart.", "COL", default="id", first=False),
    text: str = option("Its column of texts.", "COL", default="text"),
    title: str | None = option(
        "For web: title of the page (default: the model's name).", "TITLE", first=False
    ),
    prior: str | None = o.PRIOR,
    out: o.Output,
) -> None:
    """Export a model to a database or a browser: it gives the same labels there, without nabi.

    ```
    nabi export mail.nabi --to sql --dialect duckdb -o mail.sql --table mails --text body
    nabi export mail.nabi --to web -o mail-page
    ```
    """
    if to not in TARGETS:
        raise UsageError(f"--to {to}: expected {', '.join(TARGETS[:-1])} or {TARGETS[-1]}.")
    if (to == "sql") != (dialect is not None) or dialect not in (None, *DIALECTS):
        expected = "expected --to sql --dialect duckdb, or --to sql --dialect postgres"
        raise UsageError(
            f"--to {to} with {f'--dialect {dialect}' if dialect else 'no dialect'}: {expected}."
        )
    _check_output(output, to)
    o.check_apart(output, [model])
    loaded: Any = load(model)
    shown = title or os.path.splitext(os.path.basename(model))[0]
    given = o.prior(prior, None if prior is None else o.labels_of(loaded))
    names = {"name": name, "table": table, "id": id, "text": text, "prior": given}
    _made(loaded, to, dialect=dialect, title=shown, names=names).save(output)
    result = {"of": model, "to": dialect or to, "output": output, "bytes": _size(output)}
    out.print(result, _show)


def _check_output(output: str, to: str) -> None:
    """Refuse a path of the wrong kind before all the work."""
    if to != "web" and (to == "clickhouse" or output.lower().endswith(".sql")):
        o.check_folder(output, "-o")
    elif os.path.exists(output) and not os.path.isdir(output):
        raise InputError(f"-o {output}: that is a file; give the name of a folder")


def _made(model: Any, to: str, *, dialect: str | None, title: str, names: dict[str, Any]) -> Any:
    """Return the export, which has a method `save`."""
    if to == "web":
        from nabi.engines.web import web_export

        return web_export(model, title=title, prior=names["prior"])
    if to == "clickhouse":
        from nabi.engines.clickhouse import clickhouse_export

        return clickhouse_export(model, **names)
    from nabi.engines.sql import sql_export

    assert dialect is not None
    return sql_export(model, dialect=dialect, **names)


def _size(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())


def _show(result: dict[str, Any]) -> None:
    screen.say(f"{result['output']}: {screen.as_size(result['bytes'])}, for {result['to']}")
    if result["to"] == "web":
        screen.say(f"open {os.path.join(result['output'], 'index.html')} in a browser")

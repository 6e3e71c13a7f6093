"""A model as SQL: what makes its tables, the rows in them, and the query that classifies."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import nabi
from nabi.base.checks import one_of
from nabi.base.labels import kind_of
from nabi.engines.entities import entity_values
from nabi.engines.sql.dialects import DIALECTS, TYPES, Dialect, Rows, literal, quoted
from nabi.engines.sql.tokens import Step, Tokens, check_recipe
from nabi.engines.terms import Terms
from nabi.errors import InputError
from nabi.files.replace import replacing
from nabi.scoring.prior import Prior

BITS = 32  # weights are whole numbers of 2^-32: a sum does not depend on the order
ROWS = 1000  # of one insert
LINE = 2_000_000  # bytes of the longest line that DuckDB expects in a file
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")

__all__ = ["DIALECTS", "SqlExport", "sql_export"]


def sql_export(
    model: Any,
    *,
    dialect: str,
    name: str = "nabi",
    table: str = "texts",
    id: str = "id",
    text: str = "text",
    prior: Prior = None,
) -> "SqlExport":
    """A model as tables and a query of a database.

    Parameters
    ----------
    model : TextClassifier
        The model. Its labels stay the same to the last near-tie: weights are rounded to 2^-32.
    dialect : {"duckdb", "postgres"}
        The database.
    name : str
        What the names of the tables begin with.
    table, id, text : str
        The table to classify, and its columns.
    prior : optional
        A prior to use instead of the model's.

    Examples
    --------
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> export = sql_export(model, dialect="duckdb", table="mails", text="body")
    >>> import duckdb
    >>> database = duckdb.connect()
    >>> _ = database.execute("create table mails as select 7 as id, 'So good!' as body")
    >>> _ = database.execute(export.script)
    >>> database.execute(export.classify).fetchall()[0][:2]
    (7, 'pos')
    """
    written = DIALECTS[one_of("dialect", dialect, DIALECTS)]
    if not NAME.fullmatch(name):
        raise InputError(f"name is {name!r}; expected letters, digits and _, such as spam_model")
    terms = Terms.of(model, prior=prior)
    check_recipe(terms.recipe)
    return SqlExport(terms, written, name, quoted(table), quoted(id), quoted(text))


@dataclass(frozen=True, eq=False)
class SqlExport:
    """The SQL of a model.

    Attributes
    ----------
    script : str
        What makes the tables and fills them.
    classify : str
        The query of `id`, `label` and `log_joint` of each row; of a null text both are null.
    scores : str
        The query of the log joint likelihood of each row and class.
    tokens : str
        The query of the tokens of each row, known or not.
    """

    terms: Terms
    dialect: Dialect
    name: str
    table: str
    id: str
    text: str

    # ---- the tables ----

    @cached_property
    def tables(self) -> dict[str, tuple[str, Rows]]:
        """The columns and the rows of each table."""
        label_type = TYPES[kind_of(self.terms.labels[0])]
        columns = {
            "classes": f"class integer primary key, label {label_type} not null, "
            "start bigint not null, slope bigint not null",
            "tokens": "token_id integer not null, token text primary key, shared bigint not null",
            "weights": "token_id integer not null, class integer not null, weight bigint not null",
        }
        rows = {"classes": self._classes, "tokens": self._tokens, "weights": self._weights}
        if self.terms.recipe.entities:
            columns["entities"] = "name text primary key, value text not null"
            rows["entities"] = list(entity_values().items())
        return {f"{self.name}_{key}": (columns[key], rows[key]) for key in columns}

    @property
    def _classes(self) -> Rows:
        """Without classes whose prior is 0, which no text can have."""
        terms = self.terms
        kept = np.flatnonzero(np.isfinite(terms.start))
        start, slope = _whole(terms.start[kept]), _whole(terms.slope[kept])
        labels = [terms.labels[c] for c in kept.tolist()]
        return list(zip(kept.tolist(), labels, start, slope, strict=True))

    @property
    def _tokens(self) -> Rows:
        names = self.terms.features
        rows = zip(range(len(names)), names, _whole(self.terms.shared), strict=True)
        return [row for row in rows if "\0" not in row[1]]  # which no text in a database has

    @property
    def _weights(self) -> Rows:
        terms = self.terms
        kept = np.isfinite(terms.start)[terms.classes]
        columns = (terms.feature_of_cell, terms.classes, terms.cells)
        feature, classes, cells = (column[kept] for column in columns)
        return list(zip(feature.tolist(), classes.tolist(), _whole(cells), strict=True))

    @property
    def made(self) -> str:
        """Statements that make the empty tables."""
        return "".join(
            f"create table {table} ({columns});\n" for table, (columns, _) in self.tables.items()
        )

    @property
    def script(self) -> str:
        """Statements that make the tables and fill them."""
        return "".join([self._head, self.made, *self._inserts()])

    @property
    def _head(self) -> str:
        return (
            f"-- A model of nabi {nabi.__version__} for {self.dialect.name}. Weights are integers: "
            f"2^{BITS} times those of the model.\n{self.dialect.begin}"
        )

    def _inserts(self) -> Iterator[str]:
        for table, (_, rows) in self.tables.items():
            for i in range(0, len(rows), ROWS):
                values = (f"({', '.join(map(literal, row))})" for row in rows[i : i + ROWS])
                yield f"insert into {table} values\n" + ",\n".join(values) + ";\n"

    # ---- the queries ----

    @property
    def _steps(self) -> list[Step]:
        number = "row_number() over () as doc"
        own = self.name
        times = "1" if self.terms.recipe.binary else "count(*)"
        tokens = Tokens(self.terms.recipe, self.dialect, f"{own}_entities")
        return [
            ("texts", f"select {number}, {self.id} as id, {self.text} as text from {self.table}"),
            *tokens.steps,
            ("counted", f"select doc, token, {times} as n from tokens group by doc, token"),
            (
                "found",
                "select c.doc, t.token_id, c.n, t.shared\n"
                f"  from counted c join {own}_tokens t on t.token = c.token",
            ),
            (
                "lengths",
                "select doc, sum(n) as n, sum(n * shared) as shared from found group by doc",
            ),
            (
                "cells",
                "select f.doc, w.class, sum(f.n * w.weight) as cells\n"
                f"  from found f join {own}_weights w on w.token_id = f.token_id\n"
                "  group by f.doc, w.class",
            ),
            (
                # Sums, and no joins: without statistics a database may join row by row.
                "parts_of_scores",
                f"select t.doc, c.class, c.start as part from texts t cross join {own}_classes c\n"
                "    where t.text is not null\n"
                "  union all select l.doc, c.class, l.n * c.slope + l.shared\n"
                f"    from lengths l cross join {own}_classes c\n"
                "  union all select doc, class, cells from cells",
            ),
            (
                "scores",
                "select doc, class, sum(part) as score from parts_of_scores group by doc, class",
            ),
        ]

    def _query(self, steps: list[Step], select: str) -> str:
        # Rows are numbered once: what is not materialized might be done again, in another order.
        tables = (f"{name} as materialized (\n  {query}\n)" for name, query in steps)
        return f"with {', '.join(tables)}\n{select};\n"

    @property
    def classify(self) -> str:
        """The query of the label of each row: that of the highest score, the first of equals."""
        place = "row_number() over (partition by doc order by score desc, class) as place"
        best = ("best", f"select *, {place} from scores")
        return self._query(
            [*self._steps, best],
            f"select t.id, c.label, {_real('b.score')} as log_joint\n"
            "from texts t left join best b on b.doc = t.doc and b.place = 1\n"
            f"left join {self.name}_classes c on c.class = b.class order by t.doc",
        )

    @property
    def scores(self) -> str:
        """The query of the log joint likelihood of each row and class."""
        return self._query(
            self._steps,
            f"select t.id, c.label, {_real('s.score')} as log_joint\n"
            f"from texts t join scores s on s.doc = t.doc join {self.name}_classes c\n"
            "on c.class = s.class order by t.doc, s.class",
        )

    @property
    def tokens(self) -> str:
        """The query of the tokens of each row, in no order, known or not."""
        return self._query(
            self._steps[:-6], "select t.id, k.token from tokens k join texts t on t.doc = k.doc"
        )

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file, `.sql`; or a folder with model.sql, classify.sql, scores.sql and rows."""
        path = Path(path)
        if path.suffix.lower() == ".sql":
            with replacing(str(path)) as file:
                file.write(f"{self.script}\n{self.classify}".encode())
            return
        path.mkdir(parents=True, exist_ok=True)
        loads = [self._head, self.made]
        for table, (columns, rows) in self.tables.items():
            name = f"{table}{self.dialect.suffix}"
            with open(path / name, "w", encoding="utf-8", newline="") as file:
                self.dialect.write(file, [each.split()[0] for each in columns.split(", ")], rows)
            numbers = str(" text " not in columns).lower()
            line = max(LINE, 100 + 2 * _longest(rows))
            loads.append(self.dialect.load.format(table, literal(name), numbers, line) + "\n")
        for name, text in {
            "model": "".join(loads),
            "classify": self.classify,
            "scores": self.scores,
        }.items():
            (path / f"{name}.sql").write_text(text, "utf-8")


def _longest(rows: Rows) -> int:
    """Bytes of the longest text in rows."""
    texts = (cell for row in rows for cell in row if isinstance(cell, str))
    return max((len(text.encode()) for text in texts), default=0)


def _whole(values: Any) -> list[int]:
    """Weights as whole numbers of 2^-32."""
    return [int(x) for x in np.rint(values * 2.0**BITS).tolist()]


def _real(score: str) -> str:
    return f"cast({score} as double precision) / {2**BITS}"

"""Export to SQL: a model as tables of integer weights and a query, which DuckDB runs alone.

The query cuts texts into words by the kernel's rules and adds up weights in fixed point, so that
its labels and scores are those of the model. PostgreSQL takes dialect="postgres".
Run it: python examples/export_sql.py
"""

import duckdb

import nabi
from nabi.engines.sql import sql_export

TRAIN = [
    ("win a prize now", "spam"),
    ("claim your free money", "spam"),
    ("free prize inside", "spam"),
    ("lunch at noon?", "ham"),
    ("see you at the station", "ham"),
    ("the plan for monday", "ham"),
]
MAILS = [(1, "A FREE prize for you!"), (2, "lunch on monday"), (3, None)]

model = nabi.TextClassifier().fit(*zip(*TRAIN, strict=True))
export = sql_export(model, dialect="duckdb", table="mails", text="body")

database = duckdb.connect()
database.execute("create table mails (id integer, body varchar)")
database.executemany("insert into mails values (?, ?)", MAILS)
database.execute(export.script)  # three tables: nabi_classes, nabi_tokens, nabi_weights
for row, label, score in database.execute(export.classify).fetchall():
    print(row, label, "" if score is None else f"{score:.6f}")

own = model.joint_log_likelihood([MAILS[0][1]]).max()
print(f"nabi itself says {model.predict([MAILS[0][1]])[0]}, {own:.6f}")

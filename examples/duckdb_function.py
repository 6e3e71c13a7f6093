"""A function of DuckDB: `select nabi_predict(body) from mails`, and its probabilities.

Unlike an export, the function runs nabi itself: any model of texts, with its calibration and
thresholds, as it is at that moment. It needs pyarrow.
Run it: python examples/duckdb_function.py
"""

import duckdb

import nabi
from nabi.engines.duckdb import register

model = nabi.TextClassifier().fit(
    ["win a prize now", "free money", "lunch at noon", "see you at the station"],
    ["spam", "spam", "ham", "ham"],
)
database = register(duckdb.connect(), model)
database.execute("create table mails as select unnest(['a free prize', 'noon?', null]) as body")
query = """
    select nabi_predict(body) as label, count(*) as mails,
           round(max(nabi_predict_proba(body)['spam']), 2) as most
    from mails group by label order by label
"""
for label, mails, most in database.execute(query).fetchall():
    print(label, mails, most)

model.partial_fit(["noon sale at noon"] * 3, ["spam"] * 3)  # counts at once
print("now:", database.execute("select nabi_predict('noon?')").fetchall()[0][0])

"""Files out and in: the model file, and rows with predicted labels.

`model_file` reads and writes `.nabi` files. `writers` writes rows that a reader gave, with
`predicted` columns beside them: by `plain_rows` (CSV and JSON lines) or by `duckdb_rows` (Arrow and
Parquet). `replace` swaps a file in one step.
"""

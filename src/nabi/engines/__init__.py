"""Models inside other engines: databases, browsers, and programs that share the work.

Each engine is a module of its own, and imports what it needs when it is used:
`nabi.engines.dask`, `nabi.engines.duckdb`, `nabi.engines.spark`, `nabi.engines.sql`,
`nabi.engines.web`.
"""

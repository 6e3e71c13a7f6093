"""Models as SQL: tables of integer weights, and one query that cuts texts and classifies them."""

from nabi.engines.sql.script import DIALECTS, SqlExport, sql_export

__all__ = ["DIALECTS", "SqlExport", "sql_export"]

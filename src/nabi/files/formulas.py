"""Fields of CSV that a spreadsheet would run as formulas: `=HYPERLINK(...)`."""

import re

# Also as DuckDB writes regular expressions. Some spreadsheets take wide signs for narrow ones.
STARTS = r"[=+\-@\t\r＝＋－＠]"
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_starts, _number = re.compile(STARTS), re.compile(NUMBER)


def guarded(text: str) -> str:
    """Put an apostrophe before what looks like a formula; numbers stay.

    >>> guarded("=1+1"), guarded("＝1+1"), guarded("-1.5"), guarded("a")
    ("'=1+1", "'＝1+1", '-1.5', 'a')
    """
    return f"'{text}" if _starts.match(text) and not _number.fullmatch(text) else text

"""Print which columns are learned from where a file has others too, which are passed over."""

from collections.abc import Mapping
from typing import Any

from nabi.cli.show import screen
from nabi.readers import Reader

MOST = 8  # columns that are named


def column_facts(reader: Reader, typed: str | None) -> dict[str, Any]:
    """Return the columns of texts and labels, and those left out; nothing where all are used.

    `typed` is what --text names: whoever names it knows of the others.
    """
    made = reader.is_table or not reader.is_tabular
    used = [*reader.texts, reader.label]
    left_out = [] if made else [name for name in reader.names if name not in used]
    if not left_out:
        return {}
    columns = {"text": reader.texts, "label": reader.label, "left_out": left_out}
    return {"source": {**columns, "named": typed is not None}}


def show_columns(result: Mapping[str, Any]) -> None:
    """Print what `column_facts` returned."""
    if "source" not in result:
        return
    found = result["source"]
    texts, left_out = ([*map(repr, found[name])] for name in ("text", "left_out"))
    more = f" and {len(left_out) - MOST:,} more" if len(left_out) > MOST else ""
    every = ",".join(f"{name}=text" for name in found["text"])
    advice = "" if found["named"] else f" (--columns {every} learns from all)"
    screen.say(
        f"learned from {' and '.join(texts)}, labels from {found['label']!r}; left out: "
        f"{', '.join(left_out[:MOST])}{more}{advice}"
    )

"""Numbers that JSON does not have, NaN and the infinities, as null: in a query of DuckDB."""

from collections.abc import Mapping
from typing import Any

from nabi.readers.tables import named, quoted

REAL = ("double", "float")


def finite_columns(types: Mapping[str, Any]) -> str:
    """What to select of columns of these types, so that JSON can hold it."""
    return ", ".join(f"{finite(named(x), type_)} AS {named(x)}" for x, type_ in types.items())


def finite(value: str, type_: Any, depth: int = 0) -> str:
    """An expression of the same value, with null in the place of each number that is not finite."""
    if not _has_real(type_):
        return value
    if type_.id in REAL:
        return f"CASE WHEN isfinite({value}) THEN {value} END"
    inner = dict(type_.children)
    if type_.id == "struct":
        members = (
            f"{named(name)} := {finite(f'struct_extract({value}, {quoted(name)})', each, depth)}"
            for name, each in inner.items()
        )
        return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({', '.join(members)}) END"
    x = f"__nabi_{depth}"
    if type_.id == "map":
        values = f"[{finite(x, inner['value'], depth + 1)} FOR {x} IN map_values({value})]"
        return f"map(map_keys({value}), {values})"
    return f"[{finite(x, inner['child'], depth + 1)} FOR {x} IN {value}]"


def _has_real(type_: Any) -> bool:
    """Whether there are real numbers in values of a type."""
    if type_.id in REAL:
        return True
    if type_.id == "map":
        return _has_real(dict(type_.children)["value"])
    if type_.id in ("list", "array", "struct"):
        return any(_has_real(each) for name, each in type_.children if name != "size")
    return False

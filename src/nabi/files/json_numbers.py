"""Numbers that JSON does not have, NaN and the infinities, as null: in a query of DuckDB."""

from collections.abc import Mapping
from typing import Any

from nabi.readers.tables import named, quoted


def finite_columns(types: Mapping[str, Any]) -> str:
    """What to select of columns of these types, so that JSON can hold it."""
    return ", ".join(f"{finite(named(x), type_)} AS {named(x)}" for x, type_ in types.items())


def finite(value: str, type_: Any, depth: int = 0) -> str:
    """An expression of the same value, with null in the place of each number that is not finite."""
    if type_.id in ("double", "float"):
        return f"CASE WHEN isfinite({value}) THEN {value} END"
    if type_.id not in ("list", "array", "map", "struct"):
        return value
    inner = dict(type_.children)
    if type_.id == "struct":
        old = {name: f"struct_extract({value}, {quoted(name)})" for name in inner}
        new = {name: finite(old[name], inner[name], depth) for name in inner}
        members = ", ".join(f"{named(name)} := {member}" for name, member in new.items())
        packed = f"CASE WHEN {value} IS NOT NULL THEN struct_pack({members}) END"
        return value if new == old else packed
    x = f"__nabi_{depth}"
    item = finite(x, inner["value" if type_.id == "map" else "child"], depth + 1)
    if item == x:
        return value
    if type_.id == "map":
        return f"map(map_keys({value}), [{item} FOR {x} IN map_values({value})])"
    return f"[{item} FOR {x} IN {value}]"

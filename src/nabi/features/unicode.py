"""The Unicode version of the tables by which texts are cut into words: counts remember theirs.

Another version may cut a text in another way, so counts of two versions are never mixed.
"""

import re
from collections.abc import Mapping
from typing import Any

import nabi._native as _native
from nabi.errors import RecipeError

VERSION = _native.UNICODE_VERSION  # of this nabi
OTHERWISE = "texts would be cut in another way"


def stored_version(header: Mapping[str, Any]) -> str | None:
    """Return the version that a file names, which may be hostile; None in older files."""
    version = header.get("unicode")
    if "unicode" in header and not (
        isinstance(version, str) and re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", version)
    ):
        raise ValueError("a version of Unicode that is none")
    return version


def check_version(version: str | None, what: str) -> None:
    """Refuse to change counts that were made with the tables of another version."""
    if version not in (None, VERSION):
        raise RecipeError(
            f"the model counts with the tables of Unicode {version}, and this nabi has those of "
            f"{VERSION}: {OTHERWISE}; {what} with the nabi that trained it, or train it anew"
        )


def common_version(one: str | None, other: str | None) -> str | None:
    """Return the version of a sum; None where one is not known, as in older files."""
    if one is None or other is None:
        return None
    if one != other:
        raise RecipeError(
            f"the models count with the tables of Unicode {one} and {other}: {OTHERWISE}; train "
            f"both with the same nabi"
        )
    return one

"""Names of features: the kernel keeps them end to end in one array of bytes."""

from itertools import pairwise
from typing import Any


def name_list(names: Any, offsets: Any) -> list[str]:
    """Return the kernel's names as a list of str."""
    whole = names.tobytes()
    return [whole[a:b].decode() for a, b in pairwise(offsets.tolist())]


def names_at(names: Any, offsets: Any, features: Any) -> list[str]:
    """Return the names of some features: decoding every name of a large table takes a second."""
    whole = memoryview(names)
    ends = zip(offsets[features].tolist(), offsets[1:][features].tolist(), strict=True)
    return [str(whole[a:b], "utf-8") for a, b in ends]

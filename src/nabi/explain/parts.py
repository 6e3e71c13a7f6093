"""The parts that an explanation consists of on a screen, on a page or in a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import nan

import numpy as np
import numpy.typing as npt

from nabi.base.printable import printable

WEAK, STRONG = 0.5, 1.5  # evidence from which a word is coloured, and from which it is filled
NUMBERS = ("times", "evidence", "near")  # columns that are aligned to the right

Span = tuple[int, int]


@dataclass(frozen=True)
class Title:
    """The label, and how sure it is."""

    label: str
    note: str


@dataclass(frozen=True)
class Passage:
    """A text, its words coloured by their evidence."""

    text: str
    marks: Sequence[tuple[float, Sequence[Span]]] = ()  # evidence, strongest first; where it stands
    name: str = ""  # of its column
    on_screen: bool = True  # False: on pages alone

    @cached_property
    def _owners(self) -> npt.NDArray[np.int64]:
        """For each character the index of the first mark of weight that covers it, or -1."""
        owner = np.full(len(self.text), -1, np.int64)
        for i in range(len(self.marks) - 1, -1, -1):  # the strongest last: it is seen
            evidence, spans = self.marks[i]
            for begin, end in spans if abs(evidence) >= WEAK else ():
                owner[begin:end] = i
        return owner

    def pieces(self, begin: int, end: int) -> Iterator[tuple[str, float]]:
        """Pieces of a part of the text, each with the evidence of the strongest word there, or 0.

        >>> list(Passage("a good film", [(1.2, [(2, 6)])]).pieces(0, 11))
        [('a ', 0.0), ('good', 1.2), (' film', 0.0)]
        """
        cuts = np.flatnonzero(np.diff(self._owners[begin:end])) + begin + 1
        for a, b in pairwise([begin, *cuts.tolist(), end]):
            owner = self._owners[a] if a < b else -1
            yield self.text[a:b], self.marks[owner][0] if owner >= 0 else 0.0


@dataclass(frozen=True)
class Legend:
    """Which side is for which class; the second is missing where there is one class only."""

    sides: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """A table: each row its cells, and the evidence that the first of them is coloured by."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, ...], float]]
    total: tuple[str, ...] = ()  # the cells of the last row, where there is a sum
    more: str = ""  # a line below it
    weak: float = nan  # evidence from which a screen colours the first cell; nan: never
    strong: float = nan  # and from which it is filled


Part = Title | Passage | Legend | Sheet | str


def percent(rate: float) -> str:
    """A share in two digits.

    >>> [percent(rate) for rate in (0.5, 0.0123, 0.00004)]
    ['50 %', '1.2 %', '0.004 %']
    """
    value = 100 * rate
    if 0 < value < 0.0001:
        return "<0.0001 %"
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def visible(word: str) -> str:
    """A word for the screen: in quotes where white space is at its edge."""
    return printable(word if word == word.strip() else repr(word.lstrip("\t")))

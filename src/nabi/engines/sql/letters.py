"""The kernel's classes of characters and its lower case, as regular expressions and tables.

They are asked of the kernel, and not of the database: both may know another Unicode.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import nabi._native as _native
from nabi.base.arrays import Bools

WORD, MARK, EMOJI, SPACE, CASED, IGNORABLE, _LOWERED, UNSPACED = (2**i for i in range(8))
SIGMA, SMALL_SIGMA, FINAL_SIGMA, DOTTED_I = "\u03a3", "\u03c3", "\u03c2", "\u0130"
VARIATION = "\ufe0e\ufe0f"  # which the kernel skips between the characters of words
HANGUL = ((0xAC00, 0xD7A3), (0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97C), (0xD7B0, 0xD7FB))
HANGUL_BLOCKS = (*HANGUL, (0xFFA0, 0xFFDC))
SURROGATES = slice(0xD800, 0xE000)
Escape = Callable[[int], str]  # a code point, as a dialect's regular expressions write it


@dataclass(frozen=True)
class Letters:
    """Classes of characters, as the insides of brackets: [...]"""

    word: str  # letters and digits of words
    unspaced: str  # letters that are cut into n-grams; empty: none are
    mark: str
    emoji: str  # without the letters of flags
    flag: str  # two of which are a flag
    tone: str  # of skin
    joiner: str
    hangul: str
    space: str
    cased: str
    ignorable: str

    @property
    def piece(self) -> str:
        """The regular expression of a word, a run of letters without spaces, or an emoji."""
        word = f"[{self.word}][{self.word}{self.mark}]*"
        base = f"(?:[{self.emoji}]|[{self.flag}][{self.flag}]?)[{self.tone}]*"
        run = f"|[{self.unspaced}][{self.unspaced}{self.mark}]*" if self.unspaced else ""
        return f"{word}(?:['\u2019]{word})*{run}|{base}(?:{self.joiner}{base})*"

    @property
    def hangul_run(self) -> str:
        """The regular expression of a run of Hangul."""
        return f"[{self.hangul}][{self.hangul}{self.mark}]*"

    @property
    def final_sigma(self) -> str:
        """The regular expression of a capital sigma at the end of a word, and what is around it."""
        after = f"[{self.ignorable}]*(?:[^{self.cased}{self.ignorable}]|$)"
        return f"([{self.cased}][{self.ignorable}]*){SIGMA}({after})"


@lru_cache
def _code_points() -> tuple[Bools, ...]:
    """Return whether each code point is of each class, by the order of the flags."""
    flags, _ = _native.code_points()
    flags = flags.copy()
    flags[SURROGATES] = 0
    return tuple((flags & 2**i) != 0 for i in range(8))


def letters(escape: Escape, *, is_cut: bool) -> Letters:
    """The classes of a recipe; `is_cut`: words of scripts without spaces are cut into n-grams."""
    word, mark, emoji, space, cased, ignorable, _, unspaced = _code_points()
    cut = unspaced & ~emoji if is_cut else np.zeros_like(word)
    flag = _of(0x1F1E6, 0x1F1FF)
    hangul = np.logical_or.reduce([_of(*block) for block in HANGUL_BLOCKS]) & word
    classes = {
        "word": word & ~emoji & ~cut,
        "unspaced": cut,
        "mark": mark,
        "emoji": emoji & ~flag,
        "flag": flag,
        "tone": _of(0x1F3FB, 0x1F3FF),
        "joiner": _of(0x200D, 0x200D),
        "hangul": hangul,
        "space": space,
        "cased": cased,
        "ignorable": ignorable,
    }
    return Letters(**{name: _ranges(members, escape) for name, members in classes.items()})


@lru_cache
def lower_case() -> tuple[str, str]:
    """The capital letters that are not ASCII, and their small ones; without Σ and İ."""
    _, lower = _native.code_points()
    every = np.flatnonzero(lower != np.arange(len(lower))).tolist()
    capitals = [c for c in every if c >= 0x80 and chr(c) not in (SIGMA, DOTTED_I)]
    return "".join(map(chr, capitals)), "".join(chr(int(lower[c])) for c in capitals)


def _of(first: int, last: int) -> Bools:
    members = np.zeros(0x110000, bool)
    members[first : last + 1] = True
    return members


def _ranges(members: Bools, escape: Escape) -> str:
    """The members of a class as ranges: a-z0-9"""
    edges = np.flatnonzero(np.diff(members, prepend=False, append=False)).reshape(-1, 2)
    ends = ((first, last - 1) for first, last in edges.tolist())
    return "".join(escape(a) if a == b else f"{escape(a)}-{escape(b)}" for a, b in ends)

"""Which encoding of Korean, Japanese or Chinese some bytes have that are not UTF-8.

Nearly any bytes can be read in nearly any encoding. What gives one away is that all of them can be
read, and that most letters are common ones of the language: a curly quote of cp1252 and the letter
after it are a syllable of cp949 too, but one that hardly any word has.
"""

import codecs
from collections.abc import Callable
from functools import lru_cache

MOST = 0.9  # of the letters: a Chinese text that is read as Korean has about 0.6
KANA = 0.25  # of the letters of a Japanese text, beside Chinese ones


@lru_cache(maxsize=2)
def eastern_encoding(text: bytes) -> tuple[str, str] | None:
    """Return the encoding of the lines that are not UTF-8, and what their letters are in it."""
    lines = b"\n".join(line for line in text.split(b"\n") if not can_be(line, "utf-8"))
    for name, letters, is_common, share in _ENCODINGS:
        found = [letter for letter in _letters(lines, name) if not letter.isascii()]
        if found and sum(map(is_common, found)) >= share * len(found):
            return name, letters
    return None


def can_be(text: bytes, encoding: str) -> bool:
    """Whether all bytes can be read in an encoding; the last letter may be cut."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(text)
    except UnicodeDecodeError:
        return False
    return True


def _letters(text: bytes, encoding: str) -> list[str]:
    if not can_be(text, encoding):
        return []
    return [each for each in text.decode(encoding, "ignore") if each.isalpha()]


def _is_kana(letter: str) -> bool:
    """Half-width kana are not counted: they are single bytes, which other encodings have too."""
    return "\u3041" <= letter <= "\u30fe"


def _is_common_hangul(letter: str) -> bool:
    return "\uac00" <= letter <= "\ud7a3" and bool(_encoded(letter, "euc_kr"))


def _is_common_chinese(letter: str) -> bool:
    """Whether it is among the 3,755 most used, which come first in GB 2312."""
    return b"\xb0" <= _encoded(letter, "gb2312")[:1] <= b"\xd7"


def _encoded(letter: str, encoding: str) -> bytes:
    code = letter.encode(encoding, "ignore")
    return code if len(code) == 2 else b""


_ENCODINGS: list[tuple[str, str, Callable[[str], bool], float]] = [  # the surest first
    ("cp932", "Japanese", _is_kana, KANA),
    ("euc_jp", "Japanese", _is_kana, KANA),
    ("cp949", "Korean", _is_common_hangul, MOST),
    ("gb18030", "Chinese", _is_common_chinese, MOST),
]

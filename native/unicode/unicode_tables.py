"""Write the kernel's Unicode tables from the `unicodedata` of this Python.

Run by CMake with the interpreter the wheel is built for, so that the kernel and that
interpreter's own `re`, `str.lower` and `str.split` agree on every code point.

    python unicode_tables.py > unicode_tables.inc
"""

import re
import sys
import unicodedata

WORD, MARK, EMOJI, SPACE, CASED, IGNORABLE, LOWERED, UNSPACED = 1, 2, 4, 8, 16, 32, 64, 128
ACCENTS = range(0x300, 0x370)  # the block of combining diacritical marks
# How the names of letters begin whose scripts put no spaces between words.
UNSPACED_NAMES = re.compile(
    "(CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|IDEOGRAPHIC|(HALFWIDTH )?(HIRAGANA|KATAKANA)|BOPOMOFO"
    "|THAI|LAO|KHMER|MYANMAR)[ -]"
)
LATIN_WITH = re.compile("(LATIN (?:SMALL|CAPITAL) LETTER [A-Z]) WITH (?!SMALL LETTER).*")
JOINERS = "\u200c\u200d"
NOT_EMOJI = "\ufffc\ufffd"  # object and character replacement: symbols by category only
BLOCK = 128


def is_cased(c: str) -> bool:
    """Whether `c` is cased and not case-ignorable: a capital sigma right after it is final."""
    return (" " + c + "\u03a3").lower().endswith("\u03c2")


def is_ignorable(c: str) -> bool:
    """Whether the final-sigma rule looks through `c`."""
    return ("a" + c + "\u03a3").lower().endswith("\u03c2") and not is_cased(c)


def is_unspaced(c: str) -> bool:
    """Whether `c` is a letter of a script without spaces; its digits are digits."""
    letter = unicodedata.category(c)[0] == "L" or unicodedata.category(c) == "Nl"
    return letter and bool(UNSPACED_NAMES.match(unicodedata.name(c, "")))


def unaccented(c: str) -> str:
    """The letter without its accents: é -> e, ø -> o; the letter itself where it has none."""
    base, *marks = unicodedata.normalize("NFD", c)
    if not all(ord(mark) in ACCENTS for mark in marks):
        return c
    # A stroke or a hook is part of the letter, and told by its name alone.
    latin = LATIN_WITH.fullmatch(unicodedata.name(base, ""))
    plain = unicodedata.lookup(latin[1]) if latin else base
    return plain if c.isalnum() and plain.isalnum() else c


def flags(c: str) -> int:
    """The class bits of one code point."""
    category = unicodedata.category(c)
    return (
        WORD * (c.isalnum() or c == "_")
        | MARK * (category[0] == "M" or c in JOINERS)
        | EMOJI * (category == "So" and c not in NOT_EMOJI)
        | SPACE * c.isspace()
        | CASED * is_cased(c)
        | IGNORABLE * is_ignorable(c)
        | LOWERED * (c.lower() != c)
        | UNSPACED * is_unspaced(c)
    )


def lower_delta(c: str) -> int:
    """How far the lower-case code point is from `c`; 0 where it has two (U+0130 only)."""
    lower = c.lower()
    return ord(lower) - ord(c) if len(lower) == 1 else 0


def two_stage(values: list[int]) -> tuple[list[int], list[int]]:
    """Split into blocks, keep each different block once: (block index, blocks end to end)."""
    seen: dict[tuple[int, ...], int] = {}
    index = [
        seen.setdefault(tuple(values[i : i + BLOCK]), len(seen))
        for i in range(0, len(values), BLOCK)
    ]
    return index, [v for block in seen for v in block]


def emit(ctype: str, name: str, values: list[int]) -> None:
    """Print a constant array."""
    print(f"inline constexpr {ctype} {name}[{len(values)}] = {{")
    for i in range(0, len(values), 32):
        print(",".join(map(str, values[i : i + 32])) + ",")
    print("};")


def main() -> None:
    """Print all tables."""
    every = [chr(i) for i in range(sys.maxunicode + 1)]
    longer = [c for c in every if len(c.lower()) > 1]
    if longer != ["\u0130"]:
        sys.exit(f"the kernel knows one lower-casing to two code points, this Python has {longer}")
    print(f"// Unicode {unicodedata.unidata_version}, written by unicode_tables.py")
    print(f'inline constexpr const char* kUnicodeVersion = "{unicodedata.unidata_version}";')
    index, blocks = two_stage([flags(c) for c in every])
    emit("uint16_t", "kFlagIndex", index)
    emit("uint8_t", "kFlagBlocks", blocks)
    index, blocks = two_stage([lower_delta(c) for c in every])
    emit("uint16_t", "kLowerIndex", index)
    emit("int32_t", "kLowerBlocks", blocks)
    index, blocks = two_stage([ord(unaccented(c)) - ord(c) for c in every])
    emit("uint16_t", "kUnaccentedIndex", index)
    emit("int32_t", "kUnaccentedBlocks", blocks)


if __name__ == "__main__":
    main()

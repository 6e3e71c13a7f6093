"""Write the kernel's Unicode tables, as this very Python sees Unicode.

Run by CMake with the interpreter the wheel is built for, so that the kernel and that
interpreter's own `re`, `str.lower` and `str.split` agree on every code point.

    python unicode_tables.py > unicode_tables.inc
"""

import sys
import unicodedata

WORD, MARK, EMOJI, SPACE, CASED, IGNORABLE, LOWERED = 1, 2, 4, 8, 16, 32, 64
JOINERS = "\u200c\u200d"
NOT_EMOJI = "\ufffc\ufffd"  # object and character replacement: symbols by category only
BLOCK = 128


def is_cased(c: str) -> bool:
    """Whether `c` is cased and not case-ignorable: a capital sigma right after it is final."""
    return (" " + c + "\u03a3").lower().endswith("\u03c2")


def is_ignorable(c: str) -> bool:
    """Whether the final-sigma rule looks through `c`."""
    return ("a" + c + "\u03a3").lower().endswith("\u03c2") and not is_cased(c)


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


if __name__ == "__main__":
    main()

"""Fingerprints in plain Python: BLAKE3 by its specification, and what a ledger knows a row by."""

import struct
from collections.abc import Callable, Iterator, Mapping

IV = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
START, END, PARENT, ROOT = 1, 2, 4, 8  # flags of a block

Words = tuple[int, ...]


def blake3(data: bytes) -> bytes:
    """The hash of 32 bytes (O'Connor, Aumasson, Neves and Wilcox-O'Hearn 2020, section 2)."""
    return struct.pack("<8I", *tree(data, 0, ROOT))


def tree(data: bytes, first: int, root: int) -> Words:
    """The hash of a part of the input, whose first chunk has the number given."""
    if len(data) <= 1024:
        return chunk(data, first, root)
    left = 1 << ((len(data) - 1) // 1024).bit_length() - 1  # chunks: a power of two
    both = tree(data[: 1024 * left], first, 0) + tree(data[1024 * left :], first + left, 0)
    return compressed(IV, both, 0, 64, PARENT | root)


def chunk(data: bytes, number: int, root: int) -> Words:
    """The hash of at most 1024 bytes."""
    state = IV
    last = max(0, len(data) - 1) // 64
    for i in range(last + 1):
        block = data[64 * i : 64 * i + 64]
        flags = START * (i == 0) | (END | root) * (i == last)
        words = struct.unpack("<16I", block.ljust(64, b"\0"))
        state = compressed(state, words, number, len(block), flags)
    return state


def compressed(state: Words, block: Words, number: int, size: int, flags: int) -> Words:
    """The state after one more block."""
    v = [*state, *IV[:4], number % 2**32, number >> 32, size, flags]
    for _ in range(7):
        for i, places in enumerate(COLUMNS + DIAGONALS):
            mix(v, *places, block[2 * i], block[2 * i + 1])
        block = tuple(block[i] for i in ORDER)
    return tuple(low ^ high for low, high in zip(v[:8], v[8:], strict=True))


def mix(v: list[int], a: int, b: int, c: int, d: int, x: int, y: int) -> None:
    """The quarter round, on four words of the state."""
    for word, turn, back in ((x, 16, 12), (y, 8, 7)):
        v[a] = (v[a] + v[b] + word) % 2**32
        v[d] = rotated(v[d] ^ v[a], turn)
        v[c] = (v[c] + v[d]) % 2**32
        v[b] = rotated(v[b] ^ v[c], back)


def rotated(word: int, n: int) -> int:
    return word >> n | word << 32 - n & 2**32 - 1


def row_fingerprint(
    row: Mapping[str, str | float | None], hashed: Callable[[bytes], bytes]
) -> bytes:
    """The fingerprint of a row: hashed with each column's name and value, by name."""
    size = len(hashed(b""))
    found = bytes(size)
    for name in sorted(row):
        found = hashed(b"".join((found, hashed(name.encode()), *_value(row[name], hashed, size))))
    return found


def _value(
    value: str | float | None, hashed: Callable[[bytes], bytes], size: int
) -> Iterator[bytes]:
    if value is None:
        yield b"\xff" * size
    elif isinstance(value, str):
        yield hashed(value.encode())
    else:
        yield struct.pack("<d", value + 0.0).ljust(size, b"\0")

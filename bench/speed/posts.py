"""A CSV file of any size with texts like those of blogs, generated from a seed.

    python -m bench.speed.posts FILE --size 1GB

Words come by Zipf's law: the r-th most frequent one in proportion to 1/r up to rank 8,000, and to
1/r^1.8 after it, so that the vocabulary grows without an end (Heaps' law: 1.0 million distinct
words in 1 GB, 2.5 million in 5 GB). Texts have 200 words on average and up to 20,000, with
sentences, commas, doubled quotes, line breaks and letters that are not ASCII. A small file is the
beginning of a large one.
"""

import argparse
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from string import ascii_lowercase

import numpy as np

WORDS = 1 << 20  # drawn at a time
BEND, TAIL = 8_000, 1.8  # the rank after which words are rarer, and the exponent there
RANKS = 1 << 24
OWN = 0.1  # of the words, those by which classes differ
MEDIAN, SPREAD, SHORTEST, LONGEST = 110, 1.1, 5, 20_000  # of the words in a text
GAPS = [" ", ", ", ". ", "! ", "... ", ".\n\n", ' ""', '"" ', " – ", "'s "]
SHARES = [0.868, 0.05, 0.05, 0.006, 0.003, 0.006, 0.004, 0.004, 0.004, 0.005]
STOPS = np.isin(range(len(GAPS)), [2, 3, 4, 5])  # gaps before a capital letter
LABELS = [a + b for a in ascii_lowercase for b in ascii_lowercase]
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def write_posts(path: Path, size: int, *, classes: int = 2, seed: int = 7) -> Path:
    """Write rows of text and label until the next one would exceed so many bytes."""
    with open(path, "wb") as file:
        done = file.write(b"text,label\n")
        for rows in _rows(classes, seed):
            if done + len(rows) > size:
                file.write(rows[: rows.rfind(b'\n"', 0, size - done) + 1])
                break
            done += file.write(rows)
    return path


def _rows(classes: int, seed: int) -> Iterator[bytes]:
    """CSV rows, about five million bytes at a time."""
    # A row ends with the quote that opens the next.
    gaps = _letters([*GAPS, *(f'.",{label}\n"' for label in LABELS[:classes])])
    capital = np.append(STOPS, np.ones(classes, bool))  # after a gap
    for part in count():
        rng = np.random.default_rng([seed, part])
        lengths = _lengths(rng)
        of_text = rng.integers(classes, size=len(lengths))
        ranks = _ranks(rng, np.repeat(of_text, lengths), classes)
        gap = rng.choice(len(GAPS), size=len(ranks), p=SHARES)
        gap[np.cumsum(lengths) - 1] = len(GAPS) + of_text
        words = np.hstack([spelled(ranks), gaps[gap]])
        words[np.append(True, capital[gap[:-1]]), 0] -= 32
        yield b'"' + words.tobytes().translate(None, b"\0")[:-1]


def _lengths(rng: np.random.Generator) -> np.ndarray:
    """Words of each text."""
    drawn = np.exp(rng.normal(np.log(MEDIAN), SPREAD, size=WORDS // 200))
    return np.clip(drawn, SHORTEST, LONGEST).astype(np.int64)


def _ranks(rng: np.random.Generator, of_class: np.ndarray, classes: int) -> np.ndarray:
    """The rank of each word among all words, from 0; some are moved to one that its class has."""
    head, tail = np.log(BEND) + np.euler_gamma, 1 / (TAIL - 1)
    u = rng.random(len(of_class)) * (head + tail)
    with np.errstate(over="ignore"):
        common = np.exp(u * (np.log(BEND) / head))
        rare = BEND * np.maximum(1e-9, (head + tail - u) / tail) ** (-1 / (TAIL - 1))
    ranks = np.minimum(np.where(u < head, common, rare), RANKS).astype(np.int64) - 1
    own = ranks // classes * classes + of_class
    return np.where(rng.random(len(ranks), dtype=np.float32) < OWN, own, ranks)


def spelled(ranks: np.ndarray) -> np.ndarray:
    """A row of letters for each rank, 0 where there is none: 0 -> 'bab', 1234 -> 'juséda'."""
    letters = np.zeros((len(ranks), 10), np.uint8)
    left = ranks.astype(np.int64)
    for column in (0, 4, 6, 8):
        digit = left % 100
        letters[:, column : column + 2] = SYLLABLES[np.where(left >= 0, digit, 100)]
        left = left // 100 - 1
        left[left < 0] = -1
    letters[:, 2:4] = THIRD[ranks * 7919 % len(THIRD)]
    return letters


def _letters(texts: list[str]) -> np.ndarray:
    """Texts in UTF-8, filled with zeros."""
    raw = np.array([text.encode() for text in texts])
    return raw.view(np.uint8).reshape(len(texts), -1)


SYLLABLES = _letters([c + v for c in "bcdfghjklmnprstvwyzq" for v in "aeiou"] + ["\0\0"])
THIRD = _letters([*"bcdfghjklmnprstvwyz" * 5, "é", "ü"])


def parsed_size(text: str) -> int:
    """'1.5GB' -> 1500000000"""
    for unit, bytes_ in UNITS.items():
        if text.upper().endswith(unit):
            return int(float(text[: -len(unit)]) * bytes_)
    raise argparse.ArgumentTypeError(f"expected a size such as 200MB or 1GB, got {text!r}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.posts", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--size", type=parsed_size, default="1GB", help="such as 200MB (1GB)")
    parser.add_argument("--classes", type=int, default=2, help="how many labels, up to 676 (2)")
    parser.add_argument("--seed", type=int, default=7, help="another seed, other texts (7)")
    args = parser.parse_args()
    write_posts(args.file, args.size, classes=args.classes, seed=args.seed)


if __name__ == "__main__":
    main()

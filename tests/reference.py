"""The kernel in plain Python: what tokenising, counting and scoring mean, speed left aside.

    text --features--> list of str --count--> Counts --joint--> log P(d|c)P(c) --posterior--> P(c|d)

Scores are exact fractions up to the logarithm, so that the oracle's own rounding is no question.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from reference_fingerprints import blake3
from reference_words import Recipe, Text, hangul_only, normal, repaired, tokens, unaccented

Label = Hashable
Number = float | Fraction
Prior = str | Mapping[Label, Number] | None
SparseCounts = dict[tuple[str, Label], int]

UNIT = 2**24  # a weight of 1.0; counts are whole numbers of units, so they add and subtract exactly

K0, K1 = 0x9FB21C651E98DF25, 0xFF51AFD7ED558CCD
K2, K3 = 0xC4CEB9FE1A85EC53, 0xD6E8FEB86659FD93


def fold(a: int, b: int) -> int:
    """The two halves of the 128-bit product, xored."""
    return (a * b % 2**64) ^ (a * b >> 64)


def keeping_fold(a: int, b: int) -> int:
    """The fold, xored with both numbers: a zero wipes out nothing."""
    return fold(a, b) ^ a ^ b


def hash64(data: bytes, seed: int, fold: Callable[[int, int], int] = fold) -> int:
    """A 64-bit hash of the bytes."""
    h = seed ^ fold(len(data) ^ K0, K3)
    for start in range(0, len(data), 16):
        block = data[start : start + 16].ljust(16, b"\0")
        a, b = int.from_bytes(block[:8], "little"), int.from_bytes(block[8:], "little")
        h = fold(a ^ K1, b ^ h ^ K0)
    return fold(h ^ K2, len(data) ^ K3)


def fingerprint(text: Text, kind: str = "first") -> int | bytes:
    """The hash that stands for a document."""
    data = repaired(text).encode()
    if kind == "strong":
        return blake3(data)[:16]
    return hash64(data, 2, fold if kind == "first" else keeping_fold)


def ngram_hash(words: Sequence[str]) -> int:
    """The hash of a word n-gram: that of its first word, with each next one folded in."""
    return reduce(lambda h, last: fold(h ^ K2, last ^ K0), (hash64(w.encode(), 0) for w in words))


def bucket(h: int, buckets: int) -> str:
    """The name of the bucket, one of so many, that a hash falls in."""
    return f"#{h * buckets >> 64:08x}"


def char_ngrams(text: str, lo: int, hi: int) -> list[str]:
    """The character n-grams of each word between spaces: "ab", 2, 3 -> " a", "ab", "b ", ..."""
    grams = []
    for word in (f" {word} " for word in text.split()):
        for n in range(lo, hi + 1):
            grams += [word[i : i + n] for i in range(max(1, len(word) - n + 1))]
            if len(word) <= n:  # the word itself, once: a larger n would give it again
                break
    return grams


def features(text: Text, recipe: Recipe) -> list[str]:
    """The features in order: word n-grams, then character n-grams; bucket names if in buckets."""
    text, only_chars = repaired(text), recipe.preset == "chars"
    words, (lo, hi) = tokens(text, recipe), recipe.ngrams or (1, 1)
    runs = [words[i : i + n] for n in range(lo, hi + 1) for i in range(len(words) - n + 1)]
    sizes = recipe.chars or ((2, 4) if only_chars else None)
    plain = normal(text, recipe).lower() if recipe.lowercase else normal(text, recipe)
    plain = unaccented(plain) if recipe.strip_accents else plain
    chars = char_ngrams(plain, *sizes) if sizes else []
    if recipe.hangul:
        chars = char_ngrams(hangul_only(plain), *recipe.hangul)
    if recipe.buckets:
        hashes = [ngram_hash(run) for run in runs] + [hash64(g.encode(), 1) for g in chars]
        return [bucket(h, recipe.buckets) for h in hashes]
    tab = "" if only_chars else "\t"  # keeps the n-gram "no" apart from the word "no"
    return [" ".join(run) for run in runs] + [tab + gram for gram in chars]


def counted(text: Text, recipe: Recipe) -> list[str]:
    """The features that count: each one once if the recipe is binary."""
    found = features(text, recipe)
    return list(dict.fromkeys(found)) if recipe.binary else found


@dataclass(frozen=True)
class Counts:
    """All that is learned, in units: the documents of each class c, and count(w, c)."""

    docs: dict[Label, int]
    cells: SparseCounts


def sums(cells: SparseCounts, side: int) -> Counter[Any]:
    """The sums of count(w, c): T_w over the classes (side 0) or N_c over the features (side 1)."""
    total: Counter[Any] = Counter()
    for key, n in cells.items():
        total[key[side]] += n
    return total


def units(weight: float) -> int:
    """A document's weight in units."""
    whole = round(weight * UNIT)
    if weight < 0 or whole == 0 < weight:
        raise ValueError(f"weight {weight} cannot be counted: give 0, or {1 / UNIT} or more")
    return whole


def count(
    texts: Iterable[Text],
    labels: Iterable[Label],
    recipe: Recipe,
    weights: Iterable[float] | None = None,
) -> Counts:
    """The counts of labelled documents; a class or a feature without a count does not exist."""
    texts = list(texts)
    loads = [UNIT] * len(texts) if weights is None else map(units, weights)
    docs: Counter[Label] = Counter()
    cells: Counter[tuple[str, Label]] = Counter()
    for text, c, load in zip(texts, labels, loads, strict=True):
        docs[c] += load
        for w in counted(text, recipe):
            cells[w, c] += load
    return Counts(dict(+docs), dict(+cells))


def view(counts: Counts, recipe: Recipe) -> Counts:
    """The counts without the features that min_count and stop_words=k leave out."""
    T = sums(counts.cells, 0)
    dropped = {w for w in T if recipe.min_count > 1 and T[w] < recipe.min_count * UNIT}
    if isinstance(recipe.stop_words, int) and recipe.preset != "chars":
        if recipe.buckets:
            raise ValueError("stop_words=k cannot tell words in buckets: give the words instead")
        single = [w for w in T if " " not in w and not w.startswith("\t")]
        dropped.update(sorted(single, key=lambda w: (-T[w], w.encode()))[: recipe.stop_words])
    return Counts(counts.docs, {k: n for k, n in counts.cells.items() if k[0] not in dropped})


def factors(
    counts: Counts, text: Text, recipe: Recipe, event: str, alpha: Number
) -> dict[Label, list[Fraction]]:
    """The factors of P(d|c) for each class c; for `complement` those of P(d|all classes but c)."""
    if event in ("binary", "bernoulli") and not recipe.binary:
        raise ValueError(f"{event} sees a word once per document: count with Recipe(binary=True)")
    seen, a = view(counts, recipe), Fraction(alpha) * UNIT
    n, D, T, N = Counter(seen.cells), seen.docs, sums(seen.cells, 0), sums(seen.cells, 1)
    V, tokens_of_all = len(T), sum(N.values())
    known = [w for w in counted(text, recipe) if w in T]
    present = set(known)
    match event:
        case "multinomial" | "binary":
            parts = {c: [n[w, c] for w in known] for c in D}
            whole = {c: N[c] + a * V for c in D}
        case "complement":
            parts = {c: [T[w] - n[w, c] for w in known] for c in D}
            whole = {c: tokens_of_all - N[c] + a * V for c in D}
        case "bernoulli":
            parts = {c: [n[w, c] if w in present else D[c] - n[w, c] for w in T] for c in D}
            whole = {c: D[c] + 2 * a for c in D}
        case _:
            raise ValueError(f"unknown event model {event!r}")
    # 0/0 is 0: what was never seen has probability 0, in a class of empty documents as well.
    return {c: [(k + a) / whole[c] if k + a else Fraction(0) for k in parts[c]] for c in D}


def surprise(counts: Counts, recipe: Recipe, event: str, alpha: float) -> float:
    """The log loss of every counted word by the counts that are left without that one word.

    For `complement` by those of each other class's complement; for `bernoulli` of every word of
    the vocabulary in each document, there or not.
    """
    seen = view(counts, recipe)
    n, D, T, N = Counter(seen.cells), seen.docs, sums(seen.cells, 0), sums(seen.cells, 1)
    match event:
        case "bernoulli":
            rows = [(part, D[c], 2) for c in D for w in T for part in (n[w, c], D[c] - n[w, c])]
        case "complement":
            rows = [(T[w] - n[w, c], sum(N.values()) - N[c], len(T)) for c in D for w in T]
        case _:
            rows = [(n[w, c], N[c], len(T)) for w, c in n]
    a, one = Fraction(alpha), Fraction(1)
    rest = lambda m, outcomes: max(Fraction(m, UNIT) - one, 0) + a * outcomes  # noqa: E731
    # log(x / y) as log(1 + (x - y) / y) from whole numbers: exact, however near to 0.
    return math.fsum(
        part / UNIT * math.log1p((rest(whole, outcomes) - rest(part, 1)) / rest(part, 1))
        for part, whole, outcomes in rows
        if part
    )


def priors(counts: Counts, prior: Prior = None) -> dict[Label, Fraction]:
    """P(c) of each class: its share of the documents, equal shares, or what the user gives."""
    docs, total = counts.docs, sum(counts.docs.values())
    if prior is None or prior == "empirical":
        return {c: Fraction(docs[c], total) for c in docs}
    if prior == "uniform":
        return {c: Fraction(1, len(docs)) for c in docs}
    assert not isinstance(prior, str), prior
    return {c: Fraction(prior[c]) for c in docs}


def log(p: Fraction) -> float:
    """log p, and -inf for 0; from two whole numbers, so that even the smallest p has one."""
    return math.log(p.numerator) - math.log(p.denominator) if p else -math.inf


def joint(
    counts: Counts, text: Text, recipe: Recipe, event: str, alpha: Number, prior: Prior = None
) -> dict[Label, float]:
    """log P(d|c)P(c) of each class, -inf where it is impossible; the prior is empirical if None.

    For `complement` -log P(d|all classes but c), and log P(c) is added only if a prior is given.
    """
    if event == "complement" and prior is None:
        prior = dict.fromkeys(counts.docs, 1)
    P, likelihood = priors(counts, prior), factors(counts, text, recipe, event, alpha)
    logs = (complement_logs if event == "complement" else sum_of_logs)(likelihood)
    return {c: log(P[c]) + logs[c] if P[c] else -math.inf for c in P}


def sum_of_logs(likelihood: Mapping[Label, list[Fraction]]) -> dict[Label, float]:
    """The log of each class's product of factors."""
    return {c: math.fsum(map(log, likelihood[c])) for c in likelihood}


def complement_logs(likelihood: Mapping[Label, list[Fraction]]) -> dict[Label, float]:
    """The negative logs; with alpha = 0 a word of one class only rules the others out."""
    alone = {c: factors.count(0) for c, factors in likelihood.items()}  # no other class has it
    possible = sum_of_logs({c: [p for p in factors if p] for c, factors in likelihood.items()})
    return {c: -possible[c] if sum(alone.values()) == alone[c] else -math.inf for c in likelihood}


def joint_fraction(
    counts: Counts, text: Text, recipe: Recipe, event: str, alpha: Number, prior: Prior = None
) -> dict[Label, Fraction]:
    """P(d|c)P(c) of each class, exactly; `complement` has no such thing."""
    if event == "complement":
        raise ValueError("complement scores are not probabilities: use joint")
    P, likelihood = priors(counts, prior), factors(counts, text, recipe, event, alpha)
    return {c: math.prod(likelihood[c], start=P[c]) for c in P}


def posterior(
    joint: Mapping[Label, float], prior: Mapping[Label, Number] | None = None
) -> dict[Label, float]:
    """P(c|d) of each class; the prior (equal shares if None) where every class is impossible."""
    top = max(joint.values(), default=0.0)
    # Equal scores need no subtraction, which would be NaN for infinite ones.
    share = {c: 1.0 if score == top else math.exp(score - top) for c, score in joint.items()}
    if top == -math.inf and prior:
        share = {c: float(prior[c]) for c in joint}
    whole = math.fsum(share.values())
    return {c: s / whole for c, s in share.items()}


def moments(
    X: Any, classes: Sequence[int], units: Sequence[int] | None, n_classes: int
) -> list[list[tuple[int, ...]]]:
    """(n, s1, s2) of each class in each column: sums of w, w x and w x**2, as whole numbers."""
    sums = [[[Fraction()] * 3 for _ in range(X.shape[1])] for _ in range(n_classes)]
    for i, row in enumerate(X.tolist()):
        w = UNIT if units is None else int(units[i])
        for column, x in enumerate(row):
            if x == x:
                cell, x = sums[classes[i]][column], Fraction(x)
                cell[:] = cell[0] + w, cell[1] + w * x * 2**1074, cell[2] + w * x**2 * 2**2148
    return [[tuple(map(int, cell)) for cell in row] for row in sums]

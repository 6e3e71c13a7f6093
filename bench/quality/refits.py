"""Leave-one-out in closed form against training the plain reference again for each document."""

import argparse
import functools
import math
import sys
import time
from pathlib import Path

import numpy as np

import nabi
from bench.quality.sets import DATA
from bench.speed.corpus import read_csv
from bench.speed.output import progress
from nabi.judging import crossval

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
import reference


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.refits", description=__doc__)
    parser.add_argument("--set", default="sms_spam", help="sms_spam, unless another is named")
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--most", type=int, default=None, metavar="N", help="the first N documents")
    args = parser.parse_args()
    corpus = read_csv(DATA / args.set / "all.csv.gz")
    texts, labels = corpus.texts[: args.most], corpus.labels[: args.most]
    start = time.perf_counter()
    found = crossval(nabi.TextClassifier(alpha=args.alpha), texts, labels)
    closed = time.perf_counter() - start
    start = time.perf_counter()
    largest = difference(found.log_proba, texts, labels, args.alpha)
    seconds = time.perf_counter() - start
    print(f"{len(texts):,} documents of {args.set}, multinomial, alpha {args.alpha:g}")
    print(f"refits of the reference {seconds:.1f} s, closed form {closed:.3f} s")
    print(f"largest difference of a log P(c|d): {largest:.3g}")


def difference(logs: np.ndarray, texts: list[str], labels: list[str], alpha: float) -> float:
    """The largest difference of a log P(c|d) from what a refit on all others gives."""
    recipe = reference.Recipe()
    reference.counted = functools.cache(reference.counted)  # the words of a text stay what they are
    largest = 0.0
    for i, text in enumerate(texts):
        progress(f"{i:,} of {len(texts):,}")
        counts = reference.count(texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :], recipe)
        joint = reference.joint(counts, text, recipe, "multinomial", alpha)
        shift = max(joint.values())
        total = shift + math.log(math.fsum(math.exp(j - shift) for j in joint.values()))
        refit = np.array([joint[c] - total for c in sorted(joint)])
        largest = max(largest, float(np.abs(refit - logs[i]).max()))
    progress("")
    return largest


if __name__ == "__main__":
    main()

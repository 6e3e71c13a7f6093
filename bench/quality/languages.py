"""What the recipe's options for languages bring and cost, on texts that were not learned."""

import argparse
import random
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nabi
from bench.quality.sets import DATA, split
from bench.speed.corpus import Corpus

MOST = 20_000  # texts of a set, to learn and to be tested on
CHARS = {"features": "chars"}
ENGLISH = {"stem": "english"}
WAYS: Mapping[str, list[dict[str, Any]]] = {
    "nsmc": [
        {"hangul": None},
        {},
        CHARS,
        {"chars": (2, 4)},
        {"korean": True},
        {"korean": True, "ngrams": (1, 2)},
    ],
    "lingua_sentences": [
        *({"unspaced": None}, {}, {"unspaced": (2, 2)}),
        *({"strip_accents": True}, {"normalize": "NFKC"}, CHARS, {"chars": (2, 4)}),
    ],
    "mr": [
        *({}, ENGLISH, {"stop_words": "english"}, {**ENGLISH, "stop_words": "english"}),
        *({"ngrams": (1, 2)}, {**ENGLISH, "ngrams": (1, 2)}),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.languages", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the sets")
    parser.add_argument("--set", choices=WAYS, action="append", help="all, unless some are named")
    args = parser.parse_args()
    print(
        "| set | options | accuracy | features | learn, s | predict, s |\n|---|---|---|---|---|---|"
    )
    for name in args.set or WAYS:
        learned, tested = (sample(name, corpus) for corpus in split(name, args.data))
        for options in WAYS[name]:
            if options.get("korean") and find_spec("kiwipiepy") is None:
                continue
            print(f"| {name} | {shown(options)} | {row(options, learned, tested)} |", flush=True)


def sample(name: str, corpus: Corpus) -> Corpus:
    """The texts, or as many of them as take a minute: nsmc has 200,000."""
    if name != "nsmc":
        return corpus
    places = random.Random(0).sample(range(len(corpus.texts)), MOST)
    return Corpus([corpus.texts[i] for i in places], [corpus.labels[i] for i in places])


def shown(options: Mapping[str, Any]) -> str:
    """The options as they are typed."""
    return ", ".join(f"`{name}={value!r}`" for name, value in options.items()) or "none"


def row(options: Mapping[str, Any], learned: Corpus, tested: Corpus) -> str:
    """The accuracy, the size of the vocabulary and the seconds."""
    start = time.perf_counter()
    model = nabi.TextClassifier(**options).fit(learned.texts, learned.labels)
    middle = time.perf_counter()
    accuracy = model.score(tested.texts, tested.labels)
    end = time.perf_counter()
    return f"{accuracy:.4f} | {model.n_features_:,} | {middle - start:.2f} | {end - middle:.2f}"


if __name__ == "__main__":
    main()

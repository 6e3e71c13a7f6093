"""10,000 classes, 200,000 words, 500,000 short texts: time and memory to train and predict."""

import argparse
import time

import nabi
from bench.speed import memory
from bench.speed.corpus import Corpus, generated
from bench.speed.output import Figures, add_json_option, progress, save, say, table

CLASSES, VOCABULARY, TEXTS, WORDS = 10_000, 200_000, 500_000, 10


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.many_classes", description=__doc__)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="this part of the classes, words and texts (1)"
    )
    parser.add_argument("--quick", action="store_true", help="the same as --scale 0.02")
    parser.add_argument("--threads", type=int, help="by default all")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    corpus = texts_of(0.02 if args.quick else args.scale)
    figures = measured(corpus, args.threads)
    say(page(figures), args.json)
    save(figures, args.json)


def texts_of(scale: float) -> Corpus:
    progress("generating the texts")
    return generated(
        texts=max(1, round(TEXTS * scale)),
        words=WORDS,
        classes=max(2, round(CLASSES * scale)),
        vocabulary=max(10, round(VOCABULARY * scale)),
    )


def measured(corpus: Corpus, threads: int | None) -> Figures:
    """The seconds of each step, and the peak of memory up to its end, texts included."""
    memory.reset_peak()
    steps = {"texts": {"s": 0.0, "peak_mb": memory.resident()}}
    model = nabi.TextClassifier(threads=threads)
    progress("training")
    start = time.perf_counter()
    model.fit(corpus.texts, corpus.labels)
    steps["train"] = {"s": time.perf_counter() - start, "peak_mb": memory.peak()}
    progress("predicting")
    start = time.perf_counter()
    found = model.predict(corpus.texts)
    steps["predict"] = {"s": time.perf_counter() - start, "peak_mb": memory.peak()}
    right = sum(a == b for a, b in zip(found.tolist(), corpus.labels, strict=True))
    return {
        "classes": len(model.classes_),
        "words": model.n_features_,
        "texts": len(corpus.texts),
        "mb": corpus.megabytes,
        "accuracy": right / len(corpus.texts),
        "steps": steps,
    }


def page(figures: Figures) -> str:
    n, mb = figures["texts"], figures["mb"]
    rows = [["many classes", "seconds", "MB/s", "us a text", "peak MB"]]
    for name, step in figures["steps"].items():
        speed = ["", "", ""]
        if step["s"]:
            speed = [f"{step['s']:.2f}", f"{mb / step['s']:.1f}", f"{step['s'] / n * 1e6:.1f}"]
        rows.append([name, *speed, f"{step['peak_mb']:.0f}"])
    dense = figures["classes"] * figures["words"] * 8 / 1e9
    return (
        f"{figures['classes']:,} classes, {figures['words']:,} words, {n:,} texts, {mb:.1f} MB; "
        f"accuracy on the same texts {figures['accuracy']:.3f}\n\n{table(rows)}\n\n"
        f"A dense table of weights would take {dense:.1f} GB."
    )


if __name__ == "__main__":
    main()

"""The figures of a race, as JSON has them and as a page has them."""

import platform
from importlib.metadata import PackageNotFoundError, version

from bench.speed.contenders import CORES, FastText
from bench.speed.corpus import Corpus
from bench.speed.output import Figures, table
from bench.speed.race import Entry, Seconds, accuracy

STEPS = ("train", "predict")
SPEED_HEAD = ("seconds", "CPU s", "MB/s", "x sklearn", "x wc -w")


def data_of(corpus: Corpus, test: Corpus) -> Figures:
    return {
        "texts": len(corpus.texts),
        "mb": corpus.megabytes,
        "classes": len(set(corpus.labels)),
        "test_texts": len(test.texts),
        "test_mb": test.megabytes,
    }


def machine() -> Figures:
    found: Figures = {"cores": CORES, "python": platform.python_version()}
    for package in ("numpy", "scikit-learn", "fasttext"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def result(entry: Entry, data: Figures, test: Corpus) -> Figures:
    return {
        "recipe": entry.recipe,
        "name": entry.one.name,
        "epochs": FastText.EPOCHS if isinstance(entry.one, FastText) else 1,
        "train": speed(entry.train, data["mb"]),
        "predict": speed(entry.predict, data["test_mb"]),
        "accuracy": accuracy(entry, test),
        "memory_mb": entry.memory,
        "memory_growth_mb": entry.memory["train"] - entry.memory["before"],
    }


def speed(seconds: Seconds, mb: float) -> Figures:
    return {"s": seconds.wall, "cpu_s": seconds.cpu, "mb_s": mb / seconds.wall}


def ratios(figures: Figures) -> Figures:
    """How many times as fast as each peer nabi is, by the clock and by the CPU's time.

    Memory: how many times as much it takes.
    """
    found: Figures = {}
    for ours in filter(_is_nabi, figures["results"]):
        peers = {
            one["name"]: _ratio(ours, one)
            for one in figures["results"]
            if one["recipe"] == ours["recipe"] and not _is_nabi(one)
        }
        peers["wc -w"] = {step: ours[step]["mb_s"] / figures["wc"]["mb_s"] for step in STEPS}
        found.setdefault(ours["recipe"], {})[ours["name"]] = peers
    return found


def _is_nabi(one: Figures) -> bool:
    return one["name"].startswith("nabi")


def _ratio(ours: Figures, peer: Figures) -> Figures:
    return {
        **{step: ours[step]["mb_s"] / peer[step]["mb_s"] for step in STEPS},
        **{f"{step}_cpu": peer[step]["cpu_s"] / ours[step]["cpu_s"] for step in STEPS},
        "memory_growth": ours["memory_growth_mb"] / peer["memory_growth_mb"],
    }


# ---- as a page ----


def page(figures: Figures) -> str:
    return "\n\n".join(
        [
            _head(figures),
            table(_train_rows(figures)),
            table(_predict_rows(figures)),
            _notes(figures),
        ]
    )


def _head(figures: Figures) -> str:
    data = figures["data"]
    other = "other" if data["test"] != data["train"] else "the same"
    return (
        f"{data['train']}\n"
        f"{data['texts']:,} texts, {data['mb']:.1f} MB, {data['classes']} classes to train; "
        f"{data['test_texts']:,} {other} texts, {data['test_mb']:.1f} MB to predict; "
        f"{figures['machine']['cores']} cores, best of {figures['best_of']}"
    )


def _train_rows(figures: Figures) -> list[list[str]]:
    rows = [["train", *SPEED_HEAD, "peak MB", "growth MB"]]
    for one in figures["results"]:
        memory = [f"{one['memory_mb']['train']:.0f}", f"{one['memory_growth_mb']:.0f}"]
        rows.append([*_speeds(figures, one, "train"), *memory])
    wc = figures["wc"]
    rows.append(["wc -w", f"{wc['s']:.3f}", f"{wc['cpu_s']:.3f}", f"{wc['mb_s']:.1f}", *[""] * 4])
    return rows


def _predict_rows(figures: Figures) -> list[list[str]]:
    rows = [["predict", *SPEED_HEAD, "accuracy"]]
    for one in figures["results"]:
        rows.append([*_speeds(figures, one, "predict"), f"{one['accuracy']:.4f}"])
    return rows


def _speeds(figures: Figures, one: Figures, step: str) -> list[str]:
    sklearn = _scikit_learn(figures, one["recipe"])[step]
    speed = one[step]["mb_s"]
    return [
        f"{one['recipe']}: {one['name']}",
        f"{one[step]['s']:.3f}",
        f"{one[step]['cpu_s']:.3f}",
        f"{speed:.1f}",
        f"{speed / sklearn['mb_s']:.1f}",
        f"{speed / figures['wc']['mb_s']:.2f}",
    ]


def _scikit_learn(figures: Figures, recipe: str) -> Figures:
    name = ("scikit-learn", recipe)
    return next(one for one in figures["results"] if (one["name"], one["recipe"]) == name)


def _notes(figures: Figures) -> str:
    n = figures["data"]["test_texts"]
    notes = [
        f"Preset `sklearn`, {recipe}: {n - unlike:,} of {n:,} predictions are scikit-learn's."
        for recipe, unlike in figures["predictions_unlike_scikit_learn"].items()
    ]
    if any(one["epochs"] > 1 for one in figures["results"]):
        notes.append(
            f"fastText reads the texts {FastText.EPOCHS} times, and predicts on one thread."
        )
    notes.append("nabi's prediction includes the weights, which the others work out in training.")
    notes.append("Memory is that of training in a fresh process; growth is over the loaded texts.")
    return "\n".join(notes)

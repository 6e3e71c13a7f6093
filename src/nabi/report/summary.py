"""Summary of the numbers in plain sentences, and advice what to do next."""

from collections.abc import Iterator
from typing import Any

Data = dict[str, Any]


def sentences(data: Data) -> list[str]:
    """Say how good the model is, where it fails, and whether its probabilities can be trusted."""
    return [
        *_judged(data),
        *_against_baseline(data),
        *_classes(data),
        *_confused(data),
        *_sure(data),
    ]


def _judged(data: Data) -> Iterator[str]:
    n, classes = data["judged"], len(data["classes"])
    yield (
        f"{_count(n, 'text')} of {_count(classes, 'class')} {_were(n)} judged{data['way']}; "
        f"{data['totals']['right']:,} {_were(data['totals']['right'])} given the right label."
    )
    unknown = data["totals"]["unknown"]
    if unknown:
        yield (
            f"{_count(unknown, 'text')} {_are(unknown)} of a class that the model never learned: "
            f"these count as errors."
        )


def _against_baseline(data: Data) -> Iterator[str]:
    totals = data["totals"]
    accuracy, low, high = totals["accuracy"]
    largest = _quoted(data, totals["largest"])
    base = totals["baseline"]
    yield (
        f"Accuracy is {_share(accuracy)} (likely from {_share(low)} to {_share(high)}); always "
        f"saying {largest}, the most frequent class, would give {_share(base)}."
    )
    if len(data["classes"]) > 1 and low <= base:
        yield "That is no clear gain over saying the same thing every time."


def _classes(data: Data) -> Iterator[str]:
    ranked = by_f1(data)
    if len(ranked) < 2:
        return
    best, worst = ranked[-1], ranked[0]
    yield (
        f"It does best on {_quoted(data, best)} ({_f1_of(data, best)}) and worst on "
        f"{_quoted(data, worst)} ({_f1_of(data, worst)}); the mean over all classes is "
        f"{_share(data['totals']['macro_f1'][0])}."
    )


def by_f1(data: Data) -> list[int]:
    """The classes that have texts, the worst first."""
    some = [c for c, row in enumerate(data["classes"]) if row["support"]]
    return sorted(some, key=lambda c: _f1(data, c))


def _f1(data: Data, c: int) -> float:
    value: float = data["classes"][c]["f1"][0]
    return value


def _f1_of(data: Data, c: int) -> str:
    return f"F1\N{NO-BREAK SPACE}{_share(_f1(data, c))}"


def _confused(data: Data) -> Iterator[str]:
    pair = most_confused(data)
    if pair is None:
        yield "Not one text was given a wrong label."
        return
    a, b, there, back = pair
    first = f"{_quoted(data, a)} and {_quoted(data, b)} are confused most: "
    yield (
        f"{first if len(data['classes']) > 2 else ''}{_count(there, 'text')} of "
        f"{_quoted(data, b)} {_were(there)} said to be {_quoted(data, a)}, and {back:,} the other "
        f"way round."
    )


def most_confused(data: Data) -> tuple[int, int, int, int] | None:
    """(a, b, b called a, a called b): the two classes most often taken for each other."""
    wrong = {(cell["said"], cell["gold"]): cell["count"] for cell in data["cells"]}
    wrong = {pair: n for pair, n in wrong.items() if pair[0] != pair[1]}
    if not wrong:
        return None
    a, b = max(wrong, key=lambda pair: (wrong[pair] + wrong.get(pair[::-1], 0), wrong[pair]))
    return a, b, wrong[a, b], wrong.get((b, a), 0)


def _sure(data: Data) -> Iterator[str]:
    totals, after = data["totals"], data["reliability"]["after"]
    if totals["log_loss"] is None:
        return
    if after is not None and not data["held_out"]:  # the model has it: what it says is after
        yield _claim("Calibrated, it claims on average", after, totals["accuracy"][0])
        yield (
            f"Without its calibration it would claim {_share(totals['confidence'])} (log loss "
            f"{totals['log_loss']:.3f}, calibration error {_share(totals['calibration_error'])})."
        )
        return
    yield _claim("On average it claims", totals, totals["accuracy"][0])
    if after is not None:
        yield (
            f"Calibrated, it claims {_share(after['confidence'])}: the log loss goes from "
            f"{totals['log_loss']:.3f} to {after['log_loss']:.3f}, the calibration error from "
            f"{_share(totals['calibration_error'])} to {_share(after['calibration_error'])}."
        )


def _claim(start: str, found: Data, accuracy: float) -> str:
    """Say how sure it is, and how often it is right."""
    apart = found["confidence"] - accuracy
    how = "too sure of itself" if apart > 0.02 else "not sure enough" if apart < -0.02 else ""
    return (
        f"{start} to be {_share(found['confidence'])} sure and is right {_share(accuracy)} of the "
        f"time: {f'it is {how}' if how else 'its probabilities can be taken at their word'} "
        f"(log loss {found['log_loss']:.3f}, calibration error "
        f"{_share(found['calibration_error'])})."
    )


# ---- what to do next ----


def advice(data: Data) -> list[Data]:
    """Return what a person should do next, each with the section that shows why."""
    steps = [_no_gain, _unlearned, _doubtful, _pair, _rare, _overconfident, _curve]
    found = [step(data) for step in steps]
    return [step for step in found if step] or [
        _step("Nothing stands out. Try it on texts from another day or place.", "summary")
    ]


def _step(text: str, section: str) -> Data:
    return {"text": text, "section": section}


def _no_gain(data: Data) -> Data | None:
    totals = data["totals"]
    if len(data["classes"]) < 2 or totals["accuracy"][1] > totals["baseline"]:
        return None
    return _step(
        "Before anything else, find out whether the texts say anything about the labels: read some "
        "of each class, and see that text and label are the right columns.",
        "matrix",
    )


def _unlearned(data: Data) -> Data | None:
    missing = [c for c, row in enumerate(data["classes"]) if not row["learned"]]
    if not missing:
        return None
    names = ", ".join(_quoted(data, c) for c in missing[:3])
    more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
    return _step(f"Give it texts of {names}{more} to learn: it knows none.", "classes")


def _doubtful(data: Data) -> Data | None:
    if not data["doubts"]["found"]:
        return None
    return _step(
        "Look through the labels that are doubted most: a wrong one costs twice, in learning and "
        "in judging.",
        "doubts",
    )


def _pair(data: Data) -> Data | None:
    pair = most_confused(data)
    if pair is None or len(data["classes"]) < 3:
        return None
    a, b, there, back = pair
    wrong = data["judged"] - data["totals"]["right"]
    return _step(
        f"Read what {_quoted(data, a)} and {_quoted(data, b)} are confused on: they make up "
        f"{_share((there + back) / wrong)} of all mistakes. Can a person tell them apart? If not, "
        f"make them one class.",
        "matrix",
    )


def _rare(data: Data) -> Data | None:
    worst = [c for c in by_f1(data) if data["classes"][c]["learned"]][:1]
    learned = [row["learned"] for row in data["classes"] if row["learned"]]
    if not worst or len(learned) < 2:
        return None
    own = data["classes"][worst[0]]["learned"]
    if own >= sum(learned) / len(learned) / 2:
        return None
    return _step(
        f"Find more texts of {_quoted(data, worst[0])}: it has learned {own:,.0f}, and "
        f"{sum(learned) / len(learned):,.0f} of a class on average.",
        "classes",
    )


def _overconfident(data: Data) -> Data | None:
    error, after = data["totals"]["calibration_error"], data["reliability"]["after"]
    if error <= 0.05 or (after is not None and not data["held_out"]):
        return None
    if after is not None:
        return _step(
            f"Calibrate it before you act on its probabilities: they are off by {_share(error)} on "
            f"average, and would be off by {_share(after['calibration_error'])}.",
            "reliability",
        )
    return _step(
        "Trust which class it says more than how sure it is: its probabilities are off by "
        f"{_share(error)} on average. Calibrate them before you act on them.",
        "reliability",
    )


def _curve(data: Data) -> Data | None:
    points, way = data["learning"]["points"], data["learning"]["way"]
    if len(points) < 2:
        return None
    before, after = (points[0], points[-1]) if way == "more" else points[-2:]
    gain = after[1] - before[1]
    if way == "more":
        return _teach(before, after) if gain > 0.005 else None
    if after[1] > 0.99:
        return None
    if gain > 0.005:
        return _step(
            f"Collect more labelled texts: going from {before[0]:,} to {after[0]:,} gained "
            f"{_points(gain)}, and as many again may gain about half of that.",
            "learning",
        )
    return _step(
        f"Do not expect much of more texts of this kind: going from {before[0]:,} to "
        f"{after[0]:,} gained {_points(gain)}. Pairs of words, or other features, may do more.",
        "learning",
    )


def _teach(before: list[float], after: list[float]) -> Data:
    return _step(
        f"Let it learn more texts like these: {after[0] - before[0]:,} of them gained "
        f"{_points(after[1] - before[1])} on those that were left.",
        "learning",
    )


# ---- words and numbers ----


def _quoted(data: Data, c: int) -> str:
    return f"“{data['classes'][c]['name']}”"


def _share(value: float) -> str:
    """0.8414 -> '84.1 %', with a space that a line does not break at."""
    return f"{100 * value:.1f}\N{NO-BREAK SPACE}%"


def _points(value: float) -> str:
    """0.013 -> '1.3 points of accuracy'"""
    return f"{100 * value:.1f} points of accuracy"


def _count(n: float, noun: str) -> str:
    """(1, 'text') -> '1 text'"""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{n:,} {noun if n == 1 else plural}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"

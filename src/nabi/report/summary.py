"""Summary of the numbers in plain sentences, and advice what to do next."""

from collections.abc import Iterator
from typing import Any

Data = dict[str, Any]
OFF = 0.05  # calibration errors above it are told of


def sentences(data: Data) -> list[str]:
    """Say how good the model is, where it fails, and whether its probabilities can be trusted."""
    steps = (_learned, _judged, _classes, _confused, _sure)
    return [sentence for step in steps for sentence in step(data)]


def _learned(data: Data) -> Iterator[str]:
    if data["learned"]:
        yield data["learned"]


def _judged(data: Data) -> Iterator[str]:
    n, classes, totals = data["judged"], len(data["classes"]), data["totals"]
    yield (
        f"{_count(n, data['noun'])} of {_count(classes, 'class')} {_were(n)} judged{data['way']}; "
        f"{totals['right']:,} {_were(totals['right'])} given the right label."
    )
    if totals["unknown"]:
        yield (
            f"{_count(totals['unknown'], data['noun'])} "
            f"{'is' if totals['unknown'] == 1 else 'are'} of a class that the model never learned: "
            f"these count as errors."
        )
    accuracy, low, high = map(_share, totals["accuracy"])
    yield (
        f"Accuracy is {accuracy} (likely from {low} to {high}); always saying "
        f"{_quoted(data, totals['largest'])}, the most frequent class, would give "
        f"{_share(totals['baseline'])}."
    )
    if data["thresholds"]:
        yield (
            "The model has thresholds of its own, which this page leaves aside: each text has its "
            "most probable label here."
        )
    if _no_clear_gain(data):
        yield "That is no clear gain over saying the same thing every time."


def _no_clear_gain(data: Data) -> bool:
    totals = data["totals"]
    return len(data["classes"]) > 1 and totals["accuracy"][1] <= totals["baseline"]


def _classes(data: Data) -> Iterator[str]:
    ranked = _by_f1(data)
    shares = [_share(data["classes"][c]["f1"][0]) for c in ranked]
    if len(ranked) > 1 and shares[0] == shares[-1]:
        yield f"It does equally well on all classes (F1\N{NO-BREAK SPACE}{shares[0]})."
    elif len(ranked) > 1:
        worst, best = (
            f"{_quoted(data, ranked[i])} (F1\N{NO-BREAK SPACE}{shares[i]})" for i in (0, -1)
        )
        yield (
            f"It does best on {best} and worst on {worst}; the mean over all classes is "
            f"{_share(data['totals']['macro_f1'][0])}."
        )


def _by_f1(data: Data) -> list[int]:
    """The classes that have texts, the worst first."""
    some = [c for c, row in enumerate(data["classes"]) if row["support"]]
    return sorted(some, key=lambda c: data["classes"][c]["f1"][0])


def _confused(data: Data) -> Iterator[str]:
    pair = _most_confused(data)
    if pair is None:
        yield f"Not one {data['noun']} was given a wrong label."
        return
    one, other, there, back = pair
    first = f"{one} and {other} are confused most: " if len(data["classes"]) > 2 else ""
    yield (
        f"{first}{_count(there, data['noun'])} of {other} {_were(there)} predicted to be {one}, "
        f"and {back:,} the other way round."
    )


def _most_confused(data: Data) -> tuple[str, str, int, int] | None:
    """(a, b, b called a, a called b): the two classes most often taken for each other."""
    count = {(cell["predicted"], cell["actual"]): cell["count"] for cell in data["cells"]}
    wrong = [pair for pair in count if pair[0] != pair[1]]
    if not wrong:
        return None
    a, b = max(wrong, key=lambda pair: (count[pair] + count.get(pair[::-1], 0), count[pair]))
    return _quoted(data, a), _quoted(data, b), count[a, b], count.get((b, a), 0)


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
    how = "its probabilities can be taken at their word"
    if found["calibration_error"] > OFF:
        how = "that fits on the whole, but not at each probability"
    if abs(apart) > 0.02:
        how = f"it is {'too sure of itself' if apart > 0 else 'not sure enough'}"
    return (
        f"{start} to be {_share(found['confidence'])} sure and is right {_share(accuracy)} of the "
        f"time: {how} (log loss {found['log_loss']:.3f}, calibration error "
        f"{_share(found['calibration_error'])})."
    )


# ---- what to do next ----

Steps = Iterator[tuple[str, str]]  # a text, and the section that shows why


def advice(data: Data) -> list[Data]:
    """Return what a person should do next, each with the section that shows why."""
    found = [step for advise in ADVICE for step in advise(data)] or [
        (f"Nothing stands out. Try it on {data['noun']}s from another day or place.", "summary")
    ]
    return [{"text": text, "section": section} for text, section in found]


def _wrong_data(data: Data) -> Steps:
    if _no_clear_gain(data):
        yield (
            f"Before anything else, find out whether the {data['noun']}s say anything about the "
            f"labels: read some of each class, and see that the right columns were learned.",
            "matrix",
        )
    missing = [c for c, row in enumerate(data["classes"]) if not row["learned"]]
    if missing:
        names = ", ".join(_quoted(data, c) for c in missing[:3])
        more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
        yield f"Give it {data['noun']}s of {names}{more} to learn: it knows none.", "classes"
    if data["doubts"]["found"]:
        yield (
            "Look through the labels that are doubted most: a wrong one costs twice, in learning "
            "and in judging.",
            "doubts",
        )


def _pair(data: Data) -> Steps:
    pair = _most_confused(data)
    if pair is not None and len(data["classes"]) > 2:
        one, other, there, back = pair
        share = (there + back) / (data["judged"] - data["totals"]["right"])
        yield (
            f"Read what {one} and {other} are confused on: they make up {_share(share)} of all "
            f"mistakes. Can a person tell them apart? If not, make them one class.",
            "matrix",
        )


def _rare(data: Data) -> Steps:
    worst = [c for c in _by_f1(data) if data["classes"][c]["learned"]][:1]
    learned = [row["learned"] for row in data["classes"] if row["learned"]]
    if not worst or len(learned) < 2:
        return
    own, mean = data["classes"][worst[0]]["learned"], sum(learned) / len(learned)
    if own < mean / 2:
        yield (
            f"Find more {data['noun']}s of {_quoted(data, worst[0])}: it has learned {own:,.0f}, "
            f"and {mean:,.0f} of a class on average.",
            "classes",
        )


def _overconfident(data: Data) -> Steps:
    error, after = data["totals"]["calibration_error"], data["reliability"]["after"]
    if error <= OFF or (after is not None and not data["held_out"]):
        return
    text = (
        f"Trust which class it says more than how sure it is: its probabilities are off by "
        f"{_share(error)} on average."
    )
    text += " Calibrate them before you act on them." if data["calibrates"] else ""
    if after is not None:
        text = (
            f"Calibrate it before you act on its probabilities: they are off by {_share(error)} on "
            f"average, and would be off by {_share(after['calibration_error'])}."
        )
    yield text, "reliability"


def _curve(data: Data) -> Steps:
    if data["learning"] is None or len(data["learning"]["points"]) < 2:
        return
    points, more = data["learning"]["points"], data["learning"]["way"] == "more"
    before, after = (points[0], points[-1]) if more else points[-2:]
    gain = after[1] - before[1]
    gained = f"gained {100 * gain:.1f} points of accuracy"
    if round(100 * gain, 1) <= 0:
        gained = "did not make it more accurate"
    going = f"going from {before[0]:,} to {after[0]:,} {gained}"
    if more and gain > 0.005:
        yield (
            f"Let it learn more {data['noun']}s like these: {after[0] - before[0]:,} of them "
            f"{gained} on those that were left.",
            "learning",
        )
    elif not more and after[1] <= 0.99:
        text = (
            f"Collect more labelled {data['noun']}s: {going}, and as many again may gain about "
            f"half of that."
        )
        if gain <= 0.005:
            table = data["noun"] == "row"
            others = "Other columns" if table else "Pairs of words, or other features,"
            text = (
                f"Do not expect much of more {data['noun']}s of this kind: {going}. {others} may "
                f"do more."
            )
        yield text, "learning"


ADVICE = (_wrong_data, _pair, _rare, _overconfident, _curve)


# ---- words and numbers ----


def _quoted(data: Data, c: int) -> str:
    return f"“{data['classes'][c]['name']}”"


def _share(value: float) -> str:
    """0.8414 -> '84.1 %', with a space that a line does not break at."""
    return f"{100 * value:.1f}\N{NO-BREAK SPACE}%"


def _count(n: float, noun: str) -> str:
    """(1, 'text') -> '1 text'"""
    ending = "" if n == 1 else "es" if noun.endswith("s") else "s"
    return f"{n:,} {noun}{ending}"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"

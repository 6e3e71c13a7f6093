"""Print how good a new model is, and whether a calibration is still in use."""

from collections.abc import Mapping
from typing import Any

from nabi.cli.show import screen

RENEW = "nabi calibrate MODEL DATA"
CALIBRATED = {
    "none": "no",
    "fresh": "yes",
    "stale": f"no longer, since the model changed. Run `{RENEW}`.",
}


def show_score(result: Mapping[str, Any]) -> None:
    """Print what `Score` found: accuracy beside the largest class, and the calibration."""
    noun = "rows" if "columns" in result else "texts"
    if "score" in result:
        score = result["score"]
        rate = screen.with_interval("accuracy", score["accuracy"], score["accuracy_interval"])
        base = score["majority"]
        always = f"always {base['class']} {base['accuracy']:.4f}"
        screen.say(f"{rate}, macro F1 {score['macro_f1']:.4f}; {always}", f"  {_on(score, noun)}")
        show_copies(score.get("copies", 0))
        if score.get("not_a_test"):
            screen.say(f"  {score['not_a_test']}")
    if "unscored" in result:
        screen.say(f"not judged: {result['unscored']}", "  --test FILE judges on other data")
    if result.get("calibration"):
        show_gain(result["calibration"], noun[:-1])
    if "uncalibrated" in result:
        screen.say(f"not calibrated: {result['uncalibrated']}")


def show_gain(found: Mapping[str, Any], noun: str) -> None:
    """Print how a model was calibrated, and what its log loss has become by that."""
    way, losses = found["way"], found["log_losses"]
    gain = f"log loss {losses['none']:.4f} -> {losses[way]:.4f}"
    none = "the probabilities are right as they are"
    screen.say(f"calibrated: {none}" if way == "none" else f"calibrated ({way}): {gain}")
    show_impossible(found, noun)


def show_impossible(found: Mapping[str, Any], noun: str) -> None:
    """Say where uncalibrated scores cost so much that their log loss would tell nothing."""
    if number := found.get("impossible", 0):
        some = screen.how_many(number, noun)
        screen.say(
            f"  uncalibrated, their own class has probability 0 (below 2e-16) for {some}, each of "
            f"which counts as 36: is a class too small?"
        )


def show_copies(number: int) -> None:
    """Say that figures are too good, where many texts are copies of others."""
    if number:
        screen.say(
            f"  too good: {number:,} of them are copies of others, which the model has learned; "
            f"`nabi suspects DATA --duplicates` lists them"
        )


def _on(score: Mapping[str, Any], noun: str) -> str:
    """Return a phrase on the documents that figures were measured on."""
    if score["way"] == "test":
        return f"on {score['texts']:,} {noun} of {score['file']}: {screen.rows_line(score)}"
    if score["way"] == "neighbours":
        some = "" if score["texts"] == score["of"] else f"a sample of {score['texts']:,} of "
        each = f"each of {some}{score['of']:,} {noun}"
        return f"leave one out: {each} by its neighbours among the others"
    if score["way"] != "leave one out":
        return f"{score['way']}: each of {score['of']:,} {noun} by a model of the other folds"
    if score["texts"] == score["of"]:
        return f"leave one out: each of {score['of']:,} {noun} by the model without it"
    some = f"on a sample of {score['texts']:,} of {score['of']:,} {noun}"
    return f"leave one out, {some}, each by the model without it"


def calibration_facts(model: Any) -> dict[str, Any]:
    """Return the state of a model's calibration, and of an aged one how much has changed since."""
    state = model.calibration_state
    age = {"calibration_age": model.calibration_age} if state == "aged" else {}
    return {"calibration": state, **age}


def show_calibration(facts: Mapping[str, Any], path: str, noun: str = "texts") -> None:
    """Print a line if the calibration of a model file is not that of its counts any more."""
    if facts["calibration"] in ("aged", "stale"):
        name = "calibration" if facts["calibration"] == "aged" else "calibrated"
        screen.say(f"{name}: {calibration_line(facts, noun).replace('MODEL', path)}")


def calibration_line(facts: Mapping[str, Any], noun: str = "texts") -> str:
    """`fitted to 10,000 texts, 120 learned since; still in use. Renew: ...`"""
    if facts["calibration"] != "aged":
        return CALIBRATED[facts["calibration"]]
    age = {what: screen.as_count(n) for what, n in facts["calibration_age"].items() if n}
    since = " and ".join(f"{age[what]} {what}" for what in ("learned", "forgotten") if what in age)
    changed = f"{since or 'some replaced or renamed'} since"
    return f"fitted to {age['texts']} {noun}, {changed}; still in use. Renew: {RENEW}"

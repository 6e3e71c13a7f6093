"""Print how good a new model is, and whether a calibration is still in use."""

from collections.abc import Mapping
from typing import Any

from nabi.cli.show import screen

CALIBRATED = {
    "none": "no",
    "fresh": "yes",
    "stale": "no longer, since the model changed. Run `nabi calibrate MODEL DATA`.",
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
    if "unscored" in result:
        screen.say(f"not judged: {result['unscored']}", "  --test FILE judges on other data")
    if "calibration" in result:
        way, losses = result["calibration"]["way"], result["calibration"]["log_losses"]
        screen.say(f"calibrated ({way}): log loss {losses['none']:.4f} -> {losses[way]:.4f}")
    if "uncalibrated" in result:
        screen.say(f"not calibrated: {result['uncalibrated']}")


def _on(score: Mapping[str, Any], noun: str) -> str:
    """What the figures were measured on."""
    if score["way"] == "test":
        return f"on {score['texts']:,} {noun} of {score['file']}: {screen.rows_line(score)}"
    if score["texts"] == score["of"]:
        return f"leave one out: each of {score['of']:,} {noun} by the model without it"
    some = f"on a sample of {score['texts']:,} of {score['of']:,} {noun}"
    return f"leave one out, {some}, each by the model without it"


def calibration_line(state: str, age: Mapping[str, float], noun: str = "text") -> str:
    """`fitted to 10,000 texts, 120 learned since; still in use. Renew: nabi calibrate ...`"""
    if state != "aged":
        return CALIBRATED[state]
    since = [
        f"{screen.as_count(age[what])} {what}" for what in ("learned", "forgotten") if age[what]
    ]
    changed = f"{' and '.join(since)} since" if since else "others or other classes since"
    fitted = f"fitted to {screen.as_count(age['texts'])} {noun}s"
    return f"{fitted}, {changed}; still in use. Renew: nabi calibrate MODEL DATA"

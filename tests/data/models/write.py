"""Write a small model file of every kind, and beside them what each answers.

    python tests/data/models/write.py FOLDER

The files in this folder were written once, by the version that README.md names, and stay as they
are: tests load them with every later version. A new kind of model adds files; it changes none.
"""

import contextlib
import io
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import nabi
from nabi.cli import main
from nabi.metrics import Decision
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet
from nabi.scoring.calibrating.fit import Fitted
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import ClassNumbers

REVIEWS = {
    "good": [
        "A good film, and a fine cast",
        "What a fine and funny evening!",
        "I liked the music and the quiet end",
        "good good good, see it twice",
        "Not bad at all: the cast is funny",
        "Fine music, fine pictures, a good plot",
        "좋은 영화, 다시 보고 싶다",
        "Café scenes that I liked 😀",
    ],
    "bad": [
        "A bad film with a dull cast",
        "What a dull and endless evening",
        "I did not like the music",
        "bad bad bad, do not see it",
        "Not good: the plot is dull",
        "No music, no plot, a bad end",
        "나쁜 영화, 지루한 이야기",
        "The café scenes never end 😞",
    ],
    "mixed": [
        "A good cast in a dull film",
        "The start is bad and the end is good",
        "Fine pictures, but no plot",
        "funny at times, dull at times",
    ],
}
TEXTS = [text for texts in REVIEWS.values() for text in texts]
LABELS = [label for label, texts in REVIEWS.items() for _ in texts]
TWO = TEXTS[:16], LABELS[:16]
WEIGHTS = [1 + i % 4 / 2 for i in range(len(TEXTS))]
ASKED = [
    "a fine film with good music",
    "dull, dull, dull",
    "I did not like the café",
    "영화 이야기",
    "nothing known here?",
    "",
]

COLUMNS = {
    "note": "text",
    "city": "categorical",
    "height": "gaussian",
    "pay": "lognormal",
    "visits": "poisson",
    "wait": "histogram",
    "member": "bernoulli",
    "id": "ignore",
}
CITIES = ["rome", "oslo", "서울"]


def row(i):
    """A made-up guest, with a value missing here and there."""
    guest = {
        "note": TEXTS[i % len(TEXTS)],
        "city": CITIES[i * i % 3],
        "height": 1.5 + 0.07 * (i % 7),
        "pay": 900.0 * 1.2 ** (i % 9),
        "visits": i * 5 % 8,
        "wait": 2.5 * (i % 6) - 3,
        "member": i % 3 == 0,
        "id": i,
    }
    gone = [*COLUMNS][i % len(COLUMNS)]
    return {**guest, gone: None} if i % 4 == 1 else guest


ROWS = [row(i) for i in range(24)]
GUESTS = ["stays" if i % 3 == 0 or i % 5 == 1 else "leaves" for i in range(24)]
NEW_ROWS = [row(30), row(31), {**row(33), "city": "lima", "note": None}, dict.fromkeys(COLUMNS)]
ASKED_ROWS = [{name: new[name] for name in COLUMNS if name != "id"} for new in NEW_ROWS]

RULES = """# Rules by hand
praise: fine or "good good" or in "praise.txt"

praise and not dull -> good
no near/3 plot or /end(less|ed)/ -> bad
dull -> bad, mixed
"""
LISTS = {"praise.txt": "# words of praise\nlovely\nwell done\n"}


def text(*, data=(TEXTS, LABELS), sample_weight=None, **options):
    return nabi.TextClassifier(**options).fit(*data, sample_weight=sample_weight)


def table(*, sample_weight=None, **options):
    return nabi.TableClassifier(COLUMNS, **options).fit(ROWS, GUESTS, sample_weight=sample_weight)


def linear(model, *, data=TWO, **options):
    return nabi.LinearClassifier(model, **options).fit(*data)


def neighbours(**options):
    return nabi.NeighboursClassifier(**options).fit(TEXTS, LABELS)


def pruned(model, **options):
    return nabi.PrunedClassifier.of(model, **options)


def rules(**options):
    return RuleSet.parse(RULES, lists=LISTS, file="reviews.rules", **options)


def ruled(model, **options):
    return RuledClassifier(model, rules(), **options).count(TEXTS, LABELS)


def calibrated(**options):
    return text(**options).calibrate(TEXTS, LABELS)


def of_classes(model):
    """The model with a calibration of numbers for each class, one of which has a curve."""
    curve = ClassNumbers(1.2, 0.1, (-1.0, 0.0, 2.0), (-2.0, -2.0, 1.5))
    classes = (ClassNumbers(0.8, -0.5), curve, ClassNumbers())[: len(model.classes_)]
    calibration = Calibration(-0.7, 0.4, classes=classes)
    return model.calibrate_with(Fitted(calibration, {}, (np.empty((0, 0)), np.empty(0)), []))


def models():
    """(name, model) of every file."""
    yield "text-auto", text()
    yield "text-multinomial", text(event="multinomial", alpha=1.0)
    yield "text-binary", text(event="binary", alpha=0.5)
    yield "text-bernoulli", text(event="bernoulli", alpha=0.1)
    yield "text-complement", text(event="complement", alpha=1.0)
    yield "text-alpha-0", text(alpha=0.0, data=TWO)
    yield "text-calibrated", calibrated()
    yield "text-calibrated-apart", text(alpha=0.3).calibrate(*TWO, learned=False)
    yield "text-calibration-stale", calibrated().partial_fit(["one more good film"], ["good"])
    yield "text-no-ledger", text(ledger=False)
    yield "text-weights", text(sample_weight=WEIGHTS)
    yield "text-buckets", text(buckets=64)
    yield "text-chars", text(features="chars")
    yield "text-words-and-chars", text(chars=(2, 3), data=TWO)
    yield "text-ngrams", text(ngrams=(1, 2), min_count=2)
    yield "text-tweets-negation", text(features="tweets", negation=True)
    yield "text-sklearn", text(features="sklearn", lowercase=False)
    yield "text-stop-words", text(stop_words=["a", "the", "and"])
    yield "text-stop-count", text(stop_words=3)
    yield "text-languages", text(strip_accents=True, normalize="NFKC", unspaced=(2, 2))
    yield "text-stem", text(stem="english", data=TWO)
    yield "text-keep", text(keep=12)
    yield "text-selected", text().select(10, by="mutual_info")
    yield "text-prior-mapping", text(prior={"good": 0.5, "bad": 0.25, "mixed": 0.25})
    yield "text-prior-list", text(prior=[0.2, 0.3, 0.5])
    yield "text-prior-uniform", text(prior="uniform")
    numbers = {"good": 5, "bad": -1, "mixed": 3}
    yield "text-integer-labels", text(data=(TEXTS, [numbers[label] for label in LABELS]))
    yield "text-bool-labels", text(data=(TWO[0], [label == "good" for label in TWO[1]]))
    yield "text-real-labels", text(data=(TEXTS, [numbers[label] / 2 for label in LABELS]))
    yield "text-one-class", text(data=(TEXTS[:8], LABELS[:8]))
    yield "text-no-words", text(data=(["", "!"], ["good", "bad"]))

    yield "text-hangul", text()
    yield "text-plain-ledger", text(sample_weight=WEIGHTS)
    yield "text-strong-ledger", text(ledger="strong", sample_weight=WEIGHTS)

    yield "table-all-columns", table()
    yield "table-missing-is-evidence", table(missing="evidence", alpha=0.5, ddof=1)
    yield "table-weights", table(sample_weight=[1 + i % 3 / 2 for i in range(24)])
    yield "table-no-ledger", table(ledger=False, prior="uniform")
    yield "table-plain-ledger", table()
    yield "table-strong-ledger", table(ledger="strong")
    yield "table-calibrated", table().calibrate(ROWS, GUESTS)

    for kind in ("svm", "logistic", "nbsvm", "nblr"):
        yield f"linear-{kind}", linear(kind)
    yield "linear-three-classes", linear("logistic", data=(TEXTS, LABELS), ngrams=(1, 1))
    yield "linear-options", linear("svm", C=0.5, sharpness=2.0, unit_length=False, buckets=64)

    yield "neighbours", neighbours(k=3)
    yield "neighbours-auto", neighbours(k="auto", weights="uniform")
    yield "neighbours-without-texts", neighbours(k=2, keep_texts=False)

    yield "pruned-text", pruned(text())
    yield "pruned-text-words", pruned(text(alpha=1.0), words=15, bits=16)
    yield "pruned-text-calibrated", pruned(calibrated(event="complement"))
    yield "pruned-bernoulli", pruned(text(event="bernoulli"), words=20)
    yield "pruned-linear", pruned(linear("nbsvm"))

    yield "rules", RulesClassifier(rules())
    yield "rules-default", RulesClassifier(rules(default="good", time_limit=0.5))
    yield "ruled-decides", ruled(text())
    yield "ruled-evidence", ruled(text(), how="evidence", alpha=0.5)
    yield "ruled-calibrated", ruled(calibrated())
    yield "ruled-linear", RuledClassifier(linear("nblr", data=(TEXTS, LABELS)), rules())

    decision = Decision({"good": 0.9}, not_sure="ask", confidence=0.5)
    yield "text-decision", text().decide_by(decision)
    yield "ruled-decision", ruled(text()).decide_by(decision)

    yield "text-calibrated-classes", of_classes(text())
    yield "text-classes-renamed", of_classes(text()).relabel({"bad": "poor"})
    yield "table-calibrated-classes", of_classes(table())
    yield "pruned-calibrated-classes", pruned(of_classes(text()))


def answers(model, asked):
    """What a model says of documents, as JSON holds it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nabi.StaleWarning)
        warnings.simplefilter("ignore", nabi.ImpossibleWarning)
        labels, proba = model.predict(asked), model.predict_proba(asked)
    return {
        "classes": model.classes_.tolist(),
        "labels": labels.tolist(),
        "proba": [[round(share, 9) for share in shares] for shares in proba.tolist()],
    }


def described(path):
    """What `nabi info --json` says of a file, except for its name and the version that says it."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(["info", str(path), "--json"])
    told = json.loads(out.getvalue())
    return {key: value for key, value in told.items() if key not in ("file", "nabi")}


def write(folder):
    """Write the files, and `answers.json` beside them: a line for each."""
    found = {"texts": ASKED, "rows": ASKED_ROWS}
    for name, model in models():
        path = folder / f"{name}.nabi"
        model.save(path)
        asked = ASKED_ROWS if name.startswith("table") else ASKED
        found[name] = {**answers(model, asked), "info": described(path)}
    lines = (f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())
    (folder / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

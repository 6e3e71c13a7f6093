"""Options of `train` that say how its model is judged and calibrated, and what they ask for."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from click import UsageError

from nabi.base.labels import CodedLabels, encode
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.model import Choice
from nabi.cli.options.source import LabelledTexts
from nabi.errors import InputError
from nabi.models.counting import CountingModel
from nabi.models.neighbours import NeighboursClassifier
from nabi.models.sample import DocumentSample
from nabi.readers import Reader
from nabi.scoring.unseen import LEAST, UnseenScores

if TYPE_CHECKING:
    from nabi.metrics import ConfusionMatrix


@dataclass(frozen=True)
class Score:
    """Options of judging and calibrating a model."""

    PANEL: ClassVar[str] = "How good it is"
    test: str | None = option(
        "Labelled data to judge the model on (default: each text by the model without it).",
        "FILE",
        first=True,
    )
    no_score: bool = flag("Do not judge the model.")
    no_calibrate: bool = flag(
        "Write counts alone; probabilities are then too sure (see `nabi calibrate`)."
    )

    def check(self, choice: Choice) -> None:
        """Refuse options that do not fit together."""
        if self.test is not None and self.no_score:
            raise UsageError("Only one of --test and --no-score.")
        if self.no_calibrate and not choice.counts:
            raise UsageError(
                "--no-calibrate is for --model nb without --best and --rules; leave it out."
            )

    def reader(self, source: LabelledTexts, output: str, *, table: bool) -> Reader | None:
        """Open the data to judge on, which are read as those to learn from are."""
        if self.test is None:
            return None
        if self.test == "-" and "-" in source.data:
            raise InputError("--test -: standard input is read as DATA; name a file")
        other = replace(source, data=[self.test], sql=None, rejects=None)
        beside = f"{output.removesuffix('.nabi')}.test.nabi"
        return other.reader(beside=beside, reads=source.data, writes=[output], table=table)

    def sample(self, model: Any, texts: Any = None, labels: Any = None) -> DocumentSample | None:
        """Return a sample of what a model learns or has learned; None if nobody will ask for it."""
        if not isinstance(model, CountingModel) or (self.no_calibrate and not self._is_own):
            return None
        sample = DocumentSample(model)
        if texts is not None:
            sample.add(texts, CodedLabels(*encode(labels)))
        return sample

    @property
    def _is_own(self) -> bool:
        """Whether the learned documents tell how good the model is."""
        return self.test is None and not self.no_score

    def found(
        self,
        model: Any,
        sample: DocumentSample | None,
        test: Reader | None,
        source: LabelledTexts,
        out: o.Summary,
    ) -> dict[str, Any]:
        """Judge a model and calibrate it; return `score` and `calibration`, or why there is none.

        Without --test it is judged by the documents that it has learned.
        """
        found = self._by_learned(model, sample, out)
        if test is not None:
            found["score"] = self._tested(model, test, source, out)
        return found

    def _by_learned(
        self, model: Any, sample: DocumentSample | None, out: o.Summary
    ) -> dict[str, Any]:
        """Judge a model by the documents that it has learned, and calibrate it."""
        if isinstance(model, NeighboursClassifier):
            return self._by_neighbours(model, out)
        if sample is None:
            return self._by_folds(model) if self._is_own else {}
        sample.shrink(len(model.classes_))
        if not len(sample):
            return {"unscored": f"the {model.noun}s are copies of a few"}
        from nabi.judging.learned import copies, leave_one_out

        start = time.perf_counter()
        with out.steps("judging") as step:
            step("judging", 0, 2)
            try:
                found = leave_one_out(model, sample.documents, sample.labels)
            except InputError as error:
                return {"unscored": str(error)}
            step("calibrating", 1, 2)
            result = {} if self.no_calibrate else _calibrated(model, found.unseen)
        if self._is_own:
            how = {"way": "leave one out", "texts": len(sample), "of": sample.total}
            how |= {"copies": copies(sample.documents)}
            seconds = {"seconds": round(time.perf_counter() - start, 3)}
            result["score"] = {**how, **figures(found.matrix(), model), **seconds}
        return result

    def _by_folds(self, model: Any) -> dict[str, Any]:
        """Judge a model by the folds that a linear model was fitted to; others do not tell."""
        if hasattr(model, "trials_"):  # which have told
            return {}
        if getattr(model, "left_out", None) is None:
            return {"unscored": f"a model of kind {model.kind} is not judged by its own texts"}
        texts = len(model.left_out[0])
        how = {"way": "3 folds", "texts": texts, "of": texts}
        return {"score": {**how, **figures(_matrix(model, model.left_out), model)}}

    def _by_neighbours(self, model: NeighboursClassifier, out: o.Summary) -> dict[str, Any]:
        """Calibrate and judge a model by its own texts, each by its neighbours among the others."""
        if len(model.classes_) < 2 or model.class_count_.sum() < LEAST:
            few = f"too few texts; at least {LEAST} of two classes are needed"
            return {"uncalibrated": few, **({"unscored": few} if self._is_own else {})}
        with out.steps("judging") as step:
            step("judging", 0, 1)
            found = model.sharpen()
        losses = {"none": found.loss, "temperature": found.sharpened}
        result: dict[str, Any] = {"calibration": {"way": "temperature", "log_losses": losses}}
        if self._is_own:
            how = {"way": "neighbours", "texts": len(found.actual)}
            how["of"] = int(model.class_count_.sum())
            result["score"] = {**how, **figures(_matrix(model, found), model)}
        return result

    def _tested(
        self, model: Any, reader: Reader, source: LabelledTexts, out: o.Summary
    ) -> dict[str, Any]:
        """Judge a model on the data of --test; return the figures and the rows."""
        from nabi.cli.data.judged import JudgedRows

        judged = JudgedRows(model, [], prior=None, for_report=False)
        judged.read(reader, source.text, out, "testing")
        found = judged.evaluation(None)
        how = {"way": "test", "file": self.test, "texts": len(judged.actual)}
        if judged.overlap is not None:
            how["not_a_test"] = judged.overlap.sentence(judged.correct(None))
        return {**how, **source.finish(reader), **figures(found.matrix, model)}


def _matrix(model: Any, left_out: Sequence[Any]) -> "ConfusionMatrix":
    """Return the confusion matrix of texts that were left out: actual and predicted classes."""
    from nabi.metrics import ConfusionMatrix

    labels = o.labels_of(model)
    actual, predicted = ([labels[i] for i in codes.tolist()] for codes in left_out[:2])
    return ConfusionMatrix.of(actual, predicted, labels=labels)


def _calibrated(model: CountingModel, unseen: UnseenScores) -> dict[str, Any]:
    """Calibrate a model from held-out scores where there are enough; return what was found."""
    if len(model.classes_) < 2:
        return {"uncalibrated": "one class alone is always certain"}
    if unseen.usable < LEAST:
        return {"uncalibrated": f"too few {model.noun}s; at least {LEAST} are needed"}
    found = unseen.fitted()
    model.calibrate_with(found, saves=True)
    return {"calibration": found.to_dict()}


def figures(matrix: "ConfusionMatrix", model: Any) -> dict[str, Any]:
    """Return accuracy, its interval and macro F1, and the accuracy of the most frequent class."""
    learned = o.class_counts(model)
    given = dict.fromkeys(learned, 0.0)
    given |= {str(row.label): row.support for row in matrix.per_class()}
    counts = learned if any(learned.values()) else given  # rules have learned none
    most = min(counts, key=lambda name: (-counts[name], name))
    return {
        "accuracy": matrix.accuracy,
        "accuracy_interval": [float(end) for end in matrix.accuracy_interval()],
        "macro_f1": matrix.average("macro").f,
        "majority": {"class": most, "accuracy": given[most] / sum(given.values())},
    }

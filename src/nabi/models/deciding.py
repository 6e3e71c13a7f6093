"""Deciding: thresholds that a model stores, and a label for what is not sure."""

from collections.abc import Callable
from typing import Self

from nabi.base.checks import check_type
from nabi.base.labels import Label
from nabi.base.locking import locked
from nabi.metrics.thresholds import Decision


class Deciding:
    """How `predict` decides, beside what a model has learned."""

    _decision_rule: Decision | None = None
    # The classes, if the model has learned some.
    _fitted: Callable[[], list[Label]]

    @property
    def decision(self) -> Decision | None:
        """How `predict` decides; None: on the most probable label. See `decide_by`."""
        return self._decision_rule

    @locked
    def decide_by(self, decision: Decision | None) -> Self:
        """Let `predict` decide by thresholds, and have a label for what is not sure.

        The decision is stored in the model's file. `fit` drops it; what is learned or forgotten
        later leaves it as it is. `explain` shows what is decided, and why where another class is
        more probable. Probabilities do not change, nor does `predict_numbers`, which tells the
        most probable class.

        Parameters
        ----------
        decision : nabi.metrics.Decision or None
            Thresholds of classes that the model knows; None for the most probable label.

        Examples
        --------
        >>> import nabi
        >>> from nabi.metrics import Decision
        >>> model = nabi.TextClassifier(alpha=1.0).fit(["good film", "bad film"], ["pos", "neg"])
        >>> model.decide_by(Decision({"pos": 0.9}, not_sure="ask")).predict(["good"]).tolist()
        ['ask']
        """
        labels = self._fitted()
        if decision is not None:
            check_type("decision", decision, Decision, "a nabi.metrics.Decision or None")
            decision.check(labels)
        self._decision_rule = decision
        return self

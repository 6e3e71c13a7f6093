"""Which model is best: tune, best, compare, by one race of all settings (successive halving)."""

from nabi.search.trial import Trial, choice_accuracy, choice_score

__all__ = ["Trial", "choice_accuracy", "choice_score"]

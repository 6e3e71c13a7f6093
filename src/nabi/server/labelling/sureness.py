"""Sureness: probabilities that mean what they say, once enough texts have labels.

Naive Bayes claims too much: "> 99.9 %" after a few labels. The scores of labelled texts by the
model without each of them tell by how much.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.models.calibration_state import AGED
from nabi.scoring.calibration import Calibration
from nabi.server.store.store import Store

LEAST = 100  # examples; of fewer no probability is told
MOST = 2000  # the newest examples, which are enough
MODEST = 2.0  # of n texts that were all right, the next is so with (n + 1) / (n + 2)


@dataclass(frozen=True)
class Sureness:
    """How log joints become probabilities: fitted to some texts, of a model of these classes."""

    calibration: Calibration
    labels: tuple[Label, ...]
    texts: int
    examples: int  # that the model had learned

    def proba(self, joint: Mapping[Label, float], known: float) -> dict[str, float]:
        """Return the probability of each class of a text with so many known words.

        None is surer than the texts behind it allow.
        """
        index = {label: i for i, label in enumerate(self.labels)}
        own = self.calibration.of_classes([index.get(label, -1) for label in joint])
        scores = np.array([list(joint.values())])
        (shares,) = np.exp(own.log_proba(scores, np.array([known])))
        blank = MODEST / (self.texts + MODEST)
        shares = (1.0 - blank) * shares + blank / len(shares)
        return dict(zip(map(str, joint), shares.tolist(), strict=True))

    def of(self, explanation: Any) -> dict[str, float]:
        """Return the probability of each class of the text of an explanation."""
        return self.proba(explanation.joint, sum(term.times for term in explanation.terms))

    def fits(self, classes: Mapping[str, int]) -> bool:
        """Whether the model is nearly the same now, by the number of examples of each class."""
        changed = abs(sum(classes.values()) - self.examples)
        return set(classes) == set(self.labels) and changed <= self.examples // (2 * AGED)


def sureness(store: Store, before: Sureness | None = None) -> Sureness | None:
    """Return the sureness of the model as it is now; None while there are too few examples.

    `before`: what was found before, which is kept while the model is nearly the same.
    """
    classes = store.status().classes
    if sum(classes.values()) < LEAST or len(classes) < 2:
        return None
    return before if before is not None and before.fits(classes) else _fitted(store, before)


def _fitted(store: Store, before: Sureness | None) -> Sureness | None:
    query = (
        "select entries.text, current.label from entries join current using (position) "
        f"where what = 'learn' and current.label is not null order by position desc limit {MOST}"
    )
    with store.view() as view, store.journal.reading() as sql:
        rows: list[Any] = sql.execute(query).fetchall()
        head = sql.execute("select max(position) from entries").get
        if head != view.position:  # the model is another: it learned more, or less
            return before
        model = view.model.reader()
        texts, labels = map(list, zip(*rows, strict=True))
        found = model.fitted_calibration(texts, labels).calibration
        examples = int(model.class_count_.sum())
        return Sureness(found, tuple(model.classes_.tolist()), len(rows), examples)

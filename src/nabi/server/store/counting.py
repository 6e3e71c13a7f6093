"""Counts that are read while they change: two copies, of which one is read and one is written.

Readers hold the front. The writer brings the back up to date and swaps the two; the old front gets
the same changes before the next swap. So a batch is counted once and added twice, and nobody waits
for a pass over the vocabulary.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Self

import xxhash

from nabi.base.labels import Label
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.events import multinomial
from nabi.models.one_text import OneText
from nabi.models.text import TextClassifier
from nabi.scoring.smoothing import AUTO, RunningTally, best_alpha

MANY = 1000  # texts that are worth more than one thread
PATIENCE = 0.02  # seconds for readers to leave the back; then it is theirs, and copied


class Recount:
    """Texts that the counts gain and lose, counted when they are first needed."""

    def __init__(self) -> None:
        self.gained: tuple[list[str], list[str]] = [], []  # texts and labels
        self.lost: tuple[list[str], list[str]] = [], []
        self._counted: dict[str, CountedBatch] = {}

    def extend(self, other: "Recount") -> None:
        """Add the texts of another recount, before any are counted."""
        for own, more in ((self.gained, other.gained), (self.lost, other.lost)):
            own[0].extend(more[0])
            own[1].extend(more[1])

    def apply(self, model: TextClassifier, tally: RunningTally | None) -> None:
        """Change the counts of a model: first what comes, so that what goes is there."""
        if self.gained[0]:
            self._change(model.counts, "learn", self._batch("gained", model), tally)
        if self.lost[0]:
            self._change(model.counts, "forget", self._batch("lost", model), tally)

    def _batch(self, which: str, model: TextClassifier) -> CountedBatch:
        """Return the texts of "gained" or "lost", counted once for both copies."""
        if which not in self._counted:
            texts, labels = getattr(self, which)
            threads, kind = 1 if len(texts) < MANY else None, model.counts.fingerprint
            self._counted[which] = CountedBatch(
                texts, labels, model.recipe, threads=threads, fingerprint=kind
            )
        return self._counted[which]

    @staticmethod
    def _change(counts: Counts, verb: str, batch: CountedBatch, tally: RunningTally | None) -> None:
        names = batch.table.names()
        before = None if tally is None else counts.find(*names).counts
        getattr(counts, verb)(batch)
        if tally is not None and before is not None:
            tally.change(before, counts.find(*names).counts)


class Delta:
    """Effects of a batch of changes on the counts, in order: recounts, and classes that move."""

    def __init__(self) -> None:
        self._steps: list[Recount | Mapping[str, str | None]] = []

    def move(self, text: str, old: str | None, new: str | None) -> None:
        """Count a text in another class; None: in none."""
        if old == new:
            return
        if not self._steps or not isinstance(self._steps[-1], Recount):
            self._steps.append(Recount())
        last: Any = self._steps[-1]
        for label, (texts, labels) in ((old, last.lost), (new, last.gained)):
            if label is not None:
                texts.append(text)
                labels.append(label)

    def rename(self, classes: Mapping[str, str | None]) -> None:
        """Rename, join or drop (None) classes."""
        self._steps.append(classes)

    def extend(self, other: "Delta") -> None:
        """Add the changes of another delta after these; recounts that meet become one."""
        for step in other._steps:
            last = self._steps[-1] if self._steps else None
            if isinstance(step, Recount) and isinstance(last, Recount):
                last.extend(step)
            else:
                self._steps.append(step)

    def applied(
        self, model: TextClassifier, tally: RunningTally | None = None
    ) -> tuple[TextClassifier, RunningTally | None]:
        """Return the model after the changes (this one or another) and the tally of its counts.

        The tally is None where it was not kept up to date.
        """
        for step in self._steps:
            if not isinstance(step, Recount):
                model, tally = _relabelled(model, step), None
            elif model.__sklearn_is_fitted__():
                step.apply(model, tally)
            else:
                model, tally = _first(model, step), None
        return model, tally


def _first(model: TextClassifier, step: Recount) -> TextClassifier:
    """Learn the first texts, of which some may go again."""
    model.partial_fit(*step.gained)
    if step.lost[0]:
        model.forget(*step.lost)
    return model


def _relabelled(model: TextClassifier, classes: Mapping[str, str | None]) -> TextClassifier:
    moved: dict[Label, Label | None] = dict(classes.items())
    left = {moved.get(label, label) for label in model.counts.labels}
    return blank(model) if left == {None} else model.relabel(moved)


def blank(model: TextClassifier) -> TextClassifier:
    """Return a model with the same parameters that has learned nothing."""
    return type(model)(**model.get_params())


def twin(model: TextClassifier) -> TextClassifier:
    """Return a model with the same parameters and counts of its own."""
    return sum([model]) if model.__sklearn_is_fitted__() else blank(model)  # type: ignore[return-value]


@dataclass(eq=False)
class Side:
    """One of the two copies."""

    model: TextClassifier
    position: int
    one_text: OneText | None = None  # of the model as it is
    readers: int = 0
    behind: list[Delta] = field(default_factory=list)  # changes that it has not got yet


class View:
    """The model at one position: it does not change while the view is held.

    A context manager: `with store.view() as view: view.model.predict(texts)`. To hold a view for
    long costs memory (a copy of the counts is made for the writer), never correctness.

    Attributes
    ----------
    position : int
        All changes up to here are counted, and none after.
    model : TextClassifier
        For reading only. Raises NotFittedError where nothing is learned. One call at a time;
        `model.reader()` is another model of the same counts, for a thread whose calls take long.
    one_text : OneText or None
        The same predictions for one short text at a time, where the model allows it.
    """

    __slots__ = ("_side", "_sides", "model", "one_text", "position")

    def __init__(self, sides: "Sides", side: Side) -> None:
        self._sides, self._side = sides, side
        self.model, self.position, self.one_text = side.model, side.position, side.one_text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._sides.leave(self._side)


class Sides:
    """The two copies of the counts. One thread writes; any thread reads."""

    def __init__(self, model: TextClassifier, position: int) -> None:
        self._front, self._back = Side(model, position), Side(twin(model), position)
        self._lock = threading.Lock()
        self._free = threading.Condition(self._lock)
        self._waiting: list[tuple[int, Future[int]]] = []
        self._tally: RunningTally | None = None
        if model.__sklearn_is_fitted__() and model.counts.in_memory:
            self._derive(model)  # what comes from a file has its alpha with it

    # ---- reading ----

    def view(self) -> View:
        """Return the front, which stays as it is until the view is left."""
        with self._lock:
            self._front.readers += 1
            return View(self, self._front)

    def leave(self, side: Side) -> None:
        """Let the writer have a side again."""
        with self._lock:
            side.readers -= 1
            if not side.readers and side is not self._front:
                self._free.notify_all()

    @property
    def position(self) -> int:
        """The position of the front."""
        return self._front.position

    def reached(self, position: int) -> "Future[int]":
        """Return a future of the position, done when it is at least this one."""
        future: Future[int] = Future()
        with self._free:
            now = self.position
            if now < position:
                waiting = [one for one in self._waiting if not one[1].cancelled()]
                self._waiting = [*waiting, (position, future)]
                return future
        future.set_result(now)
        return future

    # ---- writing, by one thread ----

    def publish(self, delta: Delta, position: int) -> None:
        """Let readers see the counts after a change."""
        back = self._own_back()
        back.model, self._tally = delta.applied(back.model, self._tally)
        self._derive(back.model)
        back.position, back.one_text = position, OneText.of(back.model)
        self._front.behind.append(delta)
        self._swap()

    def replace(self, model: TextClassifier, position: int) -> None:
        """Let readers see other counts, which were counted anew."""
        self._tally = None
        self._derive(model)
        self._back = Side(model, position, OneText.of(model))
        self._swap()
        self._back = Side(twin(model), position)

    def digest(self) -> bytes:
        """Return the digest of the counts: of a model file of them."""
        model = self._own_back().model
        return xxhash.xxh3_128_digest(model.to_bytes() if model.__sklearn_is_fitted__() else b"")

    def copy(self) -> tuple[int, TextClassifier]:
        """Return the position, and a model of its own for whoever wants to save it."""
        return self.position, twin(self._own_back().model)

    def prepare(self) -> None:
        """Derive all weights, when there is time: in the back, which then becomes the front."""
        back = self._own_back()
        if back.model.__sklearn_is_fitted__():
            self._derive(back.model)
            back.model.scoring().prepare()
            _ = back.model.counts.table  # what still lies in a file
            back.position, back.one_text = self.position, OneText.of(back.model)
            self._swap()

    def _swap(self) -> None:
        """Let readers have the back, and wake those that wait for its position."""
        with self._free:
            self._front, self._back = self._back, self._front
            now = self.position
            done = [future for at, future in self._waiting if at <= now]
            self._waiting = [(at, future) for at, future in self._waiting if at > now]
        for future in done:
            if future.set_running_or_notify_cancel():  # whoever waited may have given up
                future.set_result(now)

    def _own_back(self) -> Side:
        """Return the back as the front is, without readers."""
        back = self._back
        with self._free:
            is_free = self._free.wait_for(lambda: not back.readers, PATIENCE)
        if not is_free:
            self._back = back = Side(twin(self._front.model), self.position)
        for delta in back.behind:
            back.model, _ = delta.applied(back.model)
        back.behind.clear()
        return back

    def _derive(self, model: TextClassifier) -> None:
        """Derive from the counts what no prediction shall wait for."""
        if not model.__sklearn_is_fitted__():
            self._tally = None
            return
        scoring = model.scoring()
        if scoring.features.views or scoring.event.NEEDS_ALL_CELLS:
            scoring.prepare()
            return
        scoring.look_up()
        if model.alpha != AUTO:
            return
        if scoring.event is not multinomial or scoring.features.buckets:
            _ = scoring.alpha
            return
        if self._tally is None:
            self._tally = RunningTally(model.counts.cells().counts)
        scoring.alpha = best_alpha(multinomial, scoring.sums, self._tally)

"""Judgement: every counted example, and what the model without it says."""

from typing import NamedTuple

from nabi.errors import NotFittedError
from nabi.judging.cross_validation import CrossValidation, crossval
from nabi.judging.suspect_labels import suspects_of
from nabi.server.store.changes import Example
from nabi.server.store.counting import blank
from nabi.server.store.store import Store

LEAST = 2  # examples, of as many classes


class Judgement(NamedTuple):
    """Examples, and what the model without each of them says; at a position."""

    position: int
    examples: list[Example]
    result: CrossValidation


def judged(store: Store) -> Judgement:
    """Return leave-one-out results of all counted examples."""
    with store.view() as view:
        position, model = view.position, blank(view.model)  # the examples are counted anew
    found = list(store.walk())
    labels = [one.label for one in found]
    if len(set(labels)) < LEAST:
        raise NotFittedError(f"examples of {len(set(labels))} class; {LEAST} are needed")
    return Judgement(position, found, crossval(model, [one.text for one in found], labels))


def suspected(found: Judgement, most: int) -> list[tuple[str, str, str]]:
    """Return the id, text and label of the examples whose labels look most wrong."""
    examples = (found.examples[one.at] for one in suspects_of(found.result)[:most])
    return [(one.id, one.text, str(one.label)) for one in examples]

"""`/flip`, `/words/one`: what would change a decision, and one word."""

from typing import Annotated

import msgspec
from msgspec import Meta

from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.models.predictions import reader
from nabi.server.http.routes.predicting import Priors, prior_refused
from nabi.server.http.shapes import After, Asked, check_explained, check_texts, label_name
from nabi.server.labelling.words import flip as flipped
from nabi.server.labelling.words import one_word


class FlipAsked(Asked):
    """A text, and a prior in place of the model's own."""

    text: str
    prior: Priors | None = None


class FlipShape(msgspec.Struct):
    """The fewest words without which the text gets another label."""

    words: list[str]
    label: str


class Flipped(msgspec.Struct):
    """Words that would flip the decision; null where no words would."""

    position: int
    flip: FlipShape | None


async def flip(call: Call, query: After, body: FlipAsked) -> Flipped:
    """Find the fewest words whose removal changes the label of a text."""
    await call.reach(query.after)
    size = check_texts([body.text], call.service.limits)
    with call.service.source.view() as view, prior_refused(body.prior):
        model = reader(view.model)
        check_explained(size, len(model.classes_))
        found = await call.computed(100 * size, flipped, model, body.text, body.prior)
        shape = None if found is None else FlipShape(found.words, label_name(found.label))
        return Flipped(view.position, shape)


class WordAsked(After):
    """One word."""

    word: Annotated[str, Meta(max_length=200)] = ""


class WordNow(msgspec.Struct):
    """A word as the model knows it, by class: counts, shares, weights; null: it is unknown."""

    position: int
    word: str
    counts: dict[str, float] | None = None
    rates: dict[str, float] | None = None
    weights: dict[str, float] | None = None


async def word(call: Call, query: WordAsked) -> WordNow:
    """Tell how often each class has a word, and how much it speaks for it."""
    await call.reach(query.after)
    with call.service.source.view() as view:
        found = await call.computed(1000, one_word, reader(view.model), query.word)
        if found is None:
            return WordNow(view.position, query.word)
        return WordNow(view.position, *found)


ENDPOINTS = [Endpoint("POST", "/flip", flip, "read"), Endpoint("GET", "/words/one", word, "read")]

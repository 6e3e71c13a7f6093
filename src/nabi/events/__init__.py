"""Event models: one formula a file. Each turns counts into weights, and does nothing else.

A model scores a document d for a class c as

    score(d, c) = log P(c) + bias(c) + sum over the known features f of d:
                                       slope(c) + shared(f) + cell(f, c)

where cell(f, c) is zero unless f was seen in c. The kernel does the sum, `weigh` gives the terms.
"""

from types import ModuleType

from nabi.base.checks import one_of
from nabi.events import bernoulli, complement, multinomial
from nabi.events.weights import Sums, Weights

EVENTS: dict[str, ModuleType] = {
    "multinomial": multinomial,
    "binary": multinomial,  # the same formula over counts that are 1 at most for a document
    "bernoulli": bernoulli,
    "complement": complement,
}
BINARY = ("binary", "bernoulli")  # count a feature once in a document

__all__ = ["BINARY", "EVENTS", "Sums", "Weights", "event_of"]


def event_of(name: object) -> ModuleType:
    """The module of an event model."""
    return EVENTS[one_of("event", name, EVENTS)]

import pytest

from nabi.server import AddTexts, Learn, PoolText
from nabi.server.labelling.queue import Queue, Wanted

ANNA, BERT = ("anna", "tab 1"), ("bert", "tab 2")


@pytest.fixture
def add(go):
    """Add texts to the pool, each with itself as its id; return the outcome."""
    return lambda *texts, **more: go(AddTexts(tuple(PoolText(t, id=t, **more) for t in texts)))


@pytest.fixture
def queue(store):
    return Queue(store, seed=1)


@pytest.fixture
def ask(queue):
    """Ask for texts, as Anna or another page does."""

    def asked(page=ANNA, **given):
        queue.ranking.refresh()
        return queue.next(Wanted(page, **given))

    return asked


@pytest.fixture
def teach(go, queue):
    """Give an item its label, as the server does."""

    def taught(item, label, who="anna"):
        audit = queue.leases.is_audit(item.id)
        return go(Learn(item.text, label, item.id, audit=audit), who=who)

    return taught

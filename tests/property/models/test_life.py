"""A model's whole life: whatever it learned, forgot and merged, it is its documents."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import nabi
import reference
from strategies import documents, learned, models, short_texts, twin

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

some = documents(texts=short_texts, max_size=4, labels=("a", "b", "c", "d", "e"), weighted=False)
numbers = st.lists(st.integers(0, 30), max_size=5, unique=True)


class Life(RuleBasedStateMachine):
    """The model under test beside the plain list of the documents it should know."""

    saved = reloaded = None  # the fixtures

    @initialize(model=models(), docs=some)
    def be_born(self, model, docs):
        self.blank = twin(model, ledger=model.ledger or True)
        self.model, self.known = learned(self.blank, docs), docs

    @rule(docs=some)
    def learn(self, docs):
        self.model.partial_fit(docs.texts, docs.labels)
        self.known += docs

    @precondition(lambda self: len(self.known) > 1)
    @rule(numbers=numbers)
    def forget(self, numbers):
        chosen = sorted({n % len(self.known) for n in numbers})[: len(self.known) - 1]
        if chosen:
            gone = self.known[chosen]
            self.model.forget(gone.texts, gone.labels)
            self.known = self.known[[i for i in range(len(self.known)) if i not in chosen]]

    @rule(docs=some)
    def merge(self, docs):
        self.model = learned(self.blank, docs) + self.model
        self.known += docs

    @precondition(lambda self: len(self.known) > 1)
    @rule(n=st.integers(1, 30))
    def subtract(self, n):
        kept = 1 + n % (len(self.known) - 1)
        self.model -= learned(self.blank, self.known[range(kept, len(self.known))])
        self.known = self.known[range(kept)]

    @rule(docs=some)
    def refuse_to_forget_strangers(self, docs):
        own = Counter(pairs(self.known))
        if not Counter(pairs(docs)) <= own:
            with pytest.raises(nabi.NotLearnedError):
                self.model.forget(docs.texts, docs.labels)

    @rule()
    def go_through_a_file(self):
        self.model = self.reloaded(self.model)

    @rule(text=short_texts)
    def be_asked(self, text):
        fresh = learned(self.blank, self.known)
        wanted = fresh.joint_log_likelihood([text])
        assert self.model.joint_log_likelihood([text]).tobytes() == wanted.tobytes()

    @invariant()
    def is_its_documents(self):
        assert self.saved(self.model) == self.saved(learned(self.blank, self.known))


def pairs(docs):
    return [
        (reference.repaired(text), label)
        for text, label in zip(docs.texts, docs.labels, strict=True)
    ]


def test_life(saved, reloaded):
    Life.saved, Life.reloaded = staticmethod(saved), staticmethod(reloaded)
    machine = Life.TestCase
    machine.settings = settings(stateful_step_count=12, max_examples=15)
    machine().runTest()

"""`learned` and `shared` against a plain multiset of documents."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import nabi

DOCUMENTS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")), max_size=12)
SOME = DOCUMENTS.filter(bool)
LEDGERS = st.sampled_from([True, "strong"])


def fitted(rows, ledger):
    return nabi.TextClassifier(ledger=ledger).fit(*map(list, zip(*rows, strict=True)))


@given(SOME, DOCUMENTS, SOME, LEDGERS)
def test_what_was_learned_and_not_forgotten_is_known(rows, gone, asked, ledger):
    model, left = fitted([*rows, *gone], ledger), {*rows}
    if gone:
        model.forget(*map(list, zip(*gone, strict=True)))
    texts, labels = map(list, zip(*asked, strict=True))
    assert model.learned(texts, labels).tolist() == [row in left for row in asked]
    known = {text for text, _ in left}
    assert model.learned(texts).tolist() == [text in known for text in texts]


@given(SOME, SOME, LEDGERS)
def test_with_copies_each_document_is_new_once(rows, asked, ledger):
    found = fitted(rows, ledger).learned(*map(list, zip(*asked, strict=True)), copies=True)
    new = [row for row, is_known in zip(asked, found, strict=True) if not is_known]
    assert sorted(new) == sorted({*asked} - {*rows})


@given(SOME, SOME, LEDGERS)
def test_shared_documents_are_the_intersection_of_the_multisets(rows, others, ledger):
    shared = fitted(rows, ledger).shared(fitted(others, ledger))
    assert shared == (Counter(rows) & Counter(others)).total()

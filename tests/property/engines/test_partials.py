"""Pieces of counts, made and merged apart, give the file of one process, whatever the ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.engines import partials
from strategies import documents, learned, models
from tables import learned as learned_rows
from tables import rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]
label_sets = st.sampled_from([("neg", "neutral", "pos"), ("b", "é", ""), (3, -1, 2**70)])
parts_of_texts = label_sets.flatmap(
    lambda labels: st.lists(documents(labels=labels), min_size=1, max_size=4)
)


def assembled(plan, fitted, random):
    """The model of the pieces of some models, which come in any order."""
    pieces = [piece for model in fitted for piece in partials.pieces_of(plan, model)]
    random.shuffle(pieces)
    with partials.assembling(plan) as assembly:
        for range in {piece.range for piece in pieces}:
            own = [piece.data for piece in pieces if piece.range == range]
            for part, data in partials.merge(plan, own):
                assembly.add(range, part, data)
        return assembly.model().to_bytes()


@given(
    models(),
    parts_of_texts,
    st.integers(1, 9),
    st.sampled_from([None, 1, 2, 4]),
    st.sampled_from([1, 2000, 2**26]),  # bytes of a piece: a word each, some, or all of a range
    st.randoms(use_true_random=False),
)
def test_pieces_of_texts_add_up_to_the_file_of_one_process(
    model, parts, ranges, floor, most, random
):
    fitted = [learned(model, part) for part in parts]
    sample = [text for text in parts[0].texts if text]
    plan = partials.Plan.of(model, sample, ranges=ranges, floor=floor, most=most)
    expected = sum(fitted) if floor is None else sum(fitted).floor(floor)
    assert assembled(plan, fitted, random) == expected.to_bytes()


@given(
    st.lists(rows(), min_size=1, max_size=4),
    st.sampled_from([True, False, "strong"]),
    st.randoms(use_true_random=False),
)
def test_pieces_of_tables_add_up_to_the_file_of_one_process(parts, ledger, random):
    fitted = [learned_rows(part, ledger=ledger) for part in parts]
    plan = partials.Plan.of(type(fitted[0])(**fitted[0].get_params()))
    assert assembled(plan, fitted, random) == sum(fitted).to_bytes()

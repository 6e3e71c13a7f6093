"""HTML entities: the kernel finds every text that holds one, and spans are those of the text."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi._native import Batch
from nabi.features.entities import decoded, given_spans

pieces = st.sampled_from(
    ["&", "amp;", "&lt;", "&#39;", "&#x1F600;", "#", ";", "é", "東", "😀", "a "]
)
texts = st.lists(pieces, max_size=12).map("".join) | st.text(max_size=60)


@given(st.lists(texts, max_size=6))
def test_no_text_with_an_entity_is_passed_over(some):
    holds = {i for i, text in enumerate(some) if decoded(text) != text}
    assert holds <= set(Batch.from_sequence(some).entities().tolist())
    valid = [text.encode("utf8", "replace").decode() for text in some]
    assert holds <= set(Batch.from_arrow(pa.array(valid, pa.string())).entities().tolist())


@given(texts)
def test_a_decoded_text_is_counted_as_if_it_had_been_written_so(text):
    with_entities = nabi.Features(entities=True, ngrams=(1, 2), chars=(2, 3))
    assert with_entities.of(text) == nabi.Features(ngrams=(1, 2), chars=(2, 3)).of(decoded(text))


@given(texts)
def test_every_character_comes_from_its_own_part_of_the_text(text):
    written = decoded(text)
    each = np.arange(len(written))
    begin, end = given_spans(text, each, each + 1)
    for i, (a, b) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        assert decoded(text[a:b]) == written[i] or written[i] in decoded(text[a:b])
    assert (np.diff(begin) >= 0).all()

"""Where words stand in a text whose accents, forms or endings do not count, and normal forms."""

import unicodedata
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.features.normal_form import _pieces
from strategies import EMOJI, MARKS, SCRIPTS, WORDS, forms, garbage, hanguls, languages, unspaced

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

HANGUL = ["\u1112\u1161\u11ab", "\u1112", "\u1161", "\u11ab", "한", "\u3131", "ﾡ"]
COMPOSED = ["½", "ﷺ", "ﬁ", "㎏", "e\u0301\u0323", "\u09c7\u09be", "が", "か\u3099", "ｶﾞ", "\u0344"]
pieces = st.sampled_from(WORDS + EMOJI + MARKS + HANGUL + COMPOSED + SCRIPTS + [" "])
# A sigma is a final one or not by what is around, which a word alone does not have.
texts = st.lists(pieces, max_size=12).map("".join).filter(lambda text: "Σ" not in text)


@given(st.one_of(texts, garbage), st.sampled_from(["NFC", "NFKC"]))
def test_a_text_is_cut_where_both_sides_are_normal_by_themselves(text, form):
    cut = list(_pieces(text, form))
    assert "".join(cut) == text
    assert "".join(normalize(form, piece) for piece in cut) == normalize(form, text)


def names_of(recipe, seen):
    """The words of what a reader sees, by itself; n-grams of Hangul also behind a letter of it.

    A mark belongs to the letter before it, so an n-gram may begin with a mark; a run of Hangul may
    not. U+AC01 ends in a consonant: it is joined with no letter that follows.
    """
    begins_with_mark = unicodedata.category(seen[0]) in ("Mn", "Mc", "Me", "Cf")
    behind = recipe.of("\uac01" + seen) if begins_with_mark else []
    return {*recipe.of(seen), *(word for word in behind if word[0] == "\t")}


@given(texts, unspaced, hanguls, st.booleans(), forms, languages)
def test_what_a_reader_sees_has_the_word(text, unspaced, hangul, strip_accents, form, language):
    recipe = nabi.Features(
        unspaced=unspaced, hangul=hangul, strip_accents=strip_accents, normalize=form, stem=language
    )
    model = nabi.TextClassifier(recipe).fit([text, "x"], ["a", "b"])
    for term in model.explain(text).terms:
        assert term.spans
        for begin, end in term.spans:
            assert term.word in names_of(recipe, text[begin:end])

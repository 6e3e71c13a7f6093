"""Korean words by their morphemes."""

import pytest

import nabi
from nabi import Features, RecipeError, TextClassifier

pytest.importorskip("kiwipiepy", reason="the morphemes need kiwipiepy: pip install 'nabi[korean]'")

TEXTS = ["영화가 재미있었습니다", "영화를 못 보겠어요", "정말 재미있네요 😀", "보다가 잤습니다 zzz"]
LABELS = ["good", "bad", "good", "bad"]


def test_words_count_by_their_morphemes():
    assert Features(korean=True).of("한국어를 읽습니다 ㅋㅋ ok!") == [
        *("한국어", "를", "읽", "습니다", "ㅋㅋ", "ok")
    ]


def test_stems_are_of_the_other_words():
    assert Features(korean=True, stem="english").of("영화가 Running") == ["영화", "가", "run"]


def test_what_a_reader_sees_is_the_whole_word():
    model = TextClassifier(korean=True).fit(TEXTS, LABELS)
    text = "참 재미있어요"
    terms = {term.word: [text[a:b] for a, b in term.spans] for term in model.explain(text).terms}
    assert terms["재미있"] == ["재미있어요"]


def test_a_file_needs_no_help_to_load(tmp_path):
    model = TextClassifier(korean=True, ngrams=(1, 2)).fit(TEXTS, LABELS)
    model.save(tmp_path / "m.nabi")
    loaded = nabi.load(tmp_path / "m.nabi")
    assert loaded.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()
    alone = [loaded.predict_proba([text])[0].tolist() for text in TEXTS]
    assert loaded.predict_proba(TEXTS).tolist() == alone


def test_it_forgets_exactly(tmp_path):
    model = TextClassifier(korean=True).fit(TEXTS, LABELS).forget(TEXTS[2:], LABELS[2:])
    model.save(tmp_path / "forgot.nabi")
    TextClassifier(korean=True).fit(TEXTS[:2], LABELS[:2]).save(tmp_path / "never.nabi")
    assert (tmp_path / "forgot.nabi").read_bytes() == (tmp_path / "never.nabi").read_bytes()


def test_a_tokenizer_of_your_own_does_it_itself():
    with pytest.raises(RecipeError, match="korean is the work of a tokenizer of your own"):
        Features(korean=True, tokenizer=str.split)

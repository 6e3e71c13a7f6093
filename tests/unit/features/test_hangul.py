"""Character n-grams of Korean words: what counts, where it stands, what is refused."""

from unicodedata import normalize

import pytest

import nabi
from nabi import Features, RecipeError, TextClassifier

REVIEWS = ["정말 재미있었어요", "재미있는 영화", "너무 지루했어요", "지루한 영화"]
LABELS = ["good", "good", "bad", "bad"]


def grams(text, **options):
    """The character n-grams of a text, an underscore for the space at an edge."""
    found = Features(**options).of(text)
    return [name[1:].replace(" ", "_") for name in found if name[0] == "\t"]


def seen(model, text):
    """The words of an explanation, each with what the reader sees of it."""
    terms = model.explain(text).terms
    return {term.word: [text[a:b] for a, b in term.spans] for term in terms}


# What counts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("영화", "_영|영화|화_|_영화|영화_|_영화_"),
        ("나", "_나|나_|_나_"),
        ("3월", "_월|월_|_월_"),
        ("LG전자", "_전|전자|자_|_전자|전자_|_전자_"),
        ("ㅋㅋ", "_ㅋ|ㅋㅋ|ㅋ_|_ㅋㅋ|ㅋㅋ_|_ㅋㅋ_"),
        ("가's나", "_가|가_|_가_|_나|나_|_나_"),
        ("가!나", "_가|가_|_가_|_나|나_|_나_"),
        ("東가京", "_가|가_|_가_"),
        ("가\u0301", "_가|가\u0301|\u0301_|_가\u0301|가\u0301_|_가\u0301_"),
        ("film café 東京 \u0301", ""),
    ],
)
def test_n_grams_of_each_run_of_hangul(text, expected):
    assert grams(text) == [gram for gram in expected.split("|") if gram]


@pytest.mark.parametrize("preset", ["words", "tweets"])
def test_they_come_beside_the_words(preset):
    assert Features(preset=preset).of("영화가 ok")[:2] == ["영화가", "ok"]
    assert Features(preset=preset, hangul=None).of("영화가 ok") == ["영화가", "ok"]


def test_decomposed_syllables_are_letters_unless_they_are_composed():
    decomposed = normalize("NFD", "가")
    assert grams(decomposed, hangul=(2, 2)) == ["_\u1100", "\u1100\u1161", "\u1161_"]
    assert grams(decomposed, normalize="NFC") == grams("가")


@pytest.mark.parametrize(
    ("hangul", "expected"),
    [((2, 2), "_영|영화|화가|가_"), ((4, 5), "_영화가|영화가_|_영화가_"), ((7, 8), "_영화가_")],
)
def test_how_many_letters_together(hangul, expected):
    assert grams("영화가", hangul=hangul) == expected.split("|")


def test_word_n_grams_are_of_words():
    recipe = Features(ngrams=(1, 2), hangul=(4, 4))
    assert recipe.of("영화 좋다") == ["영화", "좋다", "영화 좋다", "\t 영화 ", "\t 좋다 "]
    assert Features(ngrams=(2, 2)).of("영화 좋다") == ["영화 좋다"]


@pytest.mark.parametrize(
    "options",
    [{"stop_words": ["영화"]}, {"negation": True}, {"stem": "english"}, {"strip_accents": True}],
)
def test_stop_words_negations_and_stems_are_of_words_alone(options):
    if "stem" in options:
        pytest.importorskip("Stemmer")
    assert grams("not 영화, 좋다", **options) == grams("not 영화, 좋다")


def test_n_grams_are_those_of_the_option_chars():
    assert Features().of("영화가 좋다") == Features(chars=(2, 4)).of("영화가 좋다")
    assert Features(buckets=64).of("영화") == Features(buckets=64, chars=(2, 4)).of("영화")


def test_a_binary_recipe_counts_each_once():
    model = TextClassifier(event="binary").fit(["영화가 영화는 영화"], ["a"])
    terms = {term.word: term.counts for term in model.explain("영화").terms}
    assert terms["\t영화"] == terms["\t 영"] == {"a": 1.0}


# What it is for


def test_a_word_with_another_ending_is_known():
    model = TextClassifier().fit(REVIEWS, LABELS)
    assert model.predict(["재미있네요", "지루하네요"]).tolist() == ["good", "bad"]


def test_a_reader_sees_where_an_n_gram_stands():
    model = TextClassifier().fit(REVIEWS, LABELS)
    found = seen(model, "ok! 재미있네, 재미")
    assert found["\t재미"] == ["재미", "재미"]
    assert found["\t 재"] == ["재", "재"]
    assert found["\t재미있"] == ["재미있"]


def test_the_evidence_sums_to_the_score():
    why = TextClassifier().fit(REVIEWS, LABELS).explain("재미있는 영화였어요")
    assert why.score == pytest.approx(why.prior + sum(term.evidence for term in why.terms))


def test_forgetting_leaves_nothing(saved):
    model = TextClassifier().fit(REVIEWS, LABELS).forget(REVIEWS[2:], LABELS[2:])
    assert saved(model) == saved(TextClassifier().fit(REVIEWS[:2], LABELS[:2]))


@pytest.mark.parametrize("kind", [nabi.LinearClassifier, nabi.NeighboursClassifier])
def test_other_models_have_them_too(kind):
    model = kind().fit(REVIEWS * 3, LABELS * 3)
    assert model.predict(["재미있네요", "지루하네요"]).tolist() == ["good", "bad"]


def test_columns_of_texts_have_them_too():
    model = nabi.TableClassifier({"about": "text"}).fit({"about": REVIEWS}, LABELS)
    assert model.predict({"about": ["재미있네요", "지루하네요"]}).tolist() == ["good", "bad"]


# Recipes and files


def test_a_file_says_that_it_has_them_and_an_old_one_does_not():
    assert Features().to_dict() == {"preset": "words", "hangul": (2, 4)}
    assert Features(hangul=None).to_dict() == {"preset": "words"}
    assert Features.from_dict({"preset": "words"}) == Features(hangul=None)
    assert Features.from_dict({"preset": "words", "hangul": [2, 4]}) == Features()


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "sklearn"},
        {"preset": "chars"},
        {"chars": (2, 4)},
        {"ngrams": (2, 3)},
        {"tokenizer": str.split, "ngrams": (1, 2)},
    ],
)
def test_options_that_leave_no_place_for_them(options):
    assert Features(**options).hangul is None
    assert Features(**options) == Features(**options, hangul=None)
    assert "hangul" not in Features(**options).to_dict()
    with pytest.raises(RecipeError, match=r"hangul=\(2, 3\) counts characters beside single words"):
        Features(**options, hangul=(2, 3))


def test_morphemes_are_counted_without_them():
    pytest.importorskip("kiwipiepy")
    assert Features(korean=True).of("한국어를") == ["한국어", "를"]


@pytest.mark.parametrize("hangul", [(2, 65), (0, 2), (3, 2), "ngrams", True])
def test_what_is_no_range(hangul):
    with pytest.raises(RecipeError, match=r"hangul=.*; expected"):
        Features(hangul=hangul)


def test_models_with_and_without_do_not_add():
    with_them = TextClassifier().fit(REVIEWS, LABELS)
    without = TextClassifier(hangul=None).fit(REVIEWS, LABELS)
    with pytest.raises(RecipeError, match="hangul"):
        with_them + without

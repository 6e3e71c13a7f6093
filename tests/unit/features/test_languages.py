"""Texts in every language: scripts without spaces, accents, normal forms, stop words, stems."""

import sys

import pytest

import nabi
from nabi import Features, MissingExtraError, RecipeError, TableClassifier, TextClassifier

FRENCH = ["Un CAFÉ très cher", "un cafe\u0301 gratuit", "le thé", "la forêt"]
LABELS = ["a", "a", "b", "b"]


def spans(model, text):
    """The words of an explanation, each with what the reader sees of it."""
    terms = model.explain(text).terms
    return {term.word: [text[a:b] for a, b in term.spans] for term in terms}


# Scripts without spaces


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("我爱北京", "我|我爱|爱|爱北|北|北京|京"),
        ("京", "京"),
        ("ラーメン", "ラ|ラー|ー|ーメ|メ|メン|ン"),
        ("T恤2件", "t|恤|2|件"),
        ("สวัสดี", "ส|สวั|วั|วัส|ส|สดี|ดี"),
        ("ကားမ", "ကား|ကားမ|မ"),
        ("我 们", "我|们"),
        ("it's我's", "it's|我|s"),
    ],
)
def test_letters_stand_for_words_where_a_script_has_no_spaces(text, features):
    assert sorted(Features().of(text)) == sorted(features.split("|"))


@pytest.mark.parametrize(
    ("unspaced", "features"),
    [
        ((2, 2), "東京|京都|x"),
        ((3, 4), "東京都|x"),
        ((4, 4), "東京都|x"),
        ((1, 1), "東|京|都|x"),
        (None, "東京都x"),
    ],
)
def test_how_many_letters_together(unspaced, features):
    assert Features(unspaced=unspaced).of("東京都x") == features.split("|")


def test_tweets_are_cut_too_and_tags_are_not():
    text = "RT你好@bob #北京天安门 呵呵呵呵呵"
    found = Features(preset="tweets", unspaced=(2, 2)).of(text)
    assert found == ["<rt>", "你好", "<user>", "#北京天安门", "呵呵", "呵呵", "呵呵", "呵呵"]


def test_scikit_learn_does_not_cut():
    assert Features(preset="sklearn").of("我爱北京 ok") == ["我爱北京", "ok"]


def test_chinese_is_learned_without_any_option():
    model = TextClassifier().fit(["这部电影很好看", "这部电影很难看"], ["good", "bad"])
    assert model.predict(["真好看！"]).tolist() == ["good"]
    assert spans(model, "真好看")["好看"] == ["好看"]


def test_word_n_grams_are_of_neighbours():
    assert "東京 京都" in Features(unspaced=(2, 2), ngrams=(1, 2)).of("東京都")


# Accents and normal forms


@pytest.mark.parametrize("preset", ["words", "sklearn", "tweets"])
def test_accents_are_stripped(preset):
    recipe = Features(preset=preset, strip_accents=True)
    assert recipe.of("CAFÉ cafe\u0301 Øyvind Łódź ệ́x が") == [
        *("cafe", "cafe", "oyvind", "lodz", "ex"),
        *([] if preset == "sklearn" else ["が"]),
    ]


def test_characters_lose_accents_too():
    recipe = Features(preset="chars", chars=(4, 4), strip_accents=True)
    assert recipe.of("ré re\u0301") == [" re ", " re "]


def test_stop_words_lose_accents_as_the_text_does():
    recipe = Features(strip_accents=True, stop_words=["été"])
    assert recipe.of("ÉTÉ ete e\u0301te\u0301 hiver") == ["hiver"]


def test_what_a_reader_sees_has_its_accents():
    model = TextClassifier(strip_accents=True).fit(FRENCH, LABELS)
    assert spans(model, "Café cafe\u0301!")["cafe"] == ["Café", "cafe\u0301"]
    assert model.explain("e\u0301 u\u0301").unknown == ("e", "u")


@pytest.mark.parametrize(
    ("form", "text", "features"),
    [
        ("NFC", "cafe\u0301 한국", "café|한국"),
        ("NFKC", "ﬁlm ２０ ｱﾊﾟ", "film|20|ア|アパ|パ"),
        (None, "cafe\u0301", "cafe\u0301"),
    ],
)
def test_normal_forms(form, text, features):
    assert Features(normalize=form, hangul=None).of(text) == features.split("|")


def test_what_a_reader_sees_is_not_normalised():
    model = TextClassifier(normalize="NFKC").fit(["film 20", "cafés noirs"], ["a", "b"])
    text = "🙂 ﬁlm２０ cafe\u0301s, ｎoirs ﬁlm"
    assert spans(model, text) == {"film": ["ﬁlm"], "cafés": ["cafe\u0301s"], "noirs": ["ｎoirs"]}


# Stop words by language


@pytest.mark.parametrize(
    ("language", "text", "features"),
    [
        ("english", "The cat that I have isn't here", "cat|isn't"),
        ("french", "Le chat n'est pas dans la maison", "chat|n'est|pas|maison"),
        ("german", "Der Hund und die Katze sind nicht da", "hund|katze|nicht"),
        ("russian", "Я не знаю этого человека", "не|знаю|человека"),
    ],
)
def test_the_small_words_of_a_language(language, text, features):
    assert Features(stop_words=language).of(text) == features.split("|")


def test_a_file_keeps_the_words_of_a_language_and_not_its_name(tmp_path):
    model = TextClassifier(stop_words="dutch").fit(["de kat", "het huis"], ["a", "b"])
    model.save(tmp_path / "m.nabi")
    loaded = nabi.load(tmp_path / "m.nabi")
    assert loaded.recipe == model.recipe
    assert {"de", "het", "en"} <= set(loaded.recipe.stop_words)


# Stems


def test_words_count_by_their_stems():
    recipe = Features(stem="english", ngrams=(1, 2))
    assert recipe.of("Running dogs ran 東京") == Features(ngrams=(1, 2)).of("run dog ran 東京")


def test_negations_and_stop_words_are_told_by_the_word_as_written():
    recipe = Features(stem="english", negation=True, stop_words=["having", "hope"])
    assert recipe.of("nothing having hopes, cats") == ["noth", "NOT_hope", "cat"]


def test_what_a_reader_sees_is_the_whole_word():
    model = TextClassifier(stem="english").fit(["a running joke", "dogs"], ["a", "b"])
    assert spans(model, "he Runs, runner!") == {"run": ["Runs"]}
    assert spans(model, "Running") == {"run": ["Running"]}


def test_stems_are_the_same_in_a_batch_and_alone(tmp_path):
    texts = ["runs and hops", "hopping mad", "maddening runners", "joked"] * 50
    model = TextClassifier(stem="english", ngrams=(1, 2)).fit(texts, ["a", "b", "b", "a"] * 50)
    model.save(tmp_path / "m.nabi")
    loaded = nabi.load(tmp_path / "m.nabi")
    alone = [loaded.predict_proba([text])[0].tolist() for text in texts[:4]]
    assert loaded.predict_proba(texts)[:4].tolist() == alone


def test_a_table_has_all_of_it_too():
    text = Features(stem="english", strip_accents=True, normalize="NFKC")
    table = {"body": ["Cafés running ﬁlm", "quiet dogs", "cafes run", "a dog barks"]}
    model = TableClassifier({"body": text}).fit(table, ["a", "b", "a", "b"])
    assert model.predict({"body": ["le café", "barking"]}).tolist() == ["a", "b"]
    model.forget({"body": ["cafes run"]}, ["a"])
    assert model.class_count_.tolist() == [1.0, 2.0]


# What is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stop_words": "klingon"}, "expected a list of words, how many .* english, french"),
        ({"normalize": "NFX"}, "normalize='NFX'; there are: NFC, NFKC"),
        ({"stem": "klingon"}, "stem='klingon'; there are: .*, english, .*"),
        ({"stem": "english", "lowercase": False}, "stem needs words in lower case"),
        ({"stem": "english", "preset": "chars"}, "stem is for words; features='chars' has none"),
        ({"unspaced": (1, 5)}, r"unspaced=\(1, 5\); expected \(lo, hi\) with 1 <= lo <= hi <= 4"),
        ({"unspaced": None, "preset": "sklearn"}, "unspaced needs features='words' or 'tweets'"),
        ({"strip_accents": True, "tokenizer": str.split}, "strip_accents is the work of a token"),
        ({"strip_accents": "yes"}, "strip_accents='yes'; expected True or False"),
    ],
)
def test_what_cannot_be(options, said):
    with pytest.raises(RecipeError, match=said):
        Features(**options)


@pytest.mark.parametrize(
    ("module", "options", "said"),
    [
        ("Stemmer", {"stem": "english"}, r"pip install 'PyStemmer>=2.2'"),
        ("kiwipiepy", {"korean": True}, r"pip install 'kiwipiepy>=0.20'"),
    ],
)
def test_a_missing_part_is_told_in_one_line(monkeypatch, module, options, said):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=said):
        Features(**options)


def test_a_file_that_needs_a_missing_part_is_not_called_damaged(monkeypatch, tmp_path):
    TextClassifier(stem="english").fit(["a", "b"], ["x", "y"]).save(tmp_path / "m.nabi")
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingExtraError, match="PyStemmer, which is not installed"):
        nabi.load(tmp_path / "m.nabi")


# Files of before


def test_a_recipe_without_these_options_is_saved_as_ever():
    assert Features(hangul=None, entities=False).to_dict() == {"preset": "words"}
    assert Features(preset="sklearn").to_dict() == {"preset": "sklearn"}
    full = Features(unspaced=None, strip_accents=True, normalize="NFC", stem="english")
    assert Features.from_dict(full.to_dict()) == full


# Other models of text


@pytest.mark.parametrize("kind", [nabi.LinearClassifier, nabi.NeighboursClassifier])
def test_other_models_take_a_recipe_of_a_language(kind, tmp_path):
    recipe = Features(stem="english", strip_accents=True, normalize="NFKC")
    texts = ["Cafés running ﬁlm", "quiet dogs", "cafes run", "a dog barks"] * 3
    model = kind(features=recipe).fit(texts, ["a", "b", "a", "b"] * 3)
    assert model.predict(["le café runs", "barking"]).tolist() == ["a", "b"]
    model.save(tmp_path / "m.nabi")
    loaded = nabi.load(tmp_path / "m.nabi")
    assert loaded.recipe == recipe
    assert loaded.predict_proba(texts).tolist() == model.predict_proba(texts).tolist()

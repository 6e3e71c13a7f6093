"""HTML entities count as the characters that they stand for."""

import json

import numpy as np
import pyarrow as pa
import pytest

import nabi
from nabi import Features
from nabi._native import Batch, Fingerprint
from nabi.errors import NotLearnedError
from nabi.features.batch import batch_of, native_batch
from nabi.features.entities import decoded
from nabi.features.fingerprints import text_fingerprints


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("&#8220;good&#8221;", "good"),
        ("&#x201C;good&#X201d;", "good"),
        ("&eacute;t&eacute; R&amp;D", "été|r|d"),
        ("&amp;amp;lt;b&amp;gt; &amp;#39;", "b"),
        ("AT&T; &nothing; &#zz;", "at|t|nothing|zz"),
        ("&hearts; &#128512;", "♥|😀"),
        ("&#0; &#xD800; &#99999999; x", "x"),
    ],
)
def test_entities_are_characters(text, features):
    assert Features(entities=True).of(text) == features.split("|")


def test_a_text_without_entities_stays_as_it_is():
    text = "a & b; R&D; 100 % &; &#; && ;"
    assert decoded(text) == text


def test_it_is_the_default_but_for_what_scikit_learn_does_and_for_tokenizers():
    texts, labels = ["&#8220;good&#8221;", "bad &amp; so"], ["p", "n"]
    assert not {"8220", "amp"} & words(nabi.TextClassifier().fit(texts, labels))
    assert not {"8220", "amp"} & words(nabi.LinearClassifier().fit(texts, labels))
    assert "8220" in words(nabi.TextClassifier(entities=False).fit(texts, labels))
    assert "8220" in words(nabi.TextClassifier("sklearn").fit(texts, labels))
    assert "&#" in words(nabi.TextClassifier("chars").fit(texts, labels))
    assert "&amp;" in words(nabi.TextClassifier(tokenizer=str.split).fit(texts, labels))
    table = nabi.TableClassifier({"note": "text"}).fit({"note": texts}, labels)
    assert "8220" not in words(table)


def words(model):
    return {row.word for row in model.words(None)}


@pytest.mark.parametrize("column", [list, pa.array])
@pytest.mark.parametrize("other", ["plain", "é", "東京", "😀"])
def test_texts_of_every_width_are_decoded(column, other):
    texts = [f"&lt;{other}&gt; x", other, None, f"{other} & x"]
    with pytest.warns(nabi.InputWarning):
        model = nabi.TextClassifier().fit(column(texts), list("abab"))
    again = nabi.TextClassifier(entities=False)
    with pytest.warns(nabi.InputWarning):
        again.fit([f"<{other}> x", *texts[1:]], list("abab"))
    assert [(row.word, row.count) for row in model.words(None)] == [
        (row.word, row.count) for row in again.words(None)
    ]


@pytest.mark.parametrize("options", [{}, {"normalize": "NFC"}, {"chars": (2, 3)}])
def test_spans_are_those_of_the_text_as_it_was_given(options):
    text = "&#8220;&eacute;&#8221; e\u0301 &lt;3"
    model = nabi.TextClassifier(**options).fit([text, "other"], ["x", "y"])
    found = {t.word: [text[a:b] for a, b in t.spans] for t in model.explain(text).terms}
    assert found["é"] == ["&eacute;", *(["e\u0301"] if "normalize" in options else [])]
    assert found["3"] == ["3"]


def test_a_text_is_forgotten_as_it_was_given(saved):
    model = nabi.TextClassifier().fit(["a &amp; b", "c"], ["x", "y"])
    whole = saved(model)
    model.partial_fit(["&#8220;a"], ["y"])
    with pytest.raises(nabi.NotLearnedError):
        model.forget(["“a"], ["y"])
    assert saved(model.forget(["&#8220;a"], ["y"])) == whole


def test_files_say_so_and_older_ones_stay_without(saved, tmp_path):
    texts, labels = ["&#8220;a", "b"], ["x", "y"]
    nabi.TextClassifier(hangul=None).fit(texts, labels).save(tmp_path / "a.nabi")
    nabi.TextClassifier(entities=False, hangul=None).fit(texts, labels).save(tmp_path / "b.nabi")
    new, old = (nabi.load(tmp_path / name) for name in ("a.nabi", "b.nabi"))
    assert (new.entities, new.recipe.to_dict()) == (None, {"preset": "words", "entities": True})
    assert new.recipe == Features(hangul=None)
    assert (old.entities, old.recipe.to_dict()) == (False, {"preset": "words"})
    with pytest.raises(nabi.RecipeError, match="entities: True and False"):
        new + old


def test_on_the_command_line(tmp_path, capfd):
    from nabi.cli import main

    path = tmp_path / "a.csv"
    path.write_text("text,label\n&#8220;good&#8221;,p\nbad,n\n")
    for more, known in (((), False), (("--entities", "no"), True)):
        assert main(("train", str(path), "-o", str(tmp_path / "a.nabi"), "-q", *more)) == 0
        assert main(("words", str(tmp_path / "a.nabi"), "--json")) == 0
        assert ("8220" in {row["word"] for row in json.loads(capfd.readouterr().out)}) == known


def test_a_word_that_is_neither_yes_nor_no_is_refused(tmp_path, capfd):
    from nabi.cli import main

    (tmp_path / "a.csv").write_text("text,label\ngood,p\nbad,n\n")
    command = ("train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "a.nabi"))
    assert main((*command, "--entities", "maybe")) == 2
    assert "--entities maybe: expected yes or no." in capfd.readouterr().err


@pytest.mark.parametrize("threads", [1, 3])
def test_a_document_is_known_by_the_text_as_it_was_given(threads):
    texts = ["a &lt; b", "c"] * 3000
    given = native_batch(texts)
    counted = batch_of(given, Features(entities=True), threads)
    expected = text_fingerprints(native_batch(texts), Fingerprint.strong)
    picked = counted.taken(np.array([2, 1], np.uint64))
    assert (text_fingerprints(counted, Fingerprint.strong) == expected).all()
    assert (text_fingerprints(picked, Fingerprint.strong) == expected[[2, 1]]).all()
    joined = Batch.joined([given, counted])
    assert (text_fingerprints(joined, Fingerprint.strong) == np.tile(expected, 2)).all()


@pytest.mark.parametrize("ledger", [True, "strong"])
def test_decoded_texts_are_forgotten_by_what_was_given(ledger):
    model = nabi.TextClassifier(ledger=ledger).fit(["a &lt; b", "a < b", "c"], ["x", "x", "y"])
    with pytest.raises(NotLearnedError):
        model.forget(["a &#60; b"], ["x"])
    assert model.learned(["a &lt; b", "a &#60; b"]).tolist() == [True, False]
    model.forget(["a &lt; b"], ["x"])
    assert model.learned(["a &lt; b", "a < b"]).tolist() == [False, True]

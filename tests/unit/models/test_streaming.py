"""Parts from a reader are learned, forgotten and labelled as if they were one."""

import pytest

from nabi import TextClassifier
from nabi.errors import InputError, NotLearnedError
from nabi.models import streaming
from nabi.readers import lines, read

TEXTS = [f"word{i % 7} word{i % 5}" for i in range(60)]
LABELS = ["xyz"[i % 3] for i in range(60)]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The function `(texts, labels) -> a reader of many small parts`."""
    monkeypatch.setattr(lines, "MANY", 50)
    monkeypatch.setattr(streaming, "MANY", 200)

    def make(texts, labels, **options):
        path = tmp_path / "mail.txt"
        rows = zip(texts, labels, strict=True)
        path.write_text("".join(f"__label__{label} {text}\n" for text, label in rows))
        return read(path, **options)

    return make


def test_learned_in_parts_is_learned_at_once(saved, table):
    model = streaming.learn(TextClassifier(), table(TEXTS, LABELS))
    assert saved(model) == saved(TextClassifier().fit(TEXTS, LABELS))


def test_forgotten_in_parts(saved, table):
    model = TextClassifier().fit([*TEXTS, "more"], [*LABELS, "x"])
    streaming.forget(model, table(TEXTS, LABELS))
    assert saved(model) == saved(TextClassifier().fit(["more"], ["x"]))


def test_what_was_not_learned_is_found_in_any_part(table):
    model = TextClassifier().fit(TEXTS, LABELS)
    reader = table([*TEXTS[:50], "never heard", *TEXTS[50:]], [*LABELS[:50], "x", *LABELS[50:]])
    with pytest.raises(NotLearnedError) as caught:
        streaming.forget(model, reader)
    assert caught.value.at == 50
    assert reader.where(50).endswith("mail.txt:51")


def test_labels_of_a_file_become_those_of_the_model(saved, table):
    model = TextClassifier().fit(["a"], [1])
    streaming.learn(model, table(["b", "c"], ["1", "2"]))
    assert saved(model) == saved(TextClassifier().fit(["a", "b", "c"], [1, 1, 2]))
    with pytest.raises(InputError, match="the label 'x' is no int, as the model's labels are"):
        streaming.learn(model, table(["d"], ["x"]))


@pytest.mark.parametrize(("best", "names"), [(1, ["guess"]), (2, ["guess_1", "guess_2"])])
def test_labels_of_parts_are_labels_of_texts(table, best, names):
    model = TextClassifier().fit(TEXTS, LABELS)
    reader = table(TEXTS, LABELS, labelled=False, keep=True)
    found = list(streaming.predict(model, reader, best=best, column="guess"))
    assert [column.name for column in found[0][1]] == names
    numbers = [n for _, chosen in found for n in chosen[0].numbers.tolist()]
    assert model.classes_[numbers].tolist() == model.predict(TEXTS).tolist()


def test_no_more_labels_than_there_are_classes(table):
    model = TextClassifier().fit(["a", "b"], ["x", "y"])
    (labelled,) = streaming.predict(model, table(["a"], ["x"], labelled=False, keep=True), best=9)
    assert [column.numbers.tolist() for column in labelled[1]] == [[0], [1]]


def test_probabilities_with_another_prior(table):
    model = TextClassifier().fit(["a", "b"], ["x", "y"])
    reader = table(["c"], ["x"], labelled=False, keep=True)
    options = {"proba": True, "prior": {"x": 0.2, "y": 0.8}}
    ((_, (column,)),) = streaming.predict(model, reader, **options)
    assert (column.name, column.proba_name) == ("predicted", "proba")
    assert column.numbers.tolist() == [1]
    assert column.proba.tolist() == pytest.approx([0.8])

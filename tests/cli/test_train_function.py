"""`nabi.train`: files to models, as the command trains them."""

import numpy as np
import pytest

import nabi

PEOPLE = "job,age,about\n" + "".join(
    f"{job},{age},{about}\n"
    for job, age, about in [
        ("driver", 45, "long roads and a lorry of my own"),
        ("teacher", 31, "I teach maths at a small school"),
        ("driver", 52, "I drive a lorry across the alps"),
        ("teacher", 28, "music and maths and a small choir"),
    ]
)


MANY = "text,label\n" + "".join(
    f"{word} {i % 7} {'now' if i % 5 else 'noon'},{label}\n"
    for i, (word, label) in enumerate([("win", "spam"), ("lunch", "ham"), ("see", "ham")] * 40)
)


@pytest.mark.parametrize(
    ("file", "typed", "given"),
    [
        ("many.csv", (), {}),
        ("many.csv", ("--no-calibrate",), {"calibrate": False}),
        ("many.csv", ("--keep", "4"), {"keep": 4}),
        ("many.csv", ("--columns", "text=categorical"), {"columns": {"text": "categorical"}}),
        ("mail.csv", (), {}),
        ("mail.csv", ("--ngrams", "1-2", "--alpha", "0.5"), {"ngrams": (1, 2), "alpha": 0.5}),
        ("mail.csv", ("--ledger", "strong"), {"ledger": "strong"}),
        ("mail.csv", ("--model", "nbsvm"), {"model": "nbsvm"}),
        ("mail.csv", ("--model", "knn", "--neighbours", "3"), {"model": "knn", "neighbours": 3}),
        ("mail.csv", ("--rules", "rules.txt"), {"rules": "rules.txt"}),
        (
            "mail.csv",
            ("--model", "rules", "--rules", "rules.txt"),
            {"model": "rules", "rules": "rules.txt"},
        ),
        ("people.csv", ("--label", "job"), {"label": "job"}),
        (
            "people.csv",
            ("--label", "job", "--columns", "age=histogram", "--ddof", "1"),
            {"label": "job", "columns": {"age": "histogram"}, "ddof": 1},
        ),
        ("people.csv", ("--label", "job", "--text", "about"), {"label": "job", "text": "about"}),
    ],
)
def test_the_model_is_that_of_the_command(folder, file, typed, given):
    folder.write("people.csv", PEOPLE)
    folder.write("many.csv", MANY)
    folder.write("rules.txt", "win -> spam\n")
    folder.nabi("train", file, "-o", "by_command.nabi", *typed)
    if "rules" in given:
        given = {**given, "rules": folder.path / given["rules"]}
    nabi.train(folder.path / file, **given).save(folder.path / "by_python.nabi")
    by_command = (folder.path / "by_command.nabi").read_bytes()
    assert (folder.path / "by_python.nabi").read_bytes() == by_command


def test_it_is_known_how_good_the_model_is(folder):
    folder.write("many.csv", MANY)
    model = nabi.train(folder.path / "many.csv")
    texts, labels = nabi.read(folder.path / "many.csv").lists()
    assert model.held_out_.accuracy == nabi.crossval(texts, labels).accuracy
    assert model.held_out_.total == 120
    assert model.is_calibrated
    assert "on 120 texts, each by the model without it" in model._repr_html_()


def test_several_files_are_read_one_after_the_other(folder):
    paths = [folder.path / "mail.csv", str(folder.path / "mail.csv")]
    model = nabi.train(paths)
    assert model.class_count_.tolist() == [6.0, 4.0]
    assert model.rows_ == {"read": 10, "used": 10, "rejected": 0}


def test_nothing_is_printed(folder, capsys):
    nabi.train(folder.path / "mail.csv", best=True, budget=0.2)
    assert capsys.readouterr() == ("", "")


def test_a_bad_row_stops_or_is_set_aside(folder):
    folder.write("bad.csv", "text,label\nwin,spam\nno label,\nlunch,ham\n")
    path, rejects = folder.path / "bad.csv", folder.path / "rejects.csv"
    with pytest.raises(nabi.DataError, match=r"bad\.csv:3: the label is empty"):
        nabi.train(path)
    model = nabi.train(path, skip_bad=True, rejects=rejects)
    assert model.rows_ == {"read": 3, "used": 2, "rejected": 1}
    assert "the label is empty" in rejects.read_text()


def test_the_best_model_of_a_table_takes_columns_as_they_are_given(folder):
    folder.write("people.csv", PEOPLE * 3)
    given = {"age": "categorical", "about": "ignore"}
    options = {"label": "job", "best": True, "budget": 0.5}
    model = nabi.train(folder.path / "people.csv", **options, columns=given)
    assert model.columns_ == {"age": "categorical"}
    with pytest.raises(nabi.InputError, match="no column 'ago'"):
        nabi.train(folder.path / "people.csv", **options, columns={"ago": "gaussian"})


def test_the_best_model_of_a_table_is_searched_for(folder):
    folder.write("people.csv", PEOPLE + PEOPLE.split("\n", 1)[1] * 4)
    model = nabi.train(folder.path / "people.csv", label="job", best=True, budget=0.5)
    assert isinstance(model, nabi.TableClassifier)
    assert model.rows_ == {"read": 20, "used": 20, "rejected": 0}
    assert model.predict([{"about": "a lorry"}]).tolist() == ["driver"]


def test_a_query_is_read_in_place_of_files():
    query = "select * from (values ('win', 'spam'), ('lunch', 'ham')) as t(text, label)"
    assert nabi.train(sql=query).predict(["win"]).tolist() == ["spam"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "svm", "event": "binary"}, r"event='binary'; svm has features, "),
        ({"ngram": (1, 2)}, r"ngram=\(1, 2\); nb has features, "),
        ({"model": "forest"}, "model='forest'; there are: nb, nbsvm"),
        ({"ddof": 1}, "ddof is for tables, and these are texts"),
        ({"columns": {"label": "text"}}, "columns names 'label', the column of the labels"),
        (
            {"best": True, "alpha": 1.0},
            "best=True chooses kind and settings itself; leave out alpha",
        ),
        ({"cost": 2.0}, "cost is not for model='nb'; leave it out"),
        ({"model": "knn", "columns": {}}, "columns is not for model='knn'; leave it out"),
        ({"model": "rules"}, "model='rules' needs rules: name their file"),
        ({"budget": 5.0}, "budget is for best=True; leave it out"),
        ({"prior": {"spam": 1.0}}, "prior"),
    ],
)
def test_options_that_do_not_fit_are_refused(folder, given, said):
    with pytest.raises(nabi.InputError, match=said):
        nabi.train(folder.path / "mail.csv", **given)


def test_data_in_memory_are_no_file():
    with pytest.raises(nabi.InputTypeError, match="paths is ndarray, expected the name of a file"):
        nabi.train(np.zeros((2, 2)))


def test_texts_and_labels_of_a_file_are_cross_validated(folder):
    texts, labels = nabi.read(folder.path / "mail.csv").lists()
    assert texts[:2] == ["win a prize now", "win money now"]
    assert labels == ["spam", "spam", "ham", "ham", "ham"]
    assert nabi.crossval(texts, labels).actual.tolist() == [1, 1, 0, 0, 0]
    folder.write("people.csv", PEOPLE)
    with pytest.raises(nabi.InputError, match="a table has no texts"):
        nabi.read(folder.path / "people.csv", label="job", table=None).lists()


def test_a_text_of_several_columns_may_be_a_list(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("subject,body,kind\nwin,a prize,spam\nlunch,at noon,ham\n")
    model = nabi.train(path, text=["subject", "body"], label="kind")
    assert model.source_columns == {"text": "subject,body", "label": "kind"}
    assert model.predict(["a prize", "lunch"]).tolist() == ["spam", "ham"]


def test_a_table_in_memory_is_told_where_to_go():
    with pytest.raises(nabi.InputTypeError, match=r"nabi.TableClassifier\(\).fit\(table, label\)"):
        nabi.train({"size": [1, 2], "label": ["a", "b"]})

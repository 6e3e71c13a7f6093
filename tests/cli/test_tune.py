"""`nabi tune` and `nabi calibrate`."""

import json

import pytest

import nabi


@pytest.fixture
def films(folder):
    rows = ["not good,neg", "not bad,pos", "good film,pos", "bad film,neg", "so good,pos"] * 20
    folder.write("films.csv", "\n".join(["text,label", *rows, ""]))
    return folder


def test_tune_prints_what_it_tried_and_writes_the_best(films):
    out = films.nabi("tune", "films.csv", "-o", "films.nabi", "--budget", "20s", "--top", "3")
    assert out.startswith("100 rows read = 100 used + 0 rejected\n2 classes: pos 60, neg 40\n")
    assert "settings tried in" in out
    assert out.count("1.0000") >= 3
    assert (
        films.nabi("predict", "films.nabi", "-", stdin="not good\n")
        == "text,predicted\nnot good,neg\n"
    )


def test_the_tuned_model_is_calibrated(films):
    got = json.loads(films.nabi("tune", "films.csv", "-o", "films.nabi", "--json"))
    assert (got["accuracy"], got["rows"]["used"], got["texts"]) == (1.0, 100, 100)
    assert got["alpha"] == got["trials"][0]["params"]["alpha"]
    losses = got["calibration"]["log_losses"]
    assert losses[got["calibration"]["way"]] == min(losses.values())
    assert nabi.load(films.path / "films.nabi").is_calibrated


@pytest.mark.parametrize(("kind", "ledger"), [("strong", "strong"), ("none", False)])
def test_a_tuned_model_keeps_the_ledger_that_is_asked_for(films, kind, ledger):
    films.nabi("tune", "films.csv", "-o", "films.nabi", "--budget", "1", "--ledger", kind)
    assert nabi.load(films.path / "films.nabi").ledger == ledger


def test_the_last_training_is_told_apart_from_the_search(films):
    got = json.loads(films.nabi("tune", "films.csv", "-o", "x.nabi", "--budget", "1", "--json"))
    assert 0 < got["training_seconds"] <= got["seconds"]


@pytest.mark.parametrize("budget", ["soon", "0", "-3s", "5x", ""])
def test_a_budget_that_is_none(films, budget):
    code, out, err = films.run("tune", "films.csv", f"--budget={budget}")
    assert (code, out) == (2, "")
    assert "expected a time such as 60s, 5m or 90" in err


def test_calibrate_says_what_it_does(films):
    films.nabi("train", "films.csv", "-o", "films.nabi", "-q", "--no-calibrate")
    out = films.nabi("calibrate", "films.nabi", "films.csv")
    assert out.startswith("100 rows read = 100 used + 0 rejected\n")
    assert out.count("taken") == 1
    assert nabi.load(films.path / "films.nabi").is_calibrated


def test_learning_much_more_is_noted_when_probabilities_are_asked_for(films):
    films.nabi("train", "films.csv", "-o", "films.nabi", "-q")
    films.nabi("learn", "films.nabi", "-", "-q", stdin="text,label\n" + "fine,pos\n" * 21)
    code, _, err = films.run("predict", "films.nabi", "-", "--proba", stdin="good\n")
    assert code == 0
    assert err == (
        "nabi: The model changed since calibration; probabilities are uncalibrated. "
        "Run `nabi calibrate MODEL DATA`.\n"
    )


def test_calibrate_takes_learned_texts_or_new_ones(films):
    films.nabi("train", "films.csv", "-o", "films.nabi", "-q")
    films.write("more.csv", "text,label\ngood,pos\nbad,neg\n")
    got = films.refused("calibrate", "films.nabi", "more.csv")
    assert got.startswith("more.csv:2: this text was not learned with this label")
    films.write("more.csv", "text,label\n" + "good,pos\nbad,neg\n" * 50)
    got = json.loads(films.nabi("calibrate", "films.nabi", "more.csv", "--new", "--json"))
    assert got["log_losses"][got["way"]] == min(got["log_losses"].values())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("good,pos\n", "1 text to calibrate on; expected at least 100"),
        ("good,pos\n" * 120 + "bad,neg\n", "1 text of class 'neg' to calibrate on"),
        ("good,pos\nbad,neg\n" * 49, "98 texts to calibrate on; expected at least 100"),
        ("good,pos\n" * 120 + "bad,neg\n" * 4, "4 texts of class 'neg' to calibrate on"),
    ],
)
def test_calibrate_refuses_a_handful(films, rows, message):
    films.nabi("train", "films.csv", "-o", "films.nabi", "-q")
    films.write("few.csv", f"text,label\n{rows}")
    assert films.refused("calibrate", "films.nabi", "few.csv", "--new").startswith(message)


def test_a_class_of_one_text_has_no_part_in_the_log_loss(films):
    films.write("one.csv", "text,label\ngood film,pos\nbad film,neg\nso good,pos\nodd,rare\n")
    out = films.nabi("tune", "one.csv", "-o", "one.nabi", "--json", "--budget", "1s")
    got = json.loads(out, parse_constant=pytest.fail)
    assert 0 < got["log_loss"] < 1
    assert got["accuracy"] <= 0.75


def test_info_tells_of_the_calibration(films):
    films.nabi("train", "films.csv", "-o", "films.nabi", "-q", "--no-calibrate")
    states = [json.loads(films.nabi("info", "films.nabi", "--json"))["calibration"]]
    films.nabi("calibrate", "films.nabi", "films.csv", "-q")
    states.append(json.loads(films.nabi("info", "films.nabi", "--json"))["calibration"])
    films.nabi("learn", "films.nabi", "-", "-q", stdin="text,label\nfine,pos\n")
    states.append(json.loads(films.nabi("info", "films.nabi", "--json"))["calibration"])
    films.nabi("learn", "films.nabi", "films.csv", "-q")
    states.append(json.loads(films.nabi("info", "films.nabi", "--json"))["calibration"])
    assert states == ["none", "fresh", "aged", "stale"]


@pytest.mark.parametrize("beta", ["-1", "0", "nan", "inf"])
def test_a_beta_that_is_none_is_refused_before_anything_is_done(films, beta):
    code, out, err = films.run("crossval", "films.csv", f"--beta={beta}", "--report", "r.html")
    assert (code, out) == (2, "")
    assert "expected a number above 0, such as 2" in err
    assert not (films.path / "r.html").exists()

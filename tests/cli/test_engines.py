"""`--engine`: what goes together, and what an engine cannot do; its work is tested in engines/."""

import pytest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--engine storm", "--engine storm: expected spark or dask."),
        ("--master local[2]", "--master goes with --engine spark."),
        ("--scheduler tcp://x:1", "--scheduler goes with --engine dask."),
        ("--engine spark --scheduler tcp://x:1", "--scheduler goes with --engine dask."),
        ("--engine spark --shard 0/2", "--engine spark and --shard"),
        ("--engine spark --test mail.csv", "judge the merged model: nabi evaluate"),
        ("--engine spark --best", "--engine spark is for --model nb without --best"),
        ("--engine spark --model svm", "--engine spark is for --model nb without --best"),
        ("--engine spark --skip-bad", "workers cannot set rows aside together"),
        ("--engine spark --sql x", "--engine spark and --sql"),
        ("--engine spark --strict", "--engine spark and --strict"),
        ("--engine spark --prior spam=0.5,ham=0.5", "a share may lack a class"),
    ],
)
def test_what_an_engine_cannot_train_is_refused(folder, options, message):
    typed = ("train", "mail.csv", "-o", "new.nabi", *options.split())
    assert message in folder.refused(*typed, code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("mail.csv --engine spark", "name a folder: -o"),
        (
            "mail.csv --engine spark -o mail.csv",
            "that is a file; with --engine spark give a folder",
        ),
        ("- --engine spark -o out", "workers read files that all of them see"),
        ("mail.csv --engine dask --master x -o out", "--master goes with --engine spark."),
    ],
)
def test_what_an_engine_cannot_predict_is_refused(folder, words, message):
    code = 1 if "is a file" in message else 2
    assert message in folder.refused("predict", "mail.nabi", *words.split(), code=code)

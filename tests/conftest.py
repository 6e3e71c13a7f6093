"""What tests share: the real data sets, the bytes of a saved model, Hypothesis's profiles."""

import csv
import functools
import gzip
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# No deadlines and no complaints of slowness: how fast a machine is, is not what tests ask.
settings.register_profile(
    "default", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.register_profile("long", settings.get_profile("default"), max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "default")
)


def rows(path):
    """(texts, labels) of one CSV file."""
    csv.field_size_limit(2**30)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        texts, labels = zip(
            *((row["text"], row["label"]) for row in csv.DictReader(file)), strict=True
        )
    return list(texts), list(labels)


@functools.cache
def splits(name):
    """(train texts, labels, test texts, labels); of a set without a split, each fifth row tests."""
    folder = DATA / name
    if (folder / "train.csv.gz").exists():
        return *rows(folder / "train.csv.gz"), *rows(folder / "test.csv.gz")
    columns = rows(folder / "all.csv.gz")
    train = ([x for i, x in enumerate(column) if i % 5] for column in columns)
    return *train, *(column[::5] for column in columns)


@pytest.fixture(scope="session")
def dataset():
    """The function `name -> (train_texts, train_labels, test_texts, test_labels)`."""

    def get(name):
        if not (DATA / name).is_dir():
            pytest.skip(f"the data set {name} is not here: {DATA / name}")
        return splits(name)

    return get


@pytest.fixture(scope="session")
def in_memory():
    """A folder for files written by the thousand: where there is one, on no disk to wait for."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def saved(in_memory):
    """The function `model -> the bytes of its file`."""
    path = in_memory / "saved.nabi"

    def get(model):
        model.save(path)
        return path.read_bytes()

    return get


@pytest.fixture(scope="session")
def reloaded(in_memory):
    """The function `model -> the model that its file gives`, each from a file of its own."""
    folder = in_memory / "reloaded"
    folder.mkdir()

    def get(model):
        import nabi

        path = folder / "model.nabi"
        model.save(path)
        tokenizer = getattr(getattr(model, "recipe", None), "tokenizer", None)
        loaded = nabi.load(path, tokenizer=tokenizer)
        path.unlink()  # what is mapped stays, and no other model comes in its place
        return loaded

    return get

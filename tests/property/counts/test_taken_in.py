"""Counts that lie in a file are those that were saved, however many threads take them in."""

import numpy as np
import pytest

import nabi

# More features than one thread takes in alone; pairs and character n-grams, in several scripts.
WORDS = [f"{stem}{i}" for stem in ("film", "été", "한국", "don't") for i in range(60)]
RECIPES = [
    {"ngrams": (1, 2)},
    {"ngrams": (2, 2)},  # words that are no features themselves
    {"ngrams": (1, 3)},
    {"ngrams": (1, 2), "chars": (2, 3)},
    {"ngrams": (1, 2), "buckets": 2**14},
]


def texts():
    rng = np.random.default_rng(5)
    return [" ".join(rng.choice(WORDS, 40)) for _ in range(200)]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_take_in_what_was_saved(recipe, threads, reloaded, saved):
    given = texts()
    model = nabi.TextClassifier(**recipe).fit(given, ["neg", "pos"] * 100)
    loaded = reloaded(model)
    loaded.counts.taken_in(threads)
    assert loaded.n_features_ == model.n_features_ > 4096
    assert saved(loaded) == saved(model)
    joint = loaded.joint_log_likelihood(given)
    assert joint.tobytes() == model.joint_log_likelihood(given).tobytes()
    more = ["film0 film1 film0 new"], ["pos"]
    assert saved(loaded.partial_fit(*more)) == saved(model.partial_fit(*more))


@pytest.mark.parametrize("at", [0, 3000, -2])
def test_all_threads_check_what_they_take_in(at, saved):
    loaded = nabi.TextClassifier.from_bytes(
        saved(nabi.TextClassifier(ngrams=(1, 2)).fit(texts(), ["neg", "pos"] * 100))
    )
    stored = loaded.counts._stored
    stored._counts = stored._counts.copy()
    stored._counts[at] = 0
    with pytest.raises(nabi.DamagedFileError, match="a count of zero"):
        loaded.counts.taken_in(3)

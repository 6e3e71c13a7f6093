"""Promises 1, 2 and 4 for texts that are counted while the next ones are read."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.models import streaming
from nabi.readers import csv_file
from strategies import documents, learned, models, twin

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

cuts = st.lists(st.integers(0, 100), max_size=8)
threads = st.sampled_from([1, 2, 3, 8])


def streamed(model, batches, **changes):
    """A twin of the model that has learned the batches by a stream."""
    own = twin(model, **changes)
    stream = own.count_stream()
    for batch in batches:
        stream.add(batch.texts, batch.labels)
    own.learn_counts(stream.finish())
    return own


@given(models(), documents(weighted=False), cuts, threads, st.integers(0, 2**32))
def test_a_stream_gives_the_file_of_all_at_once(saved, model, some, cuts, threads, seed):
    batches = some.shuffled(seed).batches(cuts)
    assert saved(streamed(model, batches, threads=threads)) == saved(learned(model, some))


@given(models(), documents(weighted=False), documents(weighted=False), threads)
def test_a_stream_adds_to_what_was_learned(saved, model, a, b, threads):
    more = learned(model, a)
    stream = more.count_stream()
    stream.add(b.texts, b.labels)
    more.learn_counts(stream.finish())
    assert saved(more) == saved(learned(model, a + b))


@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"chars": (2, 3), "binary": True}])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_files_of_real_texts_are_learned_alike(
    saved, dataset, tmp_path, monkeypatch, options, threads
):
    texts, labels, *_ = dataset("nsmc")
    texts, labels, path = texts[:20_000], labels[:20_000], tmp_path / "some.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    monkeypatch.setattr(csv_file, "BLOCK", 2**16)
    model = nabi.TextClassifier(**options, threads=threads)
    streaming.learn(model, nabi.read(path))
    assert saved(model) == saved(nabi.TextClassifier(**options).fit(texts, labels))

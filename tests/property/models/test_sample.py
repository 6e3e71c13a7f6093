"""A sample of documents depends on the documents alone, and a calibration by it does."""

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from nabi import TableClassifier, TextClassifier
from nabi._native import Batch
from nabi.base.labels import CodedLabels, encode
from nabi.features.frame import frame_of
from nabi.models.sample import DocumentSample

texts = st.text("ab ", max_size=4)
documents = st.lists(st.tuples(texts, st.sampled_from("xyz")), min_size=1, max_size=60)


def sampled(model, rows, step, made):
    """The documents of a sample with their labels, sorted; they come `step` at a time."""
    with mock.patch.multiple("nabi.models.sample", MOST=15, MOST_BYTES=40):
        sample = DocumentSample(model)
        for i in range(0, len(rows), step):
            given, labels = zip(*rows[i : i + step], strict=True)
            sample.add(made(given), CodedLabels(*encode(list(labels))))
    assert (len(sample) <= 15, sample.total) == (True, len(rows))
    return sample


@given(documents, st.randoms(), st.integers(1, 60))
def test_texts_in_any_order_and_parts_give_the_same_sample(rows, random, step):
    shuffled = random.sample(rows, len(rows))
    found = []
    for some, size in ((rows, len(rows)), (shuffled, step)):
        sample = sampled(TextClassifier(), some, size, Batch.from_sequence)
        texts = sample.documents.to_list() if len(sample) else []
        found.append(sorted(zip(texts, sample.labels, strict=True)))
    assert found[0] == found[1]
    few = len(rows) <= 15 and sum(len(text) for text, _ in rows) <= 40
    assert found[0] == sorted(rows) or not few


@given(documents, st.randoms(), st.integers(1, 60))
def test_rows_in_any_order_and_parts_give_the_same_sample(rows, random, step):
    def frame(given):
        return frame_of({"size": [float(len(text)) for text in given], "text": list(given)})

    columns = {"size": "gaussian", "text": "categorical"}
    model = TableClassifier(columns).fit(frame([text for text, _ in rows]), ["x"] * len(rows))
    found = []
    for some, size in ((rows, len(rows)), (random.sample(rows, len(rows)), step)):
        sample = sampled(model, some, size, frame)
        texts = sample.documents.columns["text"].texts if len(sample) else []
        found.append(sorted(zip(texts, sample.labels, strict=True)))
    assert found[0] == found[1]

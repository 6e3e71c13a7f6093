"""The streaming merge of files gives the bytes of the sum of models, whatever they have learned."""

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from hostile import MEMORY
from nabi.counts import ledger_merging, merging
from nabi.models.merging import merging as merged_files
from strategies import documents, learned, models
from tables import learned as learned_rows
from tables import rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]
label_sets = st.sampled_from([("neg", "neutral", "pos"), ("b", "é", ""), (3, -1, 2**70)])
parts_of_texts = label_sets.flatmap(
    lambda labels: st.lists(documents(labels=labels), min_size=2, max_size=5)
)
few = st.sampled_from([1, 50, 2**25])  # bytes of a range, and entries of a block: many, or one


def merged_bytes(parts, at_once=2**25, **options):
    """The bytes of the merged files of some models."""
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        mock.patch.object(merging, "AT_ONCE", at_once),
        mock.patch.object(ledger_merging, "LIMIT", max(2, at_once)),
    ):
        paths = [Path(folder, f"{i}.nabi") for i in range(len(parts))]
        for path, part in zip(paths, parts, strict=True):
            part.save(path)
        nabi.merge(paths, paths[0], **options)
        return paths[0].read_bytes()


@given(models(), parts_of_texts, few, st.integers(1, 3))
def test_merged_files_of_texts_are_the_sum(model, parts, at_once, threads):
    fitted = [learned(model, part) for part in parts]
    assert merged_bytes(fitted, at_once, threads=threads) == sum(fitted).to_bytes()


@given(models(), parts_of_texts, few, st.integers(1, 4))
def test_the_floor_of_merged_files_is_that_of_the_sum(model, parts, at_once, least):
    fitted = [learned(model, part) for part in parts]
    assert merged_bytes(fitted, at_once, floor=least) == sum(fitted).floor(least).to_bytes()


@given(st.lists(rows(), min_size=2, max_size=4), st.sampled_from([True, False, "strong"]), few)
def test_merged_files_of_tables_are_the_sum(parts, ledger, at_once):
    fitted = [learned_rows(part, ledger=ledger) for part in parts]
    assert merged_bytes(fitted, at_once) == sum(fitted).to_bytes()


@given(st.sampled_from([True, "strong"]), st.lists(st.integers(0, 6), max_size=60), few)
def test_ledgers_are_added_whatever_their_blocks(ledger, numbers, at_once):
    empty = nabi.TextClassifier(ledger=ledger)
    parts = [numbers[::2] or [0], numbers[1::2] or [1]]
    fitted = [
        learned_numbers(empty, part, weights)
        for part, weights in zip(parts, (None, 0.5), strict=True)
    ]
    assert merged_bytes(fitted, at_once) == sum(fitted).to_bytes()


def learned_numbers(model, numbers, weight):
    texts, labels = [f"text {n}" for n in numbers], ["ab"[n % 2] for n in numbers]
    weights = None if weight is None else np.full(len(texts), weight)
    return nabi.TextClassifier(**model.get_params()).fit(texts, labels, weights)


@given(models(), parts_of_texts)
def test_what_files_share_is_what_their_models_share(model, parts):
    fitted = [learned(model, part) for part in parts]
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        paths = [str(Path(folder, f"{i}.nabi")) for i in range(len(parts))]
        for path, part in zip(paths, fitted, strict=True):
            part.save(path)
        with merged_files(paths, paths[0]) as found:
            shared = [found.shared.get(path, 0.0) for path in paths[1:]]
    if model.ledger:
        assert shared == [sum(fitted[:i]).shared(fitted[i]) for i in range(1, len(fitted))]
    else:
        assert shared == [0.0] * (len(fitted) - 1)

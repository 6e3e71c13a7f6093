"""Merging files: what cannot be added is refused by name, and nothing is written then."""

import os
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import nabi
from hostile import changed, parts
from nabi import DamagedFileError, InputError, RecipeError, TableClassifier, TextClassifier
from nabi.files import model_file
from nabi.models import merging

TEXTS, LABELS = ["a good film", "a bad film", "so good"], ["pos", "neg", "pos"]


@pytest.fixture
def save(tmp_path):
    """The function `name, model -> path of its file`."""

    def saved(name, model):
        path = tmp_path / f"{name}.nabi"
        model.save(path)
        return path

    return saved


def fitted(*texts, label="pos", **options):
    return TextClassifier(**options).fit([*TEXTS, *texts], [*LABELS, *[label] * len(texts)])


def test_a_file_may_be_merged_with_itself_in_its_place(save):
    path = save("a", fitted())
    model = nabi.merge([path, path], path)
    assert path.read_bytes() == (fitted() + fitted()).to_bytes()
    assert model.class_count_.tolist() == [2.0, 4.0]


def test_the_order_of_files_does_not_matter(save, tmp_path):
    paths = [save(x, fitted(f"word {x}", label=x)) for x in ("c", "a", "b")]
    nabi.merge(paths, tmp_path / "one.nabi")
    nabi.merge(paths[::-1], tmp_path / "two.nabi")
    assert (tmp_path / "one.nabi").read_bytes() == (tmp_path / "two.nabi").read_bytes()


@pytest.mark.parametrize("many", [2, 3, 5])
def test_many_files_are_merged_in_rounds(save, tmp_path, many):
    models = [fitted(f"word {i}", f"shared {i % 2}") for i in range(7)]
    paths = [save(str(i), model) for i, model in enumerate(models)]
    with mock.patch.object(merging, "MOST_FILES", many), merging.merging(paths, "x") as found:
        found.model.save(tmp_path / "all.nabi")
        shared = [found.shared.get(str(path), 0) for path in paths]
    assert (tmp_path / "all.nabi").read_bytes() == sum(models).to_bytes()
    assert shared == [0, 3, 4, 4, 4, 4, 4]


@pytest.mark.parametrize(
    "options",
    [
        {"min_count": 2},
        {"keep": 3},
        {"stop_words": 1},
        {"event": "complement"},
        {"event": "bernoulli"},
        {"event": "binary", "prior": "uniform"},
        {"alpha": 0.5, "ledger": False},
    ],
)
def test_the_alpha_of_a_sum_is_that_of_its_counts(save, tmp_path, options):
    models = [fitted("more of it", **options), fitted("less", label="neg", **options)]
    paths = [save(str(i), model) for i, model in enumerate(models)]
    merged = nabi.merge(paths, tmp_path / "all.nabi")
    assert merged.to_bytes() == sum(models).to_bytes()
    assert merged.alpha_ == sum(models).alpha_


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (lambda: fitted(ngrams=(1, 2)), r"b\.nabi does not fit .*a\.nabi: .*ngrams: \(1, 1\) and"),
        (lambda: fitted(ledger="strong"), "ledgers of the models differ"),
        (lambda: TableClassifier().fit([{"n": 1.5}, {"n": 2.5}], ["a", "b"]), "of tables"),
        (lambda: fitted().floor(2), "a model has a floor"),
    ],
)
def test_what_does_not_fit_is_named(save, tmp_path, other, said):
    paths = [save("a", fitted()), save("c", fitted()), save("b", other())]
    with pytest.raises(RecipeError, match=said):
        nabi.merge(paths, tmp_path / "all.nabi")
    assert sorted(os.listdir(tmp_path)) == ["a.nabi", "b.nabi", "c.nabi"]


DAMAGE = {
    "words out of order": ("words", 0, ord("z")),
    "a word that is not UTF-8": ("words", -1, 0xFF),
    "broken word offsets": ("word_offsets", 1, 200),
    "a word without a count": ("cell_offsets", 1, 0),
    "a class that is not there": ("cell_classes", 0, 9),
    "a count of zero": ("cell_counts", 0, 0),
    "its sums are not those of its counts": ("class_tokens", 0, 7),
    "its arrays do not fit together": ("cell_offsets", 0, 1),
}


@pytest.mark.parametrize("said", DAMAGE)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_damaged_file_is_named_and_nothing_is_written(tmp_path, save, said, threads):
    path = save("a", fitted())
    header, arrays = parts(fitted())
    model_file.write(tmp_path / "b.nabi", header, changed(arrays, *DAMAGE[said]))
    with pytest.raises(DamagedFileError, match=rf"b\.nabi.* is damaged: {said}"):
        nabi.merge([path, tmp_path / "b.nabi"], tmp_path / "all.nabi", threads=threads)
    assert sorted(os.listdir(tmp_path)) == ["a.nabi", "b.nabi"]


@pytest.mark.parametrize(
    ("name", "wide"), [("cell_counts", np.uint32), ("cell_classes", np.uint16)]
)
def test_numbers_that_are_wider_than_need_be_are_damage(tmp_path, save, name, wide):
    path = save("a", fitted())
    header, arrays = parts(fitted())
    model_file.write(tmp_path / "b.nabi", header, {**arrays, name: arrays[name].astype(wide)})
    with pytest.raises(DamagedFileError, match=r"b\.nabi.* numbers that are wider than need be"):
        nabi.merge([path, tmp_path / "b.nabi"], tmp_path / "all.nabi")


@pytest.mark.parametrize(("index", "value"), [(0, 2**64 - 1), (1, 0)])
def test_a_damaged_ledger_is_named(tmp_path, save, index, value):
    path = save("a", fitted())
    header, arrays = parts(fitted())
    offsets = arrays["ledger_offsets"].astype(np.int64)
    start = offsets[np.argmax(np.diff(offsets))]  # of a class of two documents
    arrays = changed(arrays, "ledger_fingerprints", start + index, value)
    model_file.write(tmp_path / "b.nabi", header, arrays)
    with pytest.raises(DamagedFileError, match=r"ledger of .*b\.nabi is damaged: .*do not ascend"):
        nabi.merge([path, tmp_path / "b.nabi"], tmp_path / "all.nabi")


def test_counts_that_are_too_large_together(tmp_path, save):
    model = TextClassifier().fit(["a"], ["x"], [2.0**20])
    header, arrays = parts(model)
    most = np.array([2**63 >> header["shift"]], np.uint64)
    arrays |= {"class_tokens": most, "cell_counts": most}
    header["alpha"] = 1.0
    for name in "ab":
        model_file.write(tmp_path / f"{name}.nabi", header, arrays)
    with pytest.raises(InputError, match="counts of the sum are too large"):
        nabi.merge([tmp_path / "a.nabi", tmp_path / "b.nabi"], tmp_path / "all.nabi")


def test_a_table_has_no_floor(save, tmp_path):
    path = save("a", TableClassifier().fit([{"n": 1.5}, {"n": 2.5}], ["a", "b"]))
    with pytest.raises(InputError, match="a floor is for models of texts"):
        nabi.merge([path, path], tmp_path / "all.nabi", floor=2)


@pytest.mark.parametrize(("paths", "said"), [([], "no models to merge"), (["x.nabi"], "x.nabi")])
def test_there_must_be_files(tmp_path, paths, said):
    with pytest.raises((InputError, FileNotFoundError), match=said):
        nabi.merge([Path(tmp_path, path) for path in paths], tmp_path / "all.nabi")


def test_a_calibration_of_the_larger_is_kept(save, tmp_path):
    texts, labels = [*(f"{w} {i}" for i in range(60) for w in ("good", "bad"))], ["+", "-"] * 60
    one = TextClassifier().fit(texts, labels).calibrate(texts, labels)
    other = fitted(label="+").relabel({"pos": "+", "neg": "-"})
    merged = nabi.merge([save("a", one), save("b", other)], tmp_path / "all.nabi")
    assert merged.to_bytes() == (one + other).to_bytes()
    assert merged.calibration_state == "aged"


def test_units_that_would_wrap_do_not_destroy_the_ledger_of_another(tmp_path, save):
    good = save("good", fitted())
    header, arrays = parts(TextClassifier().fit(["a good film", "dull"], ["pos"] * 2, [1, 0.5]))
    hostile = changed(arrays, "ledger_units", slice(None), np.uint64(2**64 - 2**24))
    model_file.write(tmp_path / "bad.nabi", header, hostile)
    before = good.read_bytes()
    with pytest.raises(DamagedFileError, match=r"bad\.nabi.*do not add up"):
        nabi.merge([good, tmp_path / "bad.nabi"], good)
    assert good.read_bytes() == before

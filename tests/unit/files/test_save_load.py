"""Models to files and back: the same model, or an error that leaves the old file whole."""

import contextlib
import fcntl
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import xxhash  # noqa: F401, imported before rights are given up

import nabi
from nabi import DamagedFileError, NewerFormatError, NotAModelError, TextClassifier
from nabi.files import model_file

TEXTS = ["good film good", "bad film", "", "나비 😀 good"]
LABELS = ["pos", "neg", "neg", "pos"]
RECIPES = [
    {},
    {"features": "sklearn", "ngrams": (1, 3)},
    {"features": "tweets", "negation": True, "stop_words": ["film"]},
    {"features": "chars"},
    {"chars": (2, 3), "binary": True},
    {"buckets": 16},
    {"ngrams": (2, 2), "buckets": 16},
    {"event": "bernoulli", "alpha": 0.5},
    {"event": "complement", "prior": {"pos": 0.25, "neg": 0.75}},
    {"event": "binary", "prior": [0.5, 0.5], "stop_words": 1, "min_count": 2},
    {"ledger": False},
    {"prior": "uniform", "lowercase": False},
]


@pytest.fixture
def path(tmp_path):
    TextClassifier().fit(TEXTS, LABELS).save(tmp_path / "model.nabi")
    return tmp_path / "model.nabi"


# There and back


@pytest.mark.parametrize("options", RECIPES)
def test_a_loaded_model_is_the_saved_one(saved, reloaded, options):
    model = TextClassifier(**options).fit(TEXTS, LABELS)
    loaded = reloaded(model)
    assert saved(loaded) == saved(model)
    assert loaded.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()
    assert loaded.words(None) == model.words(None)
    assert loaded.explain(TEXTS[0]) == model.explain(TEXTS[0])


@pytest.mark.parametrize("options", RECIPES)
def test_a_loaded_model_learns_and_forgets_as_the_saved_one(saved, reloaded, options):
    model = TextClassifier(**options).fit(TEXTS, LABELS)
    before = saved(model)
    loaded = reloaded(model).partial_fit(["new words good"], ["neg"])
    assert saved(loaded) == saved(model.partial_fit(["new words good"], ["neg"]))
    assert saved(loaded.forget(["new words good"], ["neg"])) == before


@pytest.mark.parametrize("options", RECIPES)
def test_one_line_and_many_give_the_same_bits(reloaded, options):
    model = TextClassifier(**options).fit(TEXTS, LABELS)
    one_by_one = [reloaded(model).predict_proba([text])[0].tolist() for text in TEXTS]
    many = reloaded(model).predict_proba(TEXTS * 50)[: len(TEXTS)].tolist()
    assert one_by_one == many


@pytest.mark.parametrize(
    "labels", [[1, 0, 0, 1], [True, False, False, True], [0.5, -1.5, -1.5, 0.5], ["", "a", "a", ""]]
)
def test_labels_keep_their_kind(reloaded, labels):
    loaded = reloaded(TextClassifier().fit(TEXTS, labels))
    assert loaded.classes_.tolist() == sorted(set(labels))
    assert type(loaded.predict(["good"]).tolist()[0]) is type(labels[0])


def test_weights_come_back(saved, reloaded):
    model = TextClassifier().fit(TEXTS, LABELS, sample_weight=[0.1, 2**20, 2**-24, 3])
    assert saved(reloaded(model)) == saved(model)
    assert reloaded(model).class_count_.tolist() == model.class_count_.tolist()


def test_a_model_without_a_word_comes_back(saved, reloaded):
    model = TextClassifier().fit(["", "..."], ["x", "y"])
    assert saved(reloaded(model)) == saved(model)
    assert reloaded(model).predict_proba(["a"]).tolist() == [[0.5, 0.5]]


def test_the_order_of_learning_does_not_show(saved):
    model = TextClassifier().fit(TEXTS, LABELS)
    backwards = TextClassifier(threads=1)
    for text, label in reversed(list(zip(TEXTS, LABELS, strict=True))):
        backwards.partial_fit([text], [label])
    assert saved(backwards) == saved(model)


def test_models_add_whether_loaded_or_not(saved, reloaded):
    one, other = (TextClassifier().fit(TEXTS[i::2], LABELS[i::2]) for i in (0, 1))
    whole = saved(TextClassifier().fit(TEXTS, LABELS))
    assert saved(reloaded(one) + other) == saved(one + reloaded(other)) == whole
    assert saved(reloaded(one) + reloaded(other)) == whole


def test_a_model_can_be_saved_over_the_file_it_lies_in(path, saved):
    loaded = nabi.load(path)
    loaded.partial_fit(["new"], ["neg"])
    loaded.save(path)
    assert saved(nabi.load(path)) == saved(loaded)


def test_a_model_in_use_outlives_its_file(path):
    loaded = nabi.load(path)
    path.unlink()
    assert loaded.predict(["good", "bad"]).tolist() == ["pos", "neg"]
    assert loaded.partial_fit(["new"], ["neg"]).n_features_ == 12


def test_paths_of_both_kinds_will_do(path):
    for given in (path, str(path)):
        assert nabi.load(given).classes_.tolist() == ["neg", "pos"]
    assert nabi.load(path, verify=False).predict(["good"]).tolist() == ["pos"]


def test_threads_may_share_a_loaded_model(path):
    loaded, seen = nabi.load(path), []
    work = [
        threading.Thread(target=lambda: seen.append(loaded.predict(TEXTS).tolist()))
        for _ in range(8)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert seen == [["pos", "neg", "neg", "pos"]] * 8


# Files that are no models


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"model\.nabi"):
        nabi.load(tmp_path / "model.nabi")


@pytest.mark.parametrize("content", [b"", b"hello", b"\x80\x04\x95", b"PK\x03\x04", b"\0" * 100])
def test_something_else_is_not_a_model(path, content):
    path.write_bytes(content)
    with pytest.raises(NotAModelError, match=r"model\.nabi' is not a nabi model"):
        nabi.load(path)


def test_a_model_of_another_kind_is_not_loaded(path):
    model_file.write(path, {"kind": "forest"}, {})
    with pytest.raises(NotAModelError, match="holds a model of kind 'forest'"):
        nabi.load(path)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_cut_file_is_damaged(path, part):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    for verify in (True, False):
        with pytest.raises(DamagedFileError, match="is cut short"):
            nabi.load(path, verify=verify)


def test_a_flipped_bit_is_damage_wherever_it_is(path):
    content = bytearray(path.read_bytes())
    for place in range(0, len(content), 7):
        content[place] ^= 1 << place % 8
        path.write_bytes(content)
        with pytest.raises((DamagedFileError, NotAModelError)):
            nabi.load(path)
        content[place] ^= 1 << place % 8


def test_a_flipped_bit_never_crashes_even_unverified(path):
    content = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    for place in range(start, len(content) - 16):
        content[place] ^= 1 << place % 8
        path.write_bytes(content)
        for use in (
            lambda m: m.predict(["good film"]),
            lambda m: m.predict(TEXTS * 20),
            lambda m: m.n_features_,
        ):
            try:
                use(nabi.load(path, verify=False))
            except DamagedFileError:
                continue
        content[place] ^= 1 << place % 8


def test_a_file_of_a_newer_nabi_says_what_to_do(path, monkeypatch):
    monkeypatch.setattr(model_file, "format_of", lambda header: 9)
    TextClassifier().fit(TEXTS, LABELS).save(path)
    monkeypatch.undo()
    with pytest.raises(NewerFormatError, match=r"written by a newer nabi .*pip install -U nabi"):
        nabi.load(path)


# Saving that fails


# In a process of its own: the limit would hold for the output of the tests as well.
FULL_DISK = """
import resource, sys
import nabi
large = nabi.TextClassifier().fit([" ".join(map(str, range(5000)))], ["x"])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    large.save(sys.argv[1])
except OSError as error:
    print(error)
"""


def test_a_disk_that_is_full_keeps_the_old_file(path):
    before = path.read_bytes()
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "cannot save the model: File too large" in shown
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model.nabi"]


def test_a_device_is_not_replaced():
    with pytest.raises(OSError, match="cannot save the model: Not a regular file"):
        TextClassifier().fit(TEXTS, LABELS).save("/dev/full")
    assert not os.path.isfile("/dev/full")


def test_a_folder_without_permission_keeps_the_old_file(path):
    before = path.read_bytes()
    path.parent.chmod(0o555)
    root = os.geteuid() == 0
    if root:  # for whom no folder is closed
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match="You may not write in the folder"):
            TextClassifier().fit(["new"], ["x"]).save(path)
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model.nabi"]


def test_a_folder_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError, match="mkdir -p"):
        TextClassifier().fit(TEXTS, LABELS).save(tmp_path / "no" / "model.nabi")
    assert os.listdir(tmp_path) == []


def test_a_model_can_be_used_after_saving_failed(path):
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(IsADirectoryError):
        model.save(path.parent)
    assert model.predict(["good"]).tolist() == ["pos"]
    assert np.array_equal(nabi.load(path).predict_proba(TEXTS), model.predict_proba(TEXTS))


# Changed in place


def test_an_edited_model_is_saved_when_the_block_ends(path):
    with nabi.edit(path) as model:
        model.partial_fit(["a new one"], ["new"])
    assert nabi.load(path).classes_.tolist() == ["neg", "new", "pos"]


def test_an_error_in_the_block_leaves_the_file_as_it_was(path):
    before = path.read_bytes()
    with pytest.raises(nabi.NotLearnedError), nabi.edit(path, verify=False) as model:
        model.partial_fit(["a new one"], ["new"]).forget(["not learned"], ["new"])
    assert path.read_bytes() == before


def test_a_file_that_is_not_there_or_is_edited_already_is_refused(path, tmp_path):
    with pytest.raises(FileNotFoundError), nabi.edit(tmp_path / "none.nabi"):
        pass
    with (
        nabi.edit(path),
        pytest.raises(nabi.InputError, match="is being edited already"),
        nabi.edit(path),
    ):
        pass


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_that_was_forked_in_an_edit_does_not_keep_the_file(path):
    ended, end = os.pipe()
    with contextlib.suppress(ZeroDivisionError), nabi.edit(path):
        child = os.fork()
        if not child:
            os.close(end)
            os.read(ended, 1)
            os._exit(0)
        raise ZeroDivisionError
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(end)
    os.waitpid(child, 0)
    os.close(ended)


def test_threads_that_edit_one_file_lose_nothing(path):
    def learn(label):
        for i in range(10):
            with nabi.edit(path) as model:
                model.partial_fit([f"{label} {i}"], [label])

    threads = [threading.Thread(target=learn, args=(label,)) for label in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert nabi.load(path).class_count_.tolist() == [10, 10, 2, 2]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.nabi")
    with pytest.raises(NotAModelError, match="regular file"), nabi.edit(tmp_path / "pipe.nabi"):
        pass


def test_a_file_that_is_replaced_in_the_block_is_not_written_over(path):
    with pytest.raises(nabi.InputError, match="was replaced while"), nabi.edit(path) as model:
        model.partial_fit(["a new one"], ["new"]).save(path)
    assert nabi.load(path).classes_.tolist() == ["neg", "new", "pos"]

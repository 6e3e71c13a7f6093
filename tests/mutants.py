"""Mutants of model files under every command and method: each is used or refused, nothing else.

    python tests/mutants.py --count 50000 --seed 1

A mutant is a small model file of tests/data/models with one to three changes in its header or its
arrays, under a checksum that fits. Its author knows the format: lengths of several arrays change
together, counts and their sums too. Every command that takes a model, and every method, runs on it,
in a process with a limit of 1 GB of memory and 10 s of CPU time each. A crash, a traceback, an
error that is not nabi's, an allocation that fails, a time-out and other bytes when saved again are
findings. `--only NUMBER` runs one mutant, with all that it prints.
"""

import argparse
import contextlib
import copy
import faulthandler
import io
import json
import math
import os
import pickle
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # whose threads reserve memory each

import numpy as np

import nabi
from hostile import MEMORY, damaged, sealed
from nabi.cli import main
from nabi.files import model_file

MODELS = Path(__file__).parent / "data" / "models"
MEMORY_LIMIT, SECONDS = 1 << 30, 10
TEXTS = "text,label\na good film,good\ndull music and no plot,bad\nnot here 영화,mixed\n,good\n"
TABLE = (
    "note,city,height,pay,visits,wait,member,id,label\n"
    "a good film,rome,1.7,900,3,2.5,True,1,stays\n"
    "dull,oslo,1.5,1200.5,0,-3,False,2,leaves\n"
    ",lima,,,9,4,,3,stays\n"
)
ROW = '{"note": "a good film", "city": "rome", "height": 1.7, "visits": 3, "member": true}'
TEXT = "a good film and dull music"
NUMBERS = [0, 1, -1, 2, 7, 255, 2**16, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**64, 10**30]
REALS = [0.0, -0.0, -1.0, 0.5, 5e-324, 1e-320, 1e-45, 1e30, 1e300, 1e308, -1e308]
STRINGS = ["", "x", "é" * 50, "\0", "a\nb", "\x1b[31m", "\u202e", "{}", "[red]", "%s", "a,b=c"]
VALUES = [*NUMBERS, *REALS, *STRINGS, None, True, False, [], {}]
OPTIONS = [  # of a recipe
    ("binary", [True]),
    ("buckets", [1, 64, 2**20, 2**31 - 1, 2**31]),
    ("chars", [[1, 1], [2, 300], [1, 64], [2**31, 2**31]]),
    ("hangul", [[2, 4], [1, 4], [2, 2**31], None]),
    ("keep", [0, 5, 2**31, 2**40]),
    ("keep_by", ["per_class", "mutual_info"]),
    ("min_count", [0, 3, 2**40]),
    ("negation", [True]),
    ("ngrams", [[1, 8], [1, 16], [1, 2**31 - 1], [8, 8]]),
    ("normalize", ["NFC", "NFKC"]),
    ("preset", ["words", "chars", "tweets", "sklearn"]),
    ("stem", ["english"]),
    ("stop_words", [["a"], ["a" * 1000] * 1000, 1, 2**40, "english"]),
    ("tokenizer", ["os:system", "x"]),
    ("unspaced", [[1, 1], [2, 2**31]]),
]
SETTINGS = [  # of a header, by key
    ("alpha", [0.0, 5e-324, 1e308, {"auto": 5e-324}]),
    ("event", ["bernoulli", "complement", "multinomial"]),
    ("prior", ["uniform", [1e-320, 1.0, 1.0], [0.0, 0.0, 1.0], [1e308] * 3]),
    ("missing", ["evidence"]),
    ("var_smoothing", [0.0, 5e-324, 1e308]),
    ("ddof", [0, 1]),
    ("shift", [0, 1, 23, 24, 25]),
    ("k", [1, 10**6, 2**63, {"auto": 20}]),
    ("sharpness", [5e-324, 1e308, {"auto": 5e-324}]),
    ("shrink", [1e-320, 1e6]),
    ("thresholds", [[["good", 1e-320]], [["none", 0.5]], [["bad", 1.0], ["good", 0.0]]]),
    ("not_sure", [None, ["good", 0.0], [0, 0.5], ["\x1b[31m", 1.0]]),
    ("how", ["evidence", "decides"]),
    ("time_limit", [1e-9, 1e308]),
]
RULES = [
    "/(a|aa)+b/ -> good\n",
    "/((((((a+)+)+)+)+)+)+$/ -> bad\n",
    "/(?:a{1000}){1000}/ -> good\n",
    "/[[[/ -> good\n",
    "(" * 3000 + "a" + ")" * 3000 + " -> good\n",
    "not " * 3000 + "a -> good\n",
    "a -> good\n" * 500,
    "".join(f"d{i + 1}: d{i} and d{i}\n" for i in range(60)) + "d0: a\nd60 -> good\n",
    "a near/999999999999 b -> good\n",
    'in "praise.txt" -> good\n',
    'in "/etc/passwd" -> good\n',
    "text: a -> good\nx: x\nx -> good\n",
    "a* and *b and *c* -> good, bad, mixed\n",
]


def commands(model, data, row):
    """Return every command that takes a model, as typed."""
    copies = Path(model).parent
    ours = [str(copies / name) for name in ("a.nabi", "b.nabi")]
    copied = str(shutil.copy(model, copies / "c.nabi"))  # which is written over
    return [
        ["info", model],
        ["info", model, "--json"],
        ["predict", model, data, "--best", "2", "--proba"],
        ["predict", model, data, "--threshold", "good=0.9", "--not-sure", "?", "--proba"],
        ["explain", model, row],
        ["explain", model, row, "--json"],
        ["words", model],
        ["words", model, "--column", "note"],
        ["evaluate", model, data],
        ["versus", model, model, data],
        ["learn", copied, data],
        ["learn", copied, data, "--once"],
        ["forget", copied, data],
        ["merge", model, model, "-o", ours[0]],
        ["merge", model, model, "-o", ours[0], "--floor", "2"],
        ["classes", model],
        ["classes", model, "--join", "good,bad=seen", "-o", ours[0]],
        ["classes", model, "--drop", "stays", "-o", ours[0]],
        ["calibrate", model, data, "-o", ours[0]],
        ["calibrate", model, data, "--new", "-o", ours[0]],
        ["prune", model, "--size", "2kB", "-o", ours[1]],
    ]


def _many(model):
    if getattr(model, "is_table", False):
        return [json.loads(ROW), {"city": "x", "height": -1e300}] * 50
    return [TEXT, "b", ""] * 50


def _labels(model, n):
    return (model.classes_.tolist() * n)[:n]


METHODS = {
    "predict many": lambda m: m.predict_proba(_many(m)),
    "another prior": lambda m: m.predict(_many(m), prior="uniform"),
    "weights": lambda m: m.partial_fit(
        _many(m), _labels(m, len(_many(m))), sample_weight=[0.3] * len(_many(m))
    ),
    "learn and forget": lambda m: m.partial_fit(_many(m), _labels(m, len(_many(m)))).forget(
        _many(m), _labels(m, len(_many(m)))
    ),
    "sum": lambda m: (m + m).predict(_many(m)),
    "sum and difference": lambda m: (m + m - m).predict(_many(m)),
    "difference": lambda m: (m - m).predict(_many(m)),
    "select": lambda m: m.select(3).predict(_many(m)),
    "rank": lambda m: m.ranked_words(),
    "relabel": lambda m: m.relabel({m.classes_.tolist()[0]: m.classes_.tolist()[-1]}).predict(
        _many(m)
    ),
    "drop": lambda m: m.relabel({m.classes_.tolist()[0]: None}).predict(_many(m)),
    "shown": lambda m: m._repr_html_(),
    "explain": lambda m: [m.explain(row)._repr_html_() for row in _many(m)[:3]],
    "words": lambda m: m.words(None),
    "held out": lambda m: m.calibrate(
        _many(m), _labels(m, len(_many(m))), learned=False
    ).predict_proba(_many(m)),
    "numbers": lambda m: m.numbers(_many(m)),
    "copy": lambda m: copy.deepcopy(m).predict(_many(m)),
    "pickle": lambda m: pickle.loads(pickle.dumps(m)).predict(_many(m)),
    "bytes": lambda m: nabi.from_bytes(m.to_bytes()).predict(_many(m)),
    "repr": lambda m: (repr(m), m.facts, m.extent, m.class_count_),
}


# Mutants


def mutant(rnd, header, arrays):
    """Return a header and arrays with one to three changes."""
    header, arrays = json.loads(json.dumps(header)), dict(arrays)
    for _ in range(rnd.choice([1, 1, 1, 2, 3])):
        # A change that does not fit what an earlier one has left is left out.
        with np.errstate(all="ignore"), contextlib.suppress(Exception):
            header, arrays = rnd.choices(*CHANGES)[0](rnd, header, arrays)
    return header, arrays


def _with_other_array(rnd, header, arrays):
    """One array has other numbers, another length or type, or is gone."""
    if not arrays:
        return header, arrays
    name, other = rnd.choice([*arrays]), rnd.choice([*arrays])
    array = arrays[name]
    changes = [
        *[lambda: damaged(array, rnd)] * 4,
        *[lambda: damaged(array.astype(_wider(rnd)), rnd)] * 2,
        lambda: np.full(len(array), rnd.choice(_numbers(array.dtype)), array.dtype),
        lambda: np.resize(array, min(len(array) * rnd.choice([2, 1000]), 10**6)),
        lambda: np.roll(array, 1),
        lambda: array[: rnd.randrange(len(array) + 1)],
        lambda: array.astype(_wider(rnd)),
        lambda: arrays[other],
        lambda: np.frombuffer(rnd.randbytes(array.nbytes), array.dtype),
        lambda: None,
    ]
    changed = rnd.choice(changes)()
    kept = {key: value for key, value in arrays.items() if key != name}
    if changed is None:
        return header, kept
    return header, {**kept, rnd.choice([name] * 20 + ["cells", f"model_{name}"]): changed}


def _wider(rnd):
    return rnd.choice([np.uint8, np.uint16, np.uint32, np.uint64, np.int64, np.float64])


def _numbers(dtype):
    if dtype.kind == "f":
        return [*REALS, math.inf, -math.inf, math.nan]
    return [0, 1, 2, np.iinfo(dtype).max, np.iinfo(dtype).max // 2]


def _with_other_offsets(rnd, header, arrays):
    """Offsets ascend, from 0 to where they ended, and are others between; or overrun."""
    ends = ("offsets", "lengths", "sizes")
    names = [name for name in arrays if name.endswith(ends) and arrays[name].dtype.kind == "u"]
    if not names:
        return header, arrays
    name = rnd.choice(names)
    array = arrays[name].copy()
    if len(array) > 2:
        most = min(np.iinfo(array.dtype).max, rnd.choice([int(array.max()), 2**40, 2**63]))
        inner = [rnd.randint(0, most) for _ in range(len(array) - 2)]
        array[1:-1] = sorted(inner) if rnd.random() < 0.8 else inner
    if rnd.random() < 0.3:
        array[-1:] = rnd.choice([0, int(np.iinfo(array.dtype).max), len(array)])
    return header, {**arrays, name: array}


def _with_other_classes(rnd, header, arrays):
    """Class or text numbers are at the number of classes, or beyond."""
    ends = ("classes", "cell_texts")
    names = [name for name in arrays if name.endswith(ends) and arrays[name].dtype.kind == "u"]
    if not names:
        return header, arrays
    name, n = rnd.choice(names), len(header.get("labels") or [])
    array = arrays[name].astype(rnd.choice([arrays[name].dtype, np.uint32, np.uint64]))
    if len(array):
        far = [n - 1, n, n + 1, 255, 2**16 - 1, 2**32 - 1, 2**63]
        fitting = [number for number in far if 0 <= number <= np.iinfo(array.dtype).max]
        array[rnd.randrange(len(array))] = rnd.choice(fitting)
        if rnd.random() < 0.3:
            array[:] = rnd.choice(fitting)
    return header, {**arrays, name: array}


def _with_other_lengths(rnd, header, arrays):
    """All arrays of one length, and their offsets, have another."""
    if not arrays:
        return header, arrays
    n = len(rnd.choice([*arrays.values()]))
    picked = [*range(n)]
    picked = rnd.choice(
        [
            lambda: picked[: n // 2],
            list,
            lambda: picked + picked,
            lambda: (picked * (20_000 // (n + 1) + 1))[:20_000],
            lambda: picked[::-1],
            lambda: [*picked, *picked[-1:]],
        ]
    )()
    changed = {}
    for name, array in arrays.items():
        if len(array) == n:
            array = array[picked] if n else array
        elif len(array) == n + 1 and name.endswith("offsets"):
            lengths = np.diff(array)[picked] if n else array[:0]
            array = np.concatenate([array[:1], np.cumsum(lengths)]).astype(array.dtype)
        changed[name] = array
    return header, changed


def _with_large_counts(rnd, header, arrays):
    """Counts are near the largest number, and their sums are theirs."""
    names = [name for name in arrays if name.endswith("cell_counts")]
    if not names:
        return header, arrays
    name = rnd.choice(names)
    prefix = name[: -len("cell_counts")]
    classes = arrays.get(f"{prefix}cell_classes", arrays.get(f"{prefix}cell_texts"))
    most = rnd.choice([2**39, 2**40, 2**53, 2**62, 2**63, 2**64 - 1])
    if classes is None or not len(classes) or classes.dtype.kind != "u":
        return header, arrays
    counts = [rnd.choice([1, most, most // len(classes), most - 1]) for _ in classes]
    if rnd.random() < 0.5:
        counts = [1] * len(counts)
        counts[rnd.randrange(len(counts))] = most - len(counts)
    n = len(header.get("labels") or [])
    tokens = [0] * n
    for c, count in zip(classes.tolist(), counts, strict=True):
        if c < n:
            tokens[c] += count
    as_u64 = lambda values: np.array([value % 2**64 for value in values], np.uint64)  # noqa: E731
    changed = {**arrays, name: as_u64(counts), f"{prefix}class_tokens": as_u64(tokens)}
    if rnd.random() < 0.5:
        docs = as_u64([rnd.choice([1, most])] * n)
        changed |= {key: docs for key in arrays if key.endswith("class_docs")}
    for holder, key in list(_places(header)):
        if key == "shift":
            holder[key] = rnd.choice([0, 0, 24])
    return header, changed


def _with_other_floats(rnd, header, arrays):
    """All real numbers of a model are extreme."""
    real = [name for name, array in arrays.items() if array.dtype.kind == "f"]
    changed = dict(arrays)
    for name in real:
        if rnd.random() < 0.6:
            array = arrays[name].copy()
            array[rnd.randrange(len(array)) if len(array) else slice(0)] = rnd.choice(
                _numbers(array.dtype)
            )
            changed[name] = (
                array if rnd.random() < 0.7 else np.full_like(array, array.max(initial=0))
            )
    return header, changed


def _with_other_labels(rnd, header, arrays):
    """Other labels, as many; or more of them, with the arrays that have a number for each."""
    old = header.get("labels")
    if not isinstance(old, list) or not old:
        return header, arrays
    n = len(old)
    if rnd.random() < 0.5:
        new = sorted(rnd.sample([*STRINGS, "bad", "good", "mixed", "z" * 10**5], min(n, 5)))
    else:
        new = [f"c{i:06}" for i in range(rnd.choice([1, 4, 257, 1000, 5000]))]
    changed = {}
    for name, array in arrays.items():
        wide = len(array) == n or (name.endswith("ledger_offsets") and len(array) == n + 1)
        changed[name] = np.resize(array, len(new) + len(array) - n) if wide else array
        if name.endswith("ledger_offsets"):
            changed[name] = np.sort(changed[name])
    for holder, key in list(_places(header)):
        if key in ("labels", "counted") and holder[key] == old:
            holder[key] = new
    return header, changed


def _with_columns(rnd, header, arrays):
    """A table has one of its columns many times, with the arrays of it, or without."""
    columns = header.get("columns")
    if not isinstance(columns, list) or not columns:
        return _with_setting(rnd, header, arrays)
    at, n = rnd.randrange(len(columns)), rnd.choice([2, 30, 100])
    copies = [{**columns[at], "name": f"{columns[at].get('name')}{i:04}"} for i in range(n)]
    header["columns"] = [*columns[:at], *copies, *columns[at + 1 :]]
    if rnd.random() < 0.3:
        return header, arrays
    changed = {}
    for name, array in arrays.items():
        head, _, rest = name.partition("_")
        number = int(head[6:]) if head.startswith("column") and head[6:].isdigit() else -1
        if number == at:
            changed |= {f"column{at + i}_{rest}": array for i in range(n)}
        elif number > at:
            changed[f"column{number + n - 1}_{rest}"] = array
        else:
            changed[name] = array
    return header, changed


def _with_calibration(rnd, header, arrays):
    """A calibration, sound or not, beside a model that may have one."""
    n = rnd.choice([0, 1, 2, 100, 5000])
    curve = {
        "exponent": rnd.choice([0.0, 50.0, -50.0, 1e308]),
        "log_scale": rnd.choice([0.0, 50.0, -50.0, 5e-324]),
        "steps": sorted(rnd.uniform(-9, 9) * rnd.choice([1.0, 1e11]) for _ in range(n)),
        "shares": sorted(rnd.uniform(1e-320, 1) for _ in range(n)),
    }
    holder = header["model"] if isinstance(header.get("model"), dict) else header
    if holder.get("kind") in ("text", "table"):
        docs = [2**24] * len(header.get("labels") or [1])
        old = holder.get("calibration")
        docs = old.get("docs", docs) if isinstance(old, dict) and rnd.random() < 0.6 else docs
        curve |= {"fresh": rnd.random() < 0.5, "of": rnd.choice(["", "x"]), "docs": docs}
        if rnd.random() < 0.5:
            settings = old.get("settings", "x") if isinstance(old, dict) else "x"
            curve |= {"fresh": False, "settings": rnd.choice([settings, "x", 1])}
    holder["calibration"] = curve
    return header, arrays


def _with_rules(rnd, header, arrays):
    """Other rules, and the labels that they give."""
    rules = header.get("rules")
    if not isinstance(rules, dict):
        return _with_setting(rnd, header, arrays)
    rules["text"] = rnd.choice([*RULES, "".join(rnd.sample(RULES, 3)), *STRINGS])
    if 'in "' not in rules["text"] and rnd.random() < 0.8:
        rules["lists"] = {}
    if header.get("kind") == "rules" and rnd.random() < 0.8:
        header["labels"] = rnd.choice([["", "good"], ["bad", "good"], ["", "bad"]])
        rules["default"] = header["labels"][0] or None
    return header, arrays


def _with_setting(rnd, header, arrays):
    """An option of a recipe, or a setting, has a value of its kind, or of another."""
    recipes = [holder for holder, _ in _places({"": header}) if isinstance(holder, dict)]
    holders = [x for holder in recipes for x in holder.values() if isinstance(x, dict)]
    made = [holder for holder in holders if "preset" in holder]
    if made and rnd.random() < 0.5:
        option, values = rnd.choice(OPTIONS)
        rnd.choice(made)[option] = rnd.choice([*values * 4, *VALUES])
        return header, arrays
    option, values = rnd.choice(SETTINGS)
    there = [holder for holder in [header, *holders] if option in holder]
    (rnd.choice(there) if there else header)[option] = rnd.choice([*values * 4, *VALUES])
    return header, arrays


def _with_other_value(rnd, header, arrays):
    """One of the header's values, at any depth, is replaced or removed."""
    places = [*_places(header)]
    if not places:
        return {"kind": "text"}, arrays
    holder, key = rnd.choice(places)
    other_holder, other_key = rnd.choice(places)
    old = holder[key]
    changes = [
        *[lambda: rnd.choice(VALUES)] * 4,
        lambda: other_holder[other_key],
        lambda: [old],
        lambda: {"x": old},
        lambda: DEEP,
        lambda: old * rnd.choice([2, 1000]) if isinstance(old, list | str) else old,
        lambda: old + rnd.choice([-1, 1]) if type(old) in (int, float) else str(old),
    ]
    if rnd.random() < 0.1:
        del holder[key]
    elif rnd.random() < 0.1 and isinstance(holder, dict):
        holder[rnd.choice(["more", "model", "kind", "calibration", "trials"])] = rnd.choice(VALUES)
    else:
        holder[key] = json.loads(json.dumps(rnd.choice(changes)()))  # a copy, not a cycle
    return header, arrays


def _places(value):
    """Yield (container, key) of every value inside of a container."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


CHANGES = (
    [
        _with_other_array,
        _with_other_value,
        _with_setting,
        _with_other_offsets,
        _with_other_classes,
        _with_other_lengths,
        _with_large_counts,
        _with_other_floats,
        _with_other_labels,
        _with_columns,
        _with_calibration,
        _with_rules,
    ],
    [30, 25, 10, 6, 6, 6, 6, 6, 6, 4, 4, 6],
)
DEEP = "@deep@"  # written as a list in a list, a hundred thousand times


def write(path, seed, number):
    """Write mutant `number`; return the name of the file that it was made from."""
    rnd = random.Random(f"{seed} {number}")
    source = rnd.choice(sorted(MODELS.glob("*.nabi")))
    header, arrays = mutant(rnd, *model_file.read(source))
    header.pop("format", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model_file.write(path, header, arrays)
        except nabi.InputError:  # a header that is too long to be written
            shutil.copyfile(source, path)
    data = Path(path).read_bytes()
    if DEEP.encode() in data:
        end = 8 + int.from_bytes(data[:8], "little")
        depth = rnd.choice([500, 100_000])
        head = data[8:end].replace(f'\\"{DEEP}\\"'.encode(), b"[" * depth + b"]" * depth).rstrip()
        head += b" " * (-len(head) % 8)
        Path(path).write_bytes(sealed(head, data[end:-16]))
    return source.name


# Runs


def findings(folder, seed, number, *, show=False):
    """Yield (command, what) of all that went wrong with a mutant."""
    model = str(folder / "mutant.nabi")
    source = write(model, seed, number)
    is_table = source.startswith("table")
    data = folder / ("table.csv" if is_table else "texts.csv")
    data.write_text(TABLE if is_table else TEXTS, "utf8")
    for command in commands(model, str(data), ROW if is_table else TEXT):
        said, error = _heard(lambda command=command: main(command))
        if error or "out of memory" in said:
            yield command, f"{source}: {error or 'out of memory'}"
        if show:
            print("$ nabi", *command, said, sep="\n")
    for name, method in METHODS.items():
        _, error = _heard(lambda method=method: _called(model, method))
        if error:
            yield [name], f"{source}: {error}"
    _, error = _heard(lambda: _from_bytes(model))
    if error:
        yield ["from bytes"], f"{source}: {error}"
    _, error = _heard(lambda: _saved_again(model))
    if error:
        yield ["save again"], f"{source}: {error}"


def _heard(use):
    """Return what a use prints, and the traceback of an error that should not come out of it."""
    out, error = io.TextIOWrapper(io.BytesIO(), "utf8"), ""
    _limit_time(SECONDS)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            use()
    except BaseException:
        error = traceback.format_exc(limit=-6)
    _limit_time(0)
    out.flush()
    return out.buffer.getvalue().decode(), error


def _limit_time(seconds):
    """Let a signal end the process after so much CPU time; on a busy machine time passes idly."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(30 * seconds)  # one that waits for something takes no CPU time


def _called(path, method):
    """Call a method; an error of nabi's is an answer, and so is that a kind of model lacks it."""
    try:
        model = nabi.load(path)
        with contextlib.suppress(nabi.NabiError):
            method(model)
    except nabi.NabiError:
        pass
    except (AttributeError, TypeError) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        if frame.filename != __file__:
            raise


def _from_bytes(path):
    """Load a model from its bytes: they are taken, or refused, as the file is."""
    outcomes = []
    for model in (lambda: nabi.from_bytes(Path(path).read_bytes()), lambda: nabi.load(path)):
        try:
            outcomes.append(type(model()))
        except nabi.NabiError as error:
            outcomes.append(type(error))
    if outcomes[0] != outcomes[1]:
        raise AssertionError(f"from bytes {outcomes[0]}, from the file {outcomes[1]}")


def _saved_again(path):
    """Save a model again: bytes that differ are an error."""
    try:
        model = nabi.load(path)
        model.save(f"{path}2")
    except nabi.NabiError:
        return
    before, after = model_file.read(path), model_file.read(f"{path}2")
    if Path(path).read_bytes() == Path(f"{path}2").read_bytes():
        return
    keys = [key for key in {**before[0], **after[0]} if before[0].get(key) != after[0].get(key)]
    names = [
        name
        for name in {**before[1], **after[1]}
        if name not in before[1]
        or name not in after[1]
        or before[1][name].tobytes() != after[1][name].tobytes()
    ]
    raise AssertionError(f"saved again, other bytes: {keys} {names}"[:500])


def work(seed, numbers):
    """Run mutants in this process, under the limits; print the number of each, then findings."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    for ending in (signal.SIGALRM, signal.SIGPROF):
        faulthandler.register(ending, chain=True)  # says where the time went
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        for number in numbers:
            print(json.dumps(number), flush=True)
            for command, what in findings(Path(folder), seed, number):
                print(json.dumps([command[0], what]), flush=True)


def run(seed, first, count):
    """Run `count` mutants in processes of their own; return the findings by number."""
    found, number = {}, first
    while number < first + count:
        arguments = f"--seed={seed}", f"--first={number}", f"--count={first + count - number}"
        worker = [sys.executable, "-X", "faulthandler", __file__, "--work", *arguments]
        with subprocess.Popen(worker, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for line in process.stdout:
                said = json.loads(line)
                if isinstance(said, list):
                    found.setdefault(number, []).append(said)
                else:
                    number = said
            errors = process.stderr.read().decode(errors="replace")
        if process.returncode == 0:
            break
        end = f"the process ended with {process.returncode}: {errors[-2000:]}"
        found.setdefault(number, []).append(["?", end])
        number += 1
    return found


def _place(trace):
    """Return the last place in nabi of a traceback, and its message."""
    places = [line.strip() for line in trace.splitlines() if "/nabi/" in line]
    return f"{places[-1] if places else ''} {trace.strip().splitlines()[-1]}"


def main_run():
    """Parse what was typed, run, and print the findings and their number."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    typed = parser.parse_args()
    if typed.work:
        work(typed.seed, range(typed.first, typed.first + typed.count))
        return 0
    if typed.only is not None:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            for command, what in findings(Path(folder), typed.seed, typed.only, show=True):
                print(*command, what, sep="\n")
        return 0
    share = 250
    starts = range(typed.first, typed.first + typed.count, share)
    found = {}
    with ThreadPoolExecutor(typed.processes) as pool:
        end = typed.first + typed.count
        for part in pool.map(lambda at: run(typed.seed, at, min(share, end - at)), starts):
            for number, what in part.items():
                for command, trace in what:
                    print(f"mutant {number}, nabi {command}: {trace}", flush=True)
            found |= part
    lasts = Counter(_place(trace) for each in found.values() for _, trace in each)
    for last, times in lasts.most_common():
        print(f"{times:6} {last}")
    print(f"{typed.count:,} mutants, {len(found):,} with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main_run())

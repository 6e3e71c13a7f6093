"""How soon nabi is ready: importing it, and loading a large model to predict one line."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import nabi
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.files import model_file

LETTERS = 10  # in each word of the generated model
WORD_BYTES = 20  # that a word takes in the file: letters, two offsets, a class, a count

IMPORT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""

LOAD = """
import json, sys, time
import nabi
path, verify, line = json.loads(sys.argv[1])
start = time.perf_counter()
model = nabi.load(path, verify=verify)
loaded = time.perf_counter()
model.predict([line])
print(json.dumps([loaded - start, time.perf_counter() - loaded]))
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.start", description=__doc__)
    parser.add_argument("--size", type=int, default=500, metavar="MB", help="of the model (500)")
    parser.add_argument("--repeat", type=int, default=10, metavar="N", help="best of so many (10)")
    parser.add_argument("--quick", action="store_true", help="the same as --size 5 --repeat 2")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    size, repeat = (5, 2) if args.quick else (args.size, args.repeat)
    figures: Figures = {"best_of": repeat, "import": imports(repeat), **loads(size, repeat)}
    figures["ratios"] = {"import nabi / import numpy": _import_ratio(figures)}
    say(page(figures), args.json)
    save(figures, args.json)


def _import_ratio(figures: Figures) -> float:
    return figures["import"]["nabi"] / figures["import"]["numpy"]


def imports(repeat: int) -> dict[str, float]:
    """The seconds that importing each takes, in turns, in fresh processes."""
    best = dict.fromkeys(("numpy", "nabi"), float("inf"))
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(repeat + 1):  # the first time compiles
            for module in best:
                progress(f"importing {module}")
                seconds = float(_python(IMPORT.format(module=module), bytecode=cache))
                best[module] = min(best[module], seconds)
    return best


def loads(size: int, repeat: int) -> Figures:
    """The seconds of loading a model from the page cache and of predicting one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.nabi"
        progress(f"making a model of {size} MB")
        words = make_model(path, size)
        found = {"mb": path.stat().st_size / 1e6, "words": words, "load": {}}
        line = _letters(np.arange(0, words, words // 20)).tobytes().decode()
        line = " ".join(line[i : i + LETTERS] for i in range(0, len(line), LETTERS))
        found["command_s"] = min(_command(path, line) for _ in range(repeat))
        for verify in (True, False):
            progress(f"loading {size} MB, verify={verify}")
            times = [_load(path, verify, line) for _ in range(repeat)]
            found["load"][f"verify={verify}"] = {
                "load_s": min(load for load, _ in times),
                "predict_s": min(predict for _, predict in times),
            }
    return found


def _load(path: Path, verify: bool, line: str) -> tuple[float, float]:
    load, predict = json.loads(_python(LOAD, json.dumps([str(path), verify, line])))
    return load, predict


def _command(path: Path, line: str) -> float:
    """The seconds of a whole command that predicts one line."""
    command = [sys.executable, "-m", "nabi.cli", "predict", str(path), line]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _python(*code: str, bytecode: str = "") -> bytes:
    """What a fresh Python prints; with a folder for compiled modules, whatever the user has set."""
    environment = dict(os.environ)
    if bytecode:
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", *code]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment).stdout


def make_model(path: Path, size: int) -> int:
    """Write a model file of about so many MB, and return how many words it knows.

    Straight into the file's arrays: to learn so many words would take a minute and gigabytes.
    """
    header, arrays = nabi.TextClassifier(ledger=False).fit(["a", "b"], ["even", "odd"])._state()
    n = size * 10**6 // WORD_BYTES // 2 * 2
    each = np.full(2, n // 2, np.uint64)  # a word is of one class, seen once
    arrays |= {
        "class_docs": each,
        "class_tokens": each,
        "words": _letters(np.arange(n)).reshape(-1),
        "word_offsets": np.arange(0, LETTERS * (n + 1), LETTERS, np.uint32),
        "cell_offsets": np.arange(n + 1, dtype=np.uint32),
        "cell_classes": np.arange(n, dtype=np.uint8) % np.uint8(2),
        "cell_counts": np.ones(n, np.uint8),
    }
    model_file.write(path, header, arrays)
    return n


def _letters(numbers: np.ndarray) -> np.ndarray:
    """A row of ten letters for each number, in the order of the numbers."""
    left = numbers * (26**LETTERS // 10**9)  # so that the words differ early, too
    letters = np.empty((len(left), LETTERS), np.uint8)
    for place in reversed(range(LETTERS)):
        letters[:, place] = left % 26 + ord("a")
        left //= 26
    return letters


def page(figures: Figures) -> str:
    rows = [["start", "ms"]]
    rows += [[f"import {name}", f"{s * 1e3:.1f}"] for name, s in figures["import"].items()]
    for how, times in figures["load"].items():
        rows.append([f"load, {how}", f"{times['load_s'] * 1e3:.1f}"])
        rows.append(["  then predict one line", f"{times['predict_s'] * 1e3:.1f}"])
    rows.append(["nabi predict MODEL LINE, from the shell", f"{figures['command_s'] * 1e3:.1f}"])
    return (
        f"Importing nabi takes {_import_ratio(figures):.2f} times as long as numpy, a part of it.\n"
        f"The model has {figures['mb']:.0f} MB and {figures['words']:,} words, and is in the page "
        f"cache.\nFresh processes, best of {figures['best_of']}.\n\n{table(rows)}"
    )


if __name__ == "__main__":
    main()

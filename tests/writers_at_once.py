"""Two processes change one model file at random; afterwards nothing may be missing.

    python tests/writers_at_once.py 500      # rounds of each process

Each round learns a text (by the command line or by `nabi.edit`), merges a model of one text into
the file, renames a class of the process's own, or calibrates. At the end the file must hold the
documents of all rounds, under the last name of their class, and no other.
"""

import contextlib
import os
import random
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE, Popen

import nabi
from nabi.cli import main

FILE = "shared.nabi"


def base(rounds: int) -> list[tuple[str, str]]:
    """Texts of two classes; those of a writer stay below a tenth of all, as calibrate asks."""
    words = {"a": "left", "b": "right"}
    return [(f"{words[c]} number {i}", c) for c in words for i in range(60 + 4 * rounds)]


def run(*arguments: str) -> None:
    code = main([*arguments, "-q"])
    if code:
        raise SystemExit(code)


class Writer:
    """One of the processes: its texts, and what its class is called now."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.random = name, random.Random(seed)
        self.texts: list[str] = []
        self.label = f"{name}-0"

    def text(self) -> str:
        """A new text, of no other round."""
        self.texts.append(f"{self.name} round {len(self.texts)}")
        return self.texts[-1]

    def learn(self) -> None:
        data = Path(f"{self.name}.csv")
        data.write_text(f"text,label\n{self.text()},{self.label}\n", "utf-8")
        run("learn", FILE, str(data))

    def edit(self) -> None:
        with nabi.edit(FILE) as model:
            model.partial_fit([self.text()], [self.label])

    def merge(self) -> None:
        one = f"{self.name}.nabi"
        nabi.TextClassifier().fit([self.text()], [self.label]).save(one)
        run("merge", FILE, one, "-o", FILE)

    def rename(self) -> None:
        if not self.texts:
            return
        old, self.label = self.label, f"{self.name}-{self.random.randrange(10**9)}"
        run("classes", FILE, "--rename", f"{old}={self.label}")

    def calibrate(self) -> None:
        run("calibrate", FILE, "base.csv")


def work(name: str, rounds: int) -> None:
    """Change the file so many times; print the last name of the class, and the texts."""
    writer = Writer(name, seed=len(name) * 1000 + ord(name[0]))
    for _ in range(rounds):
        writer.random.choice(
            [writer.learn, writer.edit, writer.merge, writer.rename, writer.calibrate]
        )()
    print(writer.label, *writer.texts, sep="\n")


def lost(folder: Path, rounds: int) -> int:
    """Return how many documents the file lacks or has too many after all rounds of two writers."""
    documents = base(rounds)
    with contextlib.chdir(folder):
        Path("base.csv").write_text(
            "text,label\n" + "".join(f"{text},{label}\n" for text, label in documents), "utf-8"
        )
        nabi.TextClassifier().fit(*map(list, zip(*documents, strict=True))).save(FILE)
        command = [sys.executable, __file__, str(rounds)]
        both = [
            Popen([*command, name], stdout=PIPE, stderr=PIPE, text=True) for name in ("one", "two")
        ]
        ended = [process.communicate() for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        printed = [out.splitlines() for out, _ in ended]
        model = nabi.load(FILE)
    documents += [(text, lines[0]) for lines in printed for text in lines[1:]]
    missing = 0
    for text, label in documents:
        try:
            model.forget([text], [label])
        except nabi.NabiError:
            missing += 1
    left = model.class_count_.sum() if model.__sklearn_is_fitted__() else 0
    print(f"{len(documents)} documents, {missing} missing, {left:g} too many", file=sys.stderr)
    return missing + int(left)


if __name__ == "__main__":
    if sys.argv[2:]:
        work(sys.argv[2], int(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as made:
            sys.exit(lost(Path(made), int(sys.argv[1])) > 0)

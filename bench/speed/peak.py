"""The memory of one contender in a process of its own.

    python -m bench.speed.peak nabi-1 words FILE

Prints as JSON, in MB: `before`, with the library imported and the texts loaded; the peak of
training; the peak of training and predicting.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.speed import memory
from bench.speed.contenders import contender
from bench.speed.corpus import read_csv


def peak_of(key: str, recipe: str, path: Path) -> dict[str, float]:
    """What a fresh process measures."""
    command = [sys.executable, "-m", "bench.speed.peak", key, recipe, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def main(key: str, recipe: str, path: str) -> None:
    one = contender(key, recipe)
    corpus = read_csv(path)
    with tempfile.TemporaryDirectory() as folder:
        ready = one.ready_to_train(corpus, Path(folder))
        texts = one.ready_to_predict(corpus.texts)
        memory.reset_peak()
        found = {"before": memory.resident()}
        model = one.train(ready)
        found["train"] = memory.peak()
        one.predict(model, texts)
        found["predict"] = memory.peak()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])

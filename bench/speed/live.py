"""How soon `nabi predict MODEL -` answers a line of standard input, and how fast a long pipe is.

python -m bench.speed.live [LINES]

A line is sent, its answer is waited for, then the next is sent. The page prints the distribution of
the times between; the target is an answer within 100 ms.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import nabi

COMMAND = [sys.executable, "-m", "nabi.cli", "predict"]
WORDS = [f"word{i}" for i in range(2000)]
LIMIT = 0.1  # seconds
PIPED = 1_000_000  # lines


def main(lines: int) -> int:
    """Print the times; return 1 if an answer took longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model.nabi"))
        texts = list(some_texts(2000))
        nabi.TextClassifier().fit(texts, ["a", "b"] * 1000).save(model)
        start, times = answered(model, list(some_texts(lines)))
        rate = piped(model, Path(folder, "lines.txt"))
    ranked = sorted(times)
    print(f"{lines:,} lines, one at a time: milliseconds from the line to its answer")
    for share in (0, 0.5, 0.9, 0.99, 0.999, 1):
        at = min(len(ranked) - 1, int(share * len(ranked)))
        print(f"  {share:>6.1%}  {1000 * ranked[at]:8.3f}")
    print(f"first answer after the start of the command: {1000 * start:.0f} ms")
    print(f"a pipe of {PIPED:,} lines: {rate:,.0f} lines/s, the start of the command included")
    late = sum(each > LIMIT for each in times)
    print(f"later than {1000 * LIMIT:.0f} ms: {late}")
    return int(late > 0)


def some_texts(number: int) -> Iterator[str]:
    """Yield texts of ten words."""
    random = Random(0)
    return (" ".join(random.choices(WORDS, k=10)) for _ in range(number))


def answered(model: str, lines: list[str]) -> tuple[float, list[float]]:
    """Return the seconds to the first answer, and from each later line to its answer."""
    times = []
    began = time.perf_counter()
    with subprocess.Popen(
        [*COMMAND, model, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for i, line in enumerate(["first", *lines]):
            start = time.perf_counter()
            process.stdin.write(f"{line}\n".encode())
            answer = process.stdout.readline()
            if i == 0:  # the header comes before the first answer
                answer, first = process.stdout.readline(), time.perf_counter() - began
            assert answer.decode().startswith(line), answer
            times.append(time.perf_counter() - start)
        process.stdin.close()
    return first, times[1:]


def piped(model: str, path: Path) -> float:
    """Return the lines in a second that a pipe of very many takes."""
    path.write_text("".join(f"{text}\n" for text in some_texts(1000)) * (PIPED // 1000))
    start = time.perf_counter()
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
        subprocess.run(
            [*COMMAND, model, "-"], stdin=cat.stdout, stdout=subprocess.DEVNULL, check=True
        )
    return PIPED / (time.perf_counter() - start)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))

"""How often the honest interval covers the accuracy on the whole pool without labels.

python -m bench.labelling.interval [--sets a,b] [--sessions 200] [--processes 2]

A session labels by the default queue; at 50, 100 and 200 keys the accuracy of the model as it is on
all texts of the pool that have no label is compared with the interval that the page shows.
"""

import argparse
import multiprocessing
from functools import cache
from pathlib import Path

import numpy as np

from bench.labelling.sessions import DATA, Set, opened, read, session
from nabi.server.labelling.honest import honest

SETS = ("sms_spam", "r8", "trec6", "bbc_news", "mr")
AT = (50, 100, 200)


@cache
def cached(name: str, folder: Path) -> Set:
    """Return a set, read once a process."""
    return read(name, folder)


def covered(job: tuple[str, Path, int]) -> list[tuple[float, float, float, float, int]]:
    """Return, at each number of keys: true accuracy, figure, low, high, audits."""
    name, folder, seed = job
    some, found = cached(name, folder), []
    actual = np.array(some.labels)
    with opened(some) as store:
        for n in session(some, store, by="doubt", seed=seed, keys=AT[-1]):
            if n in AT:
                labelled = {int(one.id) for one in store.walk()}
                left = [i for i in range(len(some.texts)) if i not in labelled]
                with store.view() as view:
                    predicted = view.model.predict([some.texts[i] for i in left])
                now = honest(store)
                assert now.accuracy is not None
                right = float(np.mean(predicted == actual[left]))
                found.append((right, *now.accuracy, now.audits))
    return found


def main() -> None:
    """Print the share of sessions whose interval covers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    names = given.sets.split(",")
    jobs = [(names[n % len(names)], given.data, n) for n in range(given.sessions)]
    jobs.sort()
    with multiprocessing.get_context("forkserver").Pool(given.processes) as pool:
        found = np.array(pool.map(covered, jobs, chunksize=1))
    print("| keys | sessions | covered | audits | mean width | figure less the truth, points |")
    print("|---|---|---|---|---|---|")
    for at, (right, shown, low, high, audits) in zip(AT, found.transpose(1, 2, 0), strict=True):
        inside = (low <= right) & (right <= high)
        bias = 100 * (shown - right).mean()
        print(
            f"| {at} | {len(right)} | {inside.mean():.1%} | {audits.mean():.0f} | "
            f"{(high - low).mean():.3f} | {bias:+.1f} |"
        )
    for name in names:
        own = [n for n, job in enumerate(jobs) if job[0] == name]
        right, _, low, high, _ = found[own].transpose(2, 0, 1)
        inside = ((low <= right) & (right <= high)).mean(axis=0)
        cells = [f"{share:.1%}" for share in inside]
        print(f"{name}: {', '.join(cells)} of {len(own)}")


if __name__ == "__main__":
    main()

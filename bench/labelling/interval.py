"""How often the honest interval covers the accuracy of the model as it is on the whole pool.

python -m bench.labelling.interval [--sets a,b] [--sessions 200] [--first 0] [--processes 2]

A session labels by the default queue. At 50, 100 and 200 keys the interval that the page shows is
compared with two accuracies: on the whole pool, texts with a label judged by the model without
them; and on what is left of it without a label, which is easier, since doubtful texts are gone: the
interval for it takes out what is known of the others.
"""

import argparse
import multiprocessing
from functools import cache
from pathlib import Path

import numpy as np

from bench.labelling.sessions import DATA, Set, opened, read, session
from nabi.server.labelling.honest import honest
from nabi.server.labelling.judging import judged

SETS = ("sms_spam", "r8", "trec6", "bbc_news", "mr")
AT = (50, 100, 200)
TOLD = 20  # sessions between two tables

Row = tuple[float, ...]


@cache
def cached(name: str, folder: Path) -> Set:
    """Return a set, read once a process."""
    return read(name, folder)


def covered(job: tuple[str, Path, int]) -> tuple[str, list[Row]]:
    """Return the set, and by number of keys: two true accuracies, both intervals, audits."""
    name, folder, seed = job
    some, found = cached(name, folder), list[Row]()
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
                rest = predicted == actual[left]
                own = judged(store).result.correct
                whole = float(np.concatenate([rest, own]).mean())
                assert now.rest is not None
                row = (whole, float(rest.mean()), *now.accuracy, *now.rest, now.audits)
                found.append(row)
    return name, found


def main() -> None:
    """Print the share of sessions whose interval covers, also while they run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first session")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    names = given.sets.split(",")
    seeds = range(given.first, given.first + given.sessions)
    jobs = [(names[n % len(names)], given.data, n) for n in seeds]
    found: list[tuple[str, list[Row]]] = []
    with multiprocessing.get_context("forkserver").Pool(given.processes) as pool:
        for one in pool.imap_unordered(covered, jobs):
            found.append(one)
            if len(found) % TOLD == 0 or len(found) == len(jobs):
                show(names, found)


def show(names: list[str], found: list[tuple[str, list[Row]]]) -> None:
    """Print what is known by these sessions."""
    rows = np.array([row for _, row in found])
    print(
        "| keys | sessions | covers the whole | covers the rest | by its own interval | audits | "
        "width | figure less whole | own figure less rest |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for at, (right, rest, shown, low, high, own, own_low, own_high, audits) in zip(
        AT, rows.transpose(1, 2, 0), strict=True
    ):
        shares = [
            ((one <= truth) & (truth <= other)).mean()
            for truth, one, other in (
                (right, low, high),
                (rest, low, high),
                (rest, own_low, own_high),
            )
        ]
        print(
            f"| {at} | {len(right)} | {shares[0]:.1%} | {shares[1]:.1%} | {shares[2]:.1%} | "
            f"{audits.mean():.0f} | {(high - low).mean():.3f} | "
            f"{100 * (shown - right).mean():+.1f} points | "
            f"{100 * (own - rest).mean():+.1f} points |"
        )
    for name in names:
        own = rows[[one == name for one, _ in found]]
        if len(own):
            right, _, _, low, high = own.transpose(2, 0, 1)[:5]
            inside = ((low <= right) & (right <= high)).mean(axis=0)
            print(f"{name}: {', '.join(f'{share:.1%}' for share in inside)} of {len(own)}")
    print(flush=True)


if __name__ == "__main__":
    main()

"""Runs that crash a store: loss of power, failing calls of the disk, killed processes.

    python tests/crash_runs.py --power 1000 --kills 1000 --http 100 --every 1

Each run compares the store that is opened after it with a plain replay of what was acknowledged.
"""

import argparse
import copy
import logging
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import apsw

from crash_disk import CrashDisk
from nabi.errors import StoreError
from nabi.server import Learn, Store, Where
from nabi.server.store.upkeep import check
from store_oracle import PlainStore, made, random_change

DISK_ERRORS = (apsw.Error, StoreError, OSError)


class Scripted:
    """Sends random changes to a store, some at a time, and knows which were acknowledged."""

    def __init__(self, seed, plain=None):
        self.chance = random.Random(seed)
        self.plain = PlainStore() if plain is None else plain
        self.sent = []  # changes that are under way

    def run(self, store, rounds):
        """Send some changes at a time and wait for all."""
        for _ in range(rounds):
            future_plain = copy.deepcopy(self.plain)
            self.sent = []
            for _ in range(self.chance.randint(1, 5)):
                change = random_change(self.chance, future_plain)
                if change is not None:
                    made(future_plain, change)
                    self.sent.append(change)
            futures = [store.submit([change], who="me") for change in self.sent]
            for future in futures:
                future.result()
                made(self.plain, self.sent.pop(0))

    def possible(self):
        """States that may be found: what was acknowledged, and some of what was under way."""
        states = [copy.deepcopy(self.plain)]
        for change in self.sent:
            states.append(copy.deepcopy(states[-1]))
            made(states[-1], change)
        return states


def verify(directory, script):
    """Open a store after a crash; return the plain store that it equals, or say what is wrong."""
    with Store(directory) as store:
        found = {e.position: (e.id, e.text, e.label) for e in store.walk(Where(counted=None))}
    checked = check(directory)
    assert not checked.problems, checked.problems
    for plain in script.possible():
        if plain.position == checked.position:
            assert plain.examples() == found
            return plain
    acknowledged = script.plain.position
    raise AssertionError(f"acknowledged up to {acknowledged}, found {checked.position} entries")


def scripted_run(directory, script, disk, rounds):
    """Open a store on a disk and send changes until the disk fails; whether it did."""
    try:
        store = Store(directory, vfs=disk.name)
    except DISK_ERRORS:
        return True
    try:
        script.run(store, rounds)
    except DISK_ERRORS:
        assert store.status().read_only is not None
        refused(store)
        return True
    finally:
        store.close()
    return disk.failed


def refused(store):
    """After a failed write a store predicts, and takes no change."""
    with store.view() as view:
        if view.model.__sklearn_is_fitted__():
            view.model.predict(["good film"])
    try:
        store.submit([Learn("after the end", "pos")], who="me")
    except StoreError:
        return
    raise AssertionError("a change was taken after a failed write")


def power_losses(count, seed=0, *, say=lambda text: None):
    """Cut the power `count` times, every now and then from a new store; return the cuts made."""
    chance, cuts, plain = random.Random(seed), 0, None
    folder = Path(tempfile.mkdtemp(prefix="nabi-power-"))
    here, there = folder / "a", folder / "b"
    while cuts < count:
        if cuts % 10 == 0:
            shutil.rmtree(here, ignore_errors=True)
            plain = None
        disk = CrashDisk(fails_at=chance.randint(1, 250), dies=True)
        script = Scripted(chance.random(), plain)
        if scripted_run(here, script, disk, rounds=40):
            disk.leave(here, there, chance)
            here, there = there, here
            cuts += 1
            plain = verify(here, script)
            say(f"power cut {cuts} of {count}: nothing lost")
        else:
            plain = verify(here, script)
        disk.unregister()
    shutil.rmtree(folder)
    return cuts


def failing_calls(every, error, seed=0, rounds=6, *, say=lambda text: None):
    """Let each call of a scripted run fail, one a run; return how many runs there were."""
    folder = Path(tempfile.mkdtemp(prefix="nabi-calls-"))
    counting = CrashDisk()
    scripted_run(folder / "0", Scripted(seed), counting, rounds)
    at, runs = 1, 0
    while at <= counting.calls:
        disk, script = CrashDisk(fails_at=at, error=error), Scripted(seed)
        scripted_run(folder / str(at), script, disk, rounds)
        verify(folder / str(at), script)
        shutil.rmtree(folder / str(at))
        disk.unregister()
        say(f"{error.__name__} at call {at} of {counting.calls}: nothing lost")
        at, runs = at + every, runs + 1
    counting.unregister()
    shutil.rmtree(folder)
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--power", type=int, default=1000, help="losses of power")
    parser.add_argument("--every", type=int, default=1, help="fail every n-th call of the disk")
    parser.add_argument("--kills", type=int, default=1000, help="processes killed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--http", type=int, default=100, help="`nabi serve` killed under HTTP")
    given = parser.parse_args()

    def say(text):
        sys.stderr.write(f"\r{text}   ")

    start = time.time()
    logging.disable(logging.CRITICAL)  # a thousand stores that turn read-only
    print(f"power losses: {power_losses(given.power, given.seed, say=say)}, 0 lost, 0 twice")
    for error in (apsw.IOError, apsw.FullError):
        runs = failing_calls(given.every, error, given.seed, say=say)
        print(f"{error.__name__}: {runs} failing calls, 0 lost, 0 twice")
    from crash_kills import Client, HttpClient, killed_servers

    kinds = ("a store", given.kills, Client), ("nabi serve", given.http, HttpClient)
    for what, kills, kind in kinds:
        if kills:
            told = killed_servers(kills, given.seed, say=say, kind=kind)
            print(f"SIGKILLs of {what}: {kills}, {told} acknowledged, 0 lost, 0 twice")
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()

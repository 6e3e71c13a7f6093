"""Three servers on one database, eight clients, and kills of the servers and of the database.

    PYTHONPATH=tests python tests/crash_team.py --kills 300 --database 50

Each check compares the counts of all servers, and the store with what clients were told.
"""

import argparse
import contextlib
import json
import logging
import multiprocessing
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import postgres
from crash_kills import CLIENTS, KINDS, Client
from nabi.errors import AwayError, QueueFullError
from nabi.server import Key, Store, Where
from nabi.server.store.upkeep import check

SERVERS = 3
PER_CHECK, PER_STORE = 5, 50  # kills between two checks, and of one store
AGAIN = 0.05  # seconds


def serve(place, address):
    """Answer lines of JSON on a socket from a store, until somebody kills the process."""
    logging.disable(logging.CRITICAL)  # a database that is away again and again
    store = opened(place)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(CLIENTS)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=answer, args=(store, connection), daemon=True).start()


def opened(place):
    """A store, once its database answers."""
    while True:
        try:
            return Store(place)
        except AwayError:
            time.sleep(AGAIN)


def answer(store, connection):
    """Answer each line: a position, or that it shall be asked again."""
    with connection.makefile("rw") as lines:
        for line in lines:
            lines.write(json.dumps(answered(store, line)) + "\n")
            lines.flush()


def answered(store, line):
    """What is told of a line: a change, or `{"digest": position}`."""
    asked = json.loads(line)
    if "digest" in asked:
        store.wait(asked["digest"], 30)
        return {
            "position": store.position,
            "digest": store._writer.put(store._sides.digest).result().hex(),
        }
    change = KINDS[asked["kind"]](**asked["given"])
    try:
        key = Key(asked["key"], line.encode())
        return {"position": store.submit([change], who=asked["who"], key=key).result().position}
    except (AwayError, QueueFullError):
        return {"again": True}


class TeamClient(Client):
    """A client that asks any server, and another one where that is gone."""

    def __init__(self, number, seed):
        super().__init__(number, seed)
        self.refused = []

    def run_team(self, addresses, ended):
        """Ask until the end; what had no answer is asked again, with its key."""
        while not ended.is_set():
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(self.chance.choice(addresses))
                    with connection.makefile("rw") as lines:
                        self.talk(lines, ended)
            except OSError:
                ended.wait(AGAIN)

    def talk(self, lines, ended):
        for _ in range(self.chance.randint(1, 40)):
            if ended.is_set():
                return
            self.waiting = self.waiting or self.request()
            lines.write(json.dumps(self.waiting) + "\n")
            lines.flush()
            told = lines.readline()
            if not told.endswith("\n"):
                return
            found = json.loads(told)
            if "again" in found:
                ended.wait(AGAIN)
                return
            self.note(self.waiting, found["position"])
            self.waiting = None


class Team:
    """Servers as processes, on one database."""

    def __init__(self, place, folder):
        self.place, self.folder, self.started = place, folder, 0
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["nabi.server", "crash_team"])
        self.addresses = [str(folder / f"server{n}") for n in range(SERVERS)]
        self.processes = [self.start(n) for n in range(SERVERS)]

    def start(self, number):
        Path(self.addresses[number]).unlink(missing_ok=True)
        given = (self.place, self.addresses[number])
        process = self.context.Process(target=serve, args=given, daemon=True)
        process.start()
        return process

    def kill(self, number):
        self.processes[number].kill()
        self.processes[number].join()
        self.processes[number] = self.start(number)

    def ask(self, number, asked):
        """The answer of a server, once it answers."""
        while True:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(60)
                connection.connect(self.addresses[number])
                with connection.makefile("rw") as lines:
                    lines.write(json.dumps(asked) + "\n")
                    lines.flush()
                    told = lines.readline()
                    if told.endswith("\n"):
                        return json.loads(told)
            time.sleep(AGAIN)

    def close(self):
        for process in self.processes:
            process.kill()
            process.join()


def compare(team, clients):
    """Whether servers have equal counts, and the store what clients know, once."""
    with opened(team.place) as store:
        for client in clients:
            if client.waiting is not None:
                asked, client.waiting = client.waiting, None
                change = KINDS[asked["kind"]](**asked["given"])
                body = (json.dumps(asked) + "\n").encode()
                done = store.submit([change], who=client.who, key=Key(asked["key"], body)).result()
                client.note(asked, done.position)
        head = store.position
        found = sorted((e.id, e.text, e.label) for e in store.walk(Where()))
        own = store._writer.put(store._sides.digest).result().hex()
    known = [(id, *example) for client in clients for id, example in client.examples.items()]
    assert found == sorted(known), "the store differs from what was acknowledged"
    for number in range(SERVERS):
        told = team.ask(number, {"digest": head})
        assert told == {"position": head, "digest": own}, (number, told, head, own)


def killed_team(kills, database_kills, seed=0, *, say=lambda text: None):
    """Kill servers and the database; return how many changes were acknowledged, and the checks."""
    chance, folder = random.Random(seed), Path(tempfile.mkdtemp(prefix="nabi-team-"))
    rounds = ["server"] * kills + ["database"] * database_kills
    chance.shuffle(rounds)
    acknowledged = checks = 0
    with postgres.restartable() as database:
        for start in range(0, len(rounds), PER_STORE):
            clients = [TeamClient(number, chance.random()) for number in range(CLIENTS)]
            some = rounds[start : start + PER_STORE]
            with contextlib.closing(Team(database.new(), folder)) as team:
                for at in range(0, len(some), PER_CHECK):
                    taught(team, database, clients, some[at : at + PER_CHECK], chance)
                    compare(team, clients)
                    checks += 1
                    made = min(start + at + PER_CHECK, len(rounds))
                    say(f"{made} kills of {len(rounds)}: all is equal")
                problems = check(team.place).problems
                assert not problems, problems
            acknowledged += sum(client.acknowledged for client in clients)
    shutil.rmtree(folder, ignore_errors=True)
    return acknowledged, checks


def taught(team, database, clients, kills, chance):
    """Let clients teach while servers and the database are killed."""
    ended = threading.Event()
    given = (team.addresses, ended)
    threads = [threading.Thread(target=client.run_team, args=given) for client in clients]
    for thread in threads:
        thread.start()
    for what in kills:
        time.sleep(chance.uniform(0.1, 0.6))
        if what == "database":
            database.kill()
            time.sleep(chance.uniform(0.0, 0.5))
            database.start()
        else:
            team.kill(chance.randrange(SERVERS))
    time.sleep(chance.uniform(0.1, 0.6))
    ended.set()
    for thread in threads:
        thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="servers killed")
    parser.add_argument("--database", type=int, default=50, help="kills of the database")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    started = time.time()
    logging.disable(logging.CRITICAL)

    def say(text):
        sys.stderr.write(f"\r{text}   ")

    total, checks = killed_team(given.kills, given.database, given.seed, say=say)
    print(
        f"SIGKILLs: {given.kills} of servers, {given.database} of the database; {total} changes "
        f"acknowledged, 0 lost, 0 twice; equal digests at {checks} checks; "
        f"{time.time() - started:.0f} s"
    )


if __name__ == "__main__":
    main()

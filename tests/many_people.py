"""Many people label one pool at three servers on one database: what each was given, and kappa.

    PYTHONPATH=tests python tests/many_people.py --people 20 --texts 5000 --overlap 0.05

No text is given to two people but for a second label, and kappa is scikit-learn's.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import select
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict

import numpy as np
from sklearn.metrics import cohen_kappa_score

import postgres
from nabi.server import Store
from nabi.server.http.tokens import add_token

SERVERS, CLASSES = 3, ["a", "b", "c"]
STARTS, IDLE = 120, 0.2  # seconds
KEPT = 3.0  # seconds for which a connection is used again
RIGHT = 0.85  # the share of labels that are the text's own


@contextlib.contextmanager
def serving(address):
    """The port of a server on a database, which is ended at the end."""
    command = [sys.executable, "-m", "nabi.cli", "serve", "--store", address, "--port", "0"]
    made = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipe, out = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, stdout=pipe, stderr=out, text=True, env=made) as process:
        try:
            yield _port(process)
        finally:
            process.kill()


def _port(process):
    said = ""
    while select.select([process.stdout], [], [], STARTS)[0]:
        line = process.stdout.readline()
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
        said += line
        assert line, f"the server does not start: {said}"
    raise AssertionError(f"the server does not start: {said}")


class Person:
    """Somebody who labels what a server gives, at one server after the other."""

    def __init__(self, name, token, ports, seed):
        self.name, self.token, self.ports = name, token, ports
        self.chance = random.Random(seed)
        self.connections = {}
        self.given = []  # (id, second, label)
        self.failure = None

    def ask(self, path, body):
        """The answer of a server."""
        port, now = self.chance.choice(self.ports), time.monotonic()
        one, used = self.connections.get(port, (None, 0.0))
        if now - used > KEPT:
            one = http.client.HTTPConnection("127.0.0.1", port, 60)
        self.connections[port] = one, now
        headers = {"Authorization": f"Bearer {self.token}", "Nabi-Page": f"tab-of-{self.name}"}
        one.request("POST", path, json.dumps(body), headers)
        response = one.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, (path, response.status, answer)
        return answer

    def run(self):
        """Label until nothing is left."""
        try:
            by, rests = self.chance.choice(["random", "random", "doubt"]), 0
            while rests < 5:
                found = self.ask("/next", {"count": self.chance.randint(1, 5), "by": by})["items"]
                for item in found:
                    self.label(item)
                rests = 0 if found else rests + 1
                time.sleep(0 if found else IDLE)
        except Exception as error:
            self.failure = error
        for one, _ in self.connections.values():
            one.close()

    def label(self, item):
        """Say what a text is, rightly most of the time."""
        own = item["text"][-1]
        label = own if self.chance.random() < RIGHT else self.chance.choice(CLASSES)
        self.given.append((item["id"], item["second"], label))
        if item["second"]:
            self.ask("/second", {"id": item["id"], "label": label})
        else:
            text = {"text": item["text"], "label": label, "id": item["id"]}
            self.ask("/learn", {"examples": [text]})


def texts(number, seed=1):
    """Texts, whose last word is their class."""
    chance = random.Random(seed)
    for n in range(number):
        own = chance.choice(CLASSES)
        words = [f"{chance.choice([own, 'x'])}{chance.randrange(300)}" for _ in range(8)]
        yield {"id": f"id{n}", "text": f"{n} {' '.join(words)} of {own}"}


def labelled(database, number, n_people, overlap):
    """The people who have labelled all texts, and what the servers say of their agreement."""
    with Store(database) as store:
        names = [f"person{n}" for n in range(n_people)]
        tokens = [add_token(store.journal, name, "label") for name in names]
        owner = add_token(store.journal, "chief", "admin")
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(serving(database)) for _ in range(SERVERS)]
        admin = Person("chief", owner, ports, 0)
        admin.ask("/project", {"overlap": overlap})
        pool = list(texts(number))
        for at in range(0, number, 1000):
            admin.ask("/pool", {"texts": pool[at : at + 1000]})
        time.sleep(3)  # servers read settings again every two seconds
        people = [Person(*who, ports, n) for n, who in enumerate(zip(names, tokens, strict=True))]
        threads = [threading.Thread(target=one.run) for one in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        told = [agreement(port, owner) for port in ports]
    failed = [(one.name, one.failure) for one in people if one.failure is not None]
    assert not failed, failed
    return people, told


def agreement(port, token):
    """What a server says of how far people agree."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, 60)) as one:
        one.request("GET", "/agreement", headers={"Authorization": f"Bearer {token}"})
        return json.loads(one.getresponse().read())


def compare(people, told, number):
    """Check what was given and the kappas; return how many texts had a second label."""
    first, second = {}, {}
    for one in people:
        for id, is_second, label in one.given:
            into = second if is_second else first
            assert id not in into, f"{id} was given twice"
            into[id] = (one.name, label)
    assert len(first) == number, f"{len(first)} of {number} texts were given"
    assert all(first[id][0] != who for id, (who, _) in second.items())
    pairs = [(first[id][1], label) for id, (_, label) in second.items()]
    for answer in told:
        assert answer["texts"] == len(second)
        assert abs(answer["kappa"] - cohen_kappa_score(*zip(*pairs, strict=True))) < 1e-12
        for label, kappa in answer["classes"].items():
            both = [[each == label for each in side] for side in zip(*pairs, strict=True)]
            assert abs(kappa - cohen_kappa_score(*both)) < 1e-12
        _compare_pairs(answer, first, second)
    return len(second)


def _compare_pairs(answer, first, second):
    by_pair = defaultdict(list)
    for id, (other, label) in second.items():
        said = {first[id][0]: first[id][1], other: label}
        by_pair[tuple(sorted(said))].append(said)
    assert {tuple(one["who"]) for one in answer["pairs"]} == set(by_pair)
    for one in answer["pairs"]:
        found = by_pair[tuple(one["who"])]
        sides = [[said[who] for said in found] for who in one["who"]]
        same = len(set(sides[0]) | set(sides[1])) == 1  # where scikit-learn has no kappa
        kappa = 1.0 if same else cohen_kappa_score(*sides)
        assert one["texts"] == len(found)
        assert abs(one["kappa"] - kappa) < 1e-12


def run(database, number, n_people, overlap):
    """Return a line of what was found; AssertionError where something is wrong."""
    started = time.time()
    people, told = labelled(database, number, n_people, overlap)
    twice = compare(people, told, number)
    per_person = Counter({one.name: len(one.given) for one in people})
    return twice, (
        f"{n_people} people, {SERVERS} servers, {number} texts: each given once, {twice} "
        f"({twice / number:.2%}) also to a second person; kappa {told[0]['kappa']:.6f} and those "
        f"of {len(told[0]['pairs'])} pairs are scikit-learn's; {min(per_person.values())} to "
        f"{max(per_person.values())} texts a person; {time.time() - started:.0f} s"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--overlap", type=float, default=0.05)
    given = parser.parse_args()
    np.seterr(all="ignore")
    with postgres.databases() as new:
        print(run(new(), given.texts, given.people, given.overlap)[1])


if __name__ == "__main__":
    main()

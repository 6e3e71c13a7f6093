"""Servers that are killed while eight clients teach them; each client knows what it was told."""

import contextlib
import http.client
import json
import multiprocessing
import os
import random
import shutil
import socket
import tempfile
import threading
from pathlib import Path

from nabi.cli import main
from nabi.server import Forget, Key, Learn, Relabel, Store, Undo, Where
from nabi.server.store.upkeep import check

CLIENTS = 8
KINDS = {"learn": Learn, "relabel": Relabel, "forget": Forget, "undo": Undo}
WORDS = ["good", "bad", "film", "so", "plot", "dull", "fine", "great", "end", "start"]


def serve(directory, address):
    """Answer lines of JSON on a socket from a store, until somebody kills the process."""
    store = Store(directory)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(CLIENTS)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=answer, args=(store, connection), daemon=True).start()


def answer(store, connection):
    with connection.makefile("rw") as lines:
        for line in lines:
            asked = json.loads(line)
            change = KINDS[asked["kind"]](**asked["given"])
            outcome = store.submit([change], who=asked["who"], key=Key(asked["key"], line.encode()))
            lines.write(json.dumps({"position": outcome.result().position}) + "\n")
            lines.flush()


def wait_for_socket(process, address):
    """Wait until a server listens."""
    while not Path(address).exists():
        process.join(0.005)
        assert process.is_alive(), "the server did not start"


def serve_http(directory, port):
    """Be `nabi serve` of a directory."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        main(["serve", "--data", str(directory), "--port", str(port)])


def wait_for_port(process, port):
    """Wait until a server listens on a port."""
    while True:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        process.join(0.005)
        assert process.is_alive(), "the server did not start"


class Client:
    """Changes examples of its own, one request after the other, and remembers the answers."""

    def __init__(self, number, seed):
        self.chance, self.who = random.Random(seed), f"client{number}"
        self.made = 0  # requests
        self.examples = {}  # id: (text, label)
        self.last = {}  # id: the position of its last change, and what it was before
        self.waiting = None  # the request that has no answer yet
        self.acknowledged = 0

    def request(self):
        self.made += 1
        kind, given = self.choose()
        return {"kind": kind, "given": given, "who": self.who, "key": f"key{self.made}"}

    def choose(self):
        kind = self.chance.choice(["learn", "learn", "learn", "relabel", "forget", "undo"])
        label = self.chance.choice(["pos", "neg"])
        if kind == "undo" and self.last:
            return "undo", {"position": self.last[self.chance.choice(sorted(self.last))][0]}
        if kind in ("relabel", "forget") and self.examples:
            given = {"id": self.chance.choice(sorted(self.examples))}
            return kind, {**given, "label": label} if kind == "relabel" else given
        text = " ".join(self.chance.choices(WORDS, k=6))
        return "learn", {"text": text, "label": label, "id": f"{self.who}-{self.made}"}

    def note(self, asked, position):
        """Take an answer in."""
        self.acknowledged += 1
        given, kind = asked["given"], asked["kind"]
        if kind == "undo":
            id = next(id for id, (at, _) in self.last.items() if at == given["position"])
            self.restore(id, self.last.pop(id)[1])
            return
        id, before = given["id"], self.examples.get(given["id"])
        self.last[id] = (position, before)
        if kind == "learn":
            self.examples[id] = (given["text"], given["label"])
        elif kind == "relabel":
            self.examples[id] = (before[0], given["label"])
        else:
            del self.examples[id], self.last[id]

    def restore(self, id, before):
        if before is None:
            del self.examples[id]
        else:
            self.examples[id] = before

    def run(self, address):
        """Ask until the server is gone. What had no answer is asked again, with its key."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(address)
                with connection.makefile("rw") as lines:
                    while True:
                        self.waiting = self.waiting or self.request()
                        lines.write(json.dumps(self.waiting) + "\n")
                        lines.flush()
                        told = lines.readline()
                        if not told.endswith("\n"):
                            return
                        self.note(self.waiting, json.loads(told)["position"])
                        self.waiting = None
        except OSError:
            return

    @property
    def token(self):
        """By which name the journal knows the client."""
        return self.who

    def key(self, asked):
        """The idempotency key of a request, as the server gives it to the store."""
        return Key(asked["key"], (json.dumps(asked) + "\n").encode())

    wait_for, serve = staticmethod(wait_for_socket), staticmethod(serve)

    @staticmethod
    def address(folder, kill):
        """Where the server of a kill shall listen."""
        return str(folder / f"socket{kill}")


class HttpClient(Client):
    """The same by HTTP, from `nabi serve`."""

    token, wait_for, serve = "owner", staticmethod(wait_for_port), staticmethod(serve_http)

    @staticmethod
    def address(folder, kill):
        """A port that is free now."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return free.getsockname()[1]

    def key(self, asked):
        """The idempotency key of a request, as the server gives it to the store."""
        path, body = self.written(asked)
        return Key(f"owner {self.who}-{asked['key']}", f"{path}\n{body}".encode())

    @staticmethod
    def written(asked):
        """The path and the body of a request."""
        kind, given = asked["kind"], asked["given"]
        bodies = {
            "learn": {"examples": [given]},
            "relabel": {"examples": [given]},
            "forget": {"ids": [given.get("id")]},
            "undo": given,
        }
        return f"/{kind}", json.dumps(bodies[kind])

    def run(self, address):
        """Ask until the server is gone. What had no answer is asked again, with its key."""
        one = http.client.HTTPConnection("127.0.0.1", address)
        secret = (self.directory / "token").read_text().strip()
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(one):
            while True:
                self.waiting = self.waiting or self.request()
                key = f"{self.who}-{self.waiting['key']}"
                path, body = self.written(self.waiting)
                headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
                one.request("POST", path, body, headers)
                answer = one.getresponse()
                told = json.loads(answer.read())
                assert answer.status == 200, told
                self.note(self.waiting, told["position"])
                self.waiting = None


def killed_servers(count, seed=0, *, say=lambda text: None, kind=Client):
    """Kill a server `count` times; compare the store with what clients were told; the total."""
    chance, total = random.Random(seed), 0
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["nabi.server", "nabi.server.http.start", "crash_kills"])
    folder = Path(tempfile.mkdtemp(prefix="nabi-kills-"))
    clients = []
    for kill in range(count):
        if kill % 25 == 0:
            total += sum(client.acknowledged for client in clients)
            clients = [kind(n, chance.random()) for n in range(CLIENTS)]
            directory = folder / f"data{kill}"
            for client in clients:
                client.directory = directory
        address = kind.address(folder, kill)
        process = processes.Process(target=kind.serve, args=(directory, address), daemon=True)
        process.start()
        kind.wait_for(process, address)
        threads = [threading.Thread(target=client.run, args=(address,)) for client in clients]
        for thread in threads:
            thread.start()
        process.join(chance.uniform(0.02, 0.3))
        process.kill()
        process.join()
        for thread in threads:
            thread.join()
        compare(directory, clients)
        say(f"kill {kill + 1} of {count}")
    shutil.rmtree(folder)
    return total + sum(client.acknowledged for client in clients)


def compare(directory, clients):
    """Finish what had no answer with its key; then the store holds what clients know, once."""
    with Store(directory) as store:
        for client in clients:
            if client.waiting is not None:
                asked, client.waiting = client.waiting, None
                change, who = KINDS[asked["kind"]](**asked["given"]), client.token
                done = store.submit([change], who=who, key=client.key(asked)).result()
                client.note(asked, done.position)
        found = sorted((e.id, e.text, e.label) for e in store.walk(Where()))
    known = [(id, *example) for client in clients for id, example in client.examples.items()]
    assert found == sorted(known)
    checked = check(directory)
    assert not checked.problems, checked.problems

"""Clients that load a server as fast as it answers, and the processes of servers to load."""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import uvloop

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
Requests = Callable[[int], bytes]  # the number of a request -> its bytes


class Client(asyncio.Protocol):
    """A connection that sends the next request as soon as the last is answered.

    `every`: not before so many seconds after the last was sent.
    """

    def __init__(
        self, requests: Requests, times: list[float], statuses: dict[int, int], every: float = 0
    ) -> None:
        self.requests, self.times, self.statuses, self.every = requests, times, statuses, every
        self.number, self.buffer, self.stopped = 0, b"", False
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.began = time.perf_counter()
        self.transport.write(self.requests(self.number))
        self.number += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head = self.buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        found = LENGTH.search(self.buffer, 0, head)
        if len(self.buffer) < head + 4 + int(found[1]):
            return
        self.times.append(time.perf_counter() - self.began)
        status = int(self.buffer[9:12])
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.buffer = b""
        if self.stopped:
            self.transport.close()
        elif (pause := self.began + self.every - time.perf_counter()) > 0:
            asyncio.get_running_loop().call_later(pause, self.send_or_close)
        else:
            self.send()

    def send_or_close(self) -> None:
        self.transport.close() if self.stopped else self.send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(error)


async def _load(
    ports: list[int], requests: Requests, clients: int, seconds: float, every: float
) -> tuple:
    times: list[float] = []
    statuses: dict[int, int] = {}
    loop = asyncio.get_running_loop()
    made: list[Client] = []
    for number in range(clients):
        new = Client(requests, times, statuses, every)
        await loop.create_connection(lambda new=new: new, "127.0.0.1", ports[number % len(ports)])
        made.append(new)
    await asyncio.sleep(seconds / 5)  # warm
    times.clear()
    statuses.clear()
    began = time.perf_counter()
    await asyncio.sleep(seconds)
    spent, number = time.perf_counter() - began, len(times)
    measured = list(times)
    for client in made:
        client.stopped = True
    await asyncio.wait_for(asyncio.gather(*(client.ended for client in made)), 30)
    return number / spent, sorted(measured), statuses


def load(port: int, requests: Requests, *, clients: int, seconds: float, rate: float = 0) -> tuple:
    """Return the requests answered a second, the sorted times, and the numbers of statuses.

    `rate`: requests a second of all clients together; 0: as fast as the server answers.
    """
    return load_many([port], requests, clients=clients, seconds=seconds, rate=rate)


def load_many(
    ports: list[int], requests: Requests, *, clients: int, seconds: float, rate: float = 0
) -> tuple:
    """Return what `load` does, of clients that are spread over several servers."""
    every = clients / rate if rate else 0
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_load(ports, requests, clients, seconds, every))


def request(path: str, body: object, token: str = "") -> bytes:
    """Return the bytes of a POST."""
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    return f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data


def percentile(ranked: list[float], share: float) -> float:
    """Return a quantile of sorted numbers."""
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


@contextlib.contextmanager
def running(*arguments: str, errors: object = None) -> Iterator[tuple[int, subprocess.Popen]]:
    """Run a server that prints its address; the port, and the process."""
    command = [sys.executable, "-m", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise RuntimeError(f"no address: {line!r}")
        yield int(found[1]), process
    finally:
        process.terminate()
        process.wait(60)


def nabi_server(folder: Path, *more: str) -> contextlib.AbstractContextManager:
    """Run `nabi serve --data`; the token is in its folder."""
    return running("nabi.cli", "serve", "--data", str(folder), "--port", "0", *more)


def resident(process: subprocess.Popen, field: str = "VmRSS") -> int:
    """Return the memory of a process, in bytes."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))

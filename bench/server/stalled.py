"""Stalled clients: are they closed within 10 s, and do healthy requests notice?

python -m bench.server.stalled [CONNECTIONS]

A third sends no headers, a third half a body, a third a byte a second. Then a body of 1 GB comes in
chunks, of which the server must neither keep nor wait for more than its limit.
"""

import asyncio
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.server.clients import load, nabi_server, percentile, request, resident

SECONDS = 10.0  # in which stalled connections are to be closed
CHUNK = b"100000\r\n" + b"x" * 2**20 + b"\r\n"


async def stall(port: int, kind: int, token: str, ended: list[float]) -> None:
    """Open a connection that stalls, and note how long it is left open."""
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    start = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    if kind == 1:
        writer.write(f'{start}Content-Length: 1000\r\n\r\n{{"texts": ["half'.encode())
    closing = asyncio.ensure_future(reader.read())
    sent = iter(start)
    while not closing.done():
        if kind == 2:
            writer.write(next(sent, "x").encode())
        await asyncio.wait([closing], timeout=1)
        if time.perf_counter() - began > 3 * SECONDS:
            break
    closing.cancel()
    ended.append(time.perf_counter() - began)
    writer.close()


async def stall_all(port: int, token: str, number: int, ended: list[float]) -> None:
    await asyncio.gather(*(stall(port, i % 3, token, ended) for i in range(number)))


def send_gigabyte(port: int, token: str) -> bytes:
    """Send 1 GB in chunks; the status line that comes back."""
    import contextlib
    import socket

    head = "POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    with socket.create_connection(("127.0.0.1", port), 60) as one:
        with contextlib.suppress(ConnectionError):
            one.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
            for _ in range(1024):
                one.sendall(CHUNK)
        with contextlib.suppress(ConnectionError):
            return one.recv(65536)
    return b""


def main(number: int) -> int:
    """Print the figures; return 1 if one is missed."""
    with (
        tempfile.TemporaryDirectory() as folder,
        nabi_server(Path(folder, "store")) as (port, server),
    ):
        token = Path(folder, "store", "token").read_text().strip()
        taught = {"examples": [{"text": "good", "label": "a"}, {"text": "bad", "label": "b"}]}
        load(port, lambda _: request("/learn", taught, token), clients=1, seconds=0.2)
        asked = request("/predict", {"texts": ["a good film"]}, token)
        _, before, _ = load(port, lambda _: asked, clients=4, seconds=8)
        ended: list[float] = []
        stalling = threading.Thread(
            target=lambda: asyncio.run(stall_all(port, token, number, ended))
        )
        stalling.start()
        _, during, statuses = load(port, lambda _: asked, clients=4, seconds=8)
        stalling.join()
        memory = resident(server)
        answer = send_gigabyte(port, token)
        more = (resident(server, "VmHWM") - memory) / 1e6
    p99 = [1000 * percentile(times, 0.99) for times in (before, during)]
    print(f"{number} stalled connections: all closed after {max(ended):.1f} s")
    print(f"p99 of healthy requests: {p99[0]:.2f} ms before, {p99[1]:.2f} ms during; {statuses}")
    print(f"1 GB in chunks: {answer[:12].decode()}, at most {more:.1f} MB more memory")
    good = max(ended) <= SECONDS and p99[1] <= 2 * p99[0]
    good = good and answer.startswith(b"HTTP/1.1 413") and b"connection: close" in answer
    return 0 if good and more <= 20 and set(statuses) == {200} else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))

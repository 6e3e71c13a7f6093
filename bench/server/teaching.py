"""Clients that teach a server, in a process of their own beside one that measures predictions.

python -m bench.server.teaching PORT RATE SECONDS < TOKEN
"""

import sys

from bench.server.clients import load, percentile, request


def learned(number: int, token: str) -> bytes:
    """Return the request that teaches a text of its own."""
    text = f"message {number} of many: call {number % 997} now"
    label = "spam" if number % 2 else "ham"
    return request("/learn", {"examples": [{"text": text, "label": label}]}, token)


def main(port: int, rate: float, seconds: float) -> None:
    """Teach from 64 clients, and print how many a second were acknowledged."""
    token, numbers = input(), iter(range(10**7, 10**9))
    print("teaching", flush=True)
    made = lambda _: learned(next(numbers), token)  # noqa: E731
    found, times, statuses = load(port, made, clients=64, seconds=seconds, rate=rate)
    print(f"{found:,.0f}/s, p99 {1000 * percentile(times, 0.99):.0f} ms, {statuses}")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))

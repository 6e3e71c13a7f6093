"""Metrics: what the server counts about itself, in Prometheus's text format. No user text."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Requests by path and status, and how long they took."""

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.texts: Counter[str] = Counter()  # predicted, learned, ...
        self._buckets: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()

    def observe(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[path, status] += 1
        buckets = self._buckets.get(path)
        if buckets is None:
            buckets = self._buckets[path] = [0] * (len(BOUNDS) + 1)
        buckets[bisect_left(BOUNDS, seconds)] += 1
        self._sums[path] += seconds  # type: ignore[assignment]

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all figures, with gauges by name: what they tell, and their values."""
        own = {"nabi_uptime_seconds": ("Seconds since the start.", time.time() - self.started)}
        lines = [*_counters(self.requests, self.texts), *self._histogram()]
        for name, (about, value) in {**own, **gauges}.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value:.9g}"]
        return "\n".join([*lines, ""])

    def _histogram(self) -> Iterable[str]:
        name = "nabi_request_seconds"
        yield from (f"# HELP {name} Time to answer a request.", f"# TYPE {name} histogram")
        for path, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, number in zip([*BOUNDS, "+Inf"], buckets, strict=True):
                total += number
                yield f'{name}_bucket{{path="{path}",le="{bound}"}} {total}'
            yield f'{name}_sum{{path="{path}"}} {self._sums[path]:.9g}'
            yield f'{name}_count{{path="{path}"}} {total}'


def _counters(requests: Counter[tuple[str, int]], texts: Counter[str]) -> Iterable[str]:
    yield "# HELP nabi_requests_total Requests, by path and status."
    yield "# TYPE nabi_requests_total counter"
    for (path, status), number in sorted(requests.items()):
        yield f'nabi_requests_total{{path="{path}",status="{status}"}} {number}'
    yield "# HELP nabi_texts_total Texts, by what was done with them."
    yield "# TYPE nabi_texts_total counter"
    for verb, number in sorted(texts.items()):
        yield f'nabi_texts_total{{verb="{verb}"}} {number}'

"""How many threads the kernel may use."""

import os

from nabi.base.checks import whole_number

MOST = 256


def n_threads(threads: int | None) -> int:
    """Return the number of threads; None stands for all that this process may use."""
    if threads is None:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    expected = "a whole number from 1, or None for all"
    return min(whole_number("threads", threads, 1, expected=expected), MOST)

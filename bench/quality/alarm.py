"""The alarm of `/metrics` on simulated audits: how often it is false, and how soon it comes.

python -m bench.quality.alarm

Each store has 2,000 audits, looked at after each of them, as a server does that nobody asks less.
"""

import sys

import numpy as np

from nabi.server.history.drift import BEFORE, RECENT, fallen

STORES, AUDITS, CHANGE, LIMIT = 400, 2000, 1000, 4.0


def falls(rights: np.ndarray) -> np.ndarray:
    """Return the figure after each audit from the first on that has one."""
    sums = np.concatenate([[0], np.cumsum(rights)])
    found = []
    for n in range(2 * RECENT, len(rights) + 1):
        first = max(0, n - RECENT - BEFORE)
        before, recent = sums[n - RECENT] - sums[first], sums[n] - sums[n - RECENT]
        found.append(fallen(int(before), n - RECENT - first, int(recent), RECENT))
    return np.array(found)


def main() -> int:
    """Print the shares of stores with an alarm, and the audits until it comes."""
    random = np.random.default_rng(1)
    for before, after in ((0.9, 0.9), (0.7, 0.7), (0.9, 0.8), (0.9, 0.7), (0.9, 0.5), (0.7, 0.5)):
        shares = np.where(np.arange(AUDITS) < CHANGE, before, after)
        delays, early = [], 0
        for _ in range(STORES):
            z = falls(random.random(AUDITS) < shares)
            at = np.flatnonzero(z > LIMIT) + 2 * RECENT
            early += bool((at < CHANGE).any())
            late = at[at >= CHANGE]
            delays.append(late[0] - CHANGE if len(late) else np.inf)
        seen = np.isfinite(delays).mean()
        median = f"{np.median(delays):.0f} audits" if seen > 0.5 else "-"
        print(
            f"{before:.2f} -> {after:.2f}: above {LIMIT:g} in the first half {early / STORES:.3f}, "
            f"in the second {seen:.3f} of the stores; median delay {median}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How much memory this process takes.

Not by ru_maxrss: a new process inherits that of the one that started it, and it cannot be reset.
"""

from pathlib import Path


def resident() -> float:
    """MB in memory now."""
    return _field("VmRSS")


def peak() -> float:
    """MB at the highest, since the start or `reset_peak`."""
    return _field("VmHWM")


def reset_peak() -> None:
    """Let the peak start from what is in memory now."""
    Path("/proc/self/clear_refs").write_text("5")


def _field(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(f"/proc/self/status has no {name}")

"""Options that let an engine share the work: Spark or Dask, for `train` and `predict`."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import ClassVar

from click import UsageError

from nabi.cli.options.declare import option
from nabi.engines.workers import NAMES, Workers, connect


@dataclass(frozen=True)
class Engine:
    """Which engine shares the work among its workers, and where it is."""

    PANEL: ClassVar[str] = "Engines"
    engine: str | None = option(
        "Let workers of Spark or Dask read and count the files; they need nabi and the same paths.",
        "spark|dask",
    )
    master: str | None = option(
        "Spark: spark://HOST:PORT, local[N], or sc://HOST:PORT for Spark Connect (default: "
        "local[*]).",
        "URL",
    )
    scheduler: str | None = option(
        "Dask: tcp://HOST:PORT of the scheduler (default: processes on this machine).", "URL"
    )

    @property
    def typed(self) -> str | None:
        """The option as it was typed; None without an engine."""
        return None if self.engine is None else f"--engine {self.engine}"

    def check(self, shard: str | None = None) -> None:
        """Refuse options that do not go together."""
        if self.engine is not None and shard is not None:
            raise UsageError(f"{self.typed} and --shard: an engine makes shares itself; give one.")
        if self.engine is not None and self.engine not in NAMES:
            raise UsageError(f"--engine {self.engine}: expected {' or '.join(NAMES)}.")
        for name, value, engine in (
            ("master", self.master, "spark"),
            ("scheduler", self.scheduler, "dask"),
        ):
            if value is not None and self.engine != engine:
                raise UsageError(f"--{name} goes with --engine {engine}.")

    def connected(self) -> AbstractContextManager[Workers]:
        """Connect to the engine."""
        assert self.engine is not None
        return connect(self.engine, self.master or self.scheduler)

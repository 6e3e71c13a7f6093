"""The command line: a file for each command, each a few lines over the library."""

import sys

TYPE_CHECKING = False  # as in `nabi`: nothing is imported before Ctrl-C is heard

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command; return the exit code. Ctrl-C also ends it while modules are imported."""
    try:
        if arguments is None:
            from nabi.cli.stopping import stop_start_at_once

            stop_start_at_once()
        from nabi.cli.app import main as run

        return run(arguments)
    except KeyboardInterrupt:
        print("nabi: stopped", file=sys.stderr)  # noqa: T201
        return 130

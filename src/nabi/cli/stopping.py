"""Signals that stop a command: at once while it starts, and later so that it tidies up."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

STOPPED = 130


def stop_at_once(number: int, frame: object) -> None:
    """End the process: while it starts or ends, there is nothing to tidy up.

    An exception could come within a compiled module, which may abort or make another error of it,
    or where Python only prints it.
    """
    os.write(2, b"nabi: stopped\n")
    os._exit(STOPPED)


def stop_start_at_once() -> None:
    """Let Ctrl-C end the process, until a command runs; whoever has another handler keeps it."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_at_once)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end a block by KeyboardInterrupt with the number.

    No copy of the data is left behind. Compiled modules may make an ImportError of it.
    """
    from click.exceptions import Exit  # not before Ctrl-C is heard

    asked: list[int] = []

    def stop(number: int, frame: object) -> None:
        asked.append(number)
        raise KeyboardInterrupt(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()
    # Others keep their handlers, and nohup its own.
    ours = (signal.SIG_DFL, signal.default_int_handler, stop_at_once)
    own = {n: signal.getsignal(n) for n in numbers if is_main and signal.getsignal(n) in ours}
    for number in own:
        signal.signal(number, stop)
    try:
        yield
    except Exit:  # the end that a command has chosen after the signal
        raise
    except Exception:
        if asked:
            raise KeyboardInterrupt(asked[0]) from None
        raise
    finally:
        for number, before in own.items():
            signal.signal(number, before)

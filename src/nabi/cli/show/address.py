"""Where a server is: said on the screen, and opened in a browser; and its log."""

import logging
import os
import sys
import threading
import webbrowser
from typing import Any

from nabi.base.printable import printable
from nabi.cli.show import screen


class _Shown(logging.Formatter):
    """Lines of a log, of which a terminal obeys nothing: they may name a stranger's labels."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return printable(super().formatException(ei), kept="\n\t")


def log_to_screen() -> None:
    """Write what the server and its libraries log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Shown())
    logging.getLogger().addHandler(handler)


def announce(out: Any, settings: Any, made: Any, *, opens: bool = False) -> None:
    """Print where the server is; its token only to a terminal, since logs are read by others."""
    what = str(settings.model) if settings.model else made.app.service.store.journal.name
    file = None if made.token_file is None else str(made.token_file)
    result = {"serves": what, "address": made.address, "token_file": file}
    tokens = (
        "tokens are made by `nabi store token add`" if file is None else f"the token is in {file}"
    )
    words = f"nabi serves {what} at {made.address}; {tokens}"
    out.print(result, lambda _: screen.say(words))
    page = f"{made.address}/" if file is None else f"{made.address}/#token={made.tokens.owner}"
    if sys.stdout.isatty():
        screen.say(f"open {page}")
    sys.stdout.flush()
    if opens and has_browser():
        threading.Thread(target=webbrowser.open, args=[page], daemon=True).start()


def has_browser() -> bool:
    """Whether a browser can be opened that has a window of its own."""
    if os.environ.get("BROWSER"):
        return True
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

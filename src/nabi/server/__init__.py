"""The server's rooms: a durable store that learns, corrects and forgets while it predicts."""

from nabi.server.store.changes import (
    Allowance,
    Drop,
    Example,
    Forget,
    Join,
    Key,
    Learn,
    Outcome,
    Receipt,
    Relabel,
    Rename,
    Status,
    Undo,
    Usage,
    Where,
)
from nabi.server.store.counting import View
from nabi.server.store.store import Store

__all__ = [
    "Allowance",
    "Drop",
    "Example",
    "Forget",
    "Join",
    "Key",
    "Learn",
    "Outcome",
    "Receipt",
    "Relabel",
    "Rename",
    "Status",
    "Store",
    "Undo",
    "Usage",
    "View",
    "Where",
]

"""Save files, and remember which: so that Ctrl-C can say the truth about them."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from nabi.cli.show.decision import decision_line
from nabi.cli.show.screen import note
from nabi.errors import NabiError
from nabi.files import model_file
from nabi.metrics.thresholds import Decision

SAVED: list[str] = []


@contextlib.contextmanager
def saving(path: str) -> Iterator[None]:
    """Remember the file if it is another one afterwards, however the block ends."""
    before = _identity(path)
    try:
        yield
    finally:
        if _identity(path) != before:
            SAVED.append(path)


def save_model(model: Any, path: str) -> None:
    """Write a model file, and remember it."""
    with saving(path):
        model.save(path)


def save_new(model: Any, path: str) -> None:
    """Write a model that is not made of the file there: after whoever is changing that one.

    Thresholds that the file had are gone with it: they were chosen for another model. A note tells.
    """
    with exclusive(path):
        before = None if model.decision is not None else _stored_decision(path)
        save_model(model, path)
    if before is not None:
        note(
            f"the model that was in {path} had thresholds ({decision_line(before)}); the new one "
            f"has none: choose them anew by `nabi evaluate {path} TEST --precision C=P --keep`"
        )


def _stored_decision(path: str) -> Decision | None:
    """Return the decision rule stored in a model file, if there is one that can be read."""
    try:
        header = model_file.read(path, verify=False)[0]
        header = header["model"] if header["kind"] == "ruled" else header
        return Decision.from_dict(header["decision"], header["labels"])
    except (OSError, NabiError, KeyError, TypeError, ValueError):
        return None


def exclusive(path: str) -> contextlib.AbstractContextManager[Any]:
    """Keep other processes from changing a model file; say so while one of them does."""
    return model_file.exclusive(path, lambda: note(f"waiting: {path} is being changed"))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def what_was_saved() -> str:
    """`no file was changed`, or which were."""
    return f"{', '.join(SAVED)} was written before" if SAVED else "no file was changed"

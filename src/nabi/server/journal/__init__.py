"""The journal: what was taught, corrected and forgotten, kept durably; counts are its replay."""

from nabi.server.journal.interface import Entry, Journal

__all__ = ["Entry", "Journal"]

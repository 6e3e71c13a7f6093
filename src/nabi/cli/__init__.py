"""The command line: a file for each command, each a few lines over the library."""

from nabi.cli.app import app, main

__all__ = ["app", "main"]

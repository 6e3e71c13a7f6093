"""The app of all commands, and how a command ends: exit codes, one line for an error."""

import contextlib
import errno
import os
import shlex
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

import nabi
from nabi.cli.command import HELP, Command, help_all, summary
from nabi.cli.completion import complete, completion_options
from nabi.cli.help import help_page
from nabi.cli.saving import what_was_saved
from nabi.cli.show.screen import note
from nabi.cli.stopping import STOPPED
from nabi.errors import DataError, InputWarning, NabiError, StaleWarning

FAILED, USAGE = 1, 2
STALE = (
    "The model changed since calibration; probabilities are uncalibrated. "
    "Run `nabi calibrate MODEL DATA`."
)
STORE = ("check", "backup", "restore", "scrub", "rebuild", "export", "copy", "undo")
PAST = ("drift", "model", "without")
TOKEN = ("token add", "token list", "token remove")
MODULES = {"forget": "learn", "rules check": "rules"}  # of commands with another name than theirs
MODULES |= {f"store {name}": "store" for name in STORE}
MODULES |= {f"store {name}": "store_past" for name in PAST}
MODULES |= {f"store {name}": "store_token" for name in TOKEN}
GROUPS = {
    "store": "Look after the store of `nabi serve`: tokens, check, back up, restore, drift.",
    "store token": "Add, list and remove the tokens of `nabi serve`, and their roles.",
}
COMMANDS = (  # as they are typed, in the order of their use
    *("train", "tune", "predict", "explain", "words"),
    *("evaluate", "versus", "compare", "crossval", "suspects", "rules check"),
    *(
        "learn",
        "forget",
        "merge",
        "classes",
        "calibrate",
        "prune",
        "export",
        "info",
        "demo",
        "label",
        "serve",
    ),
    *(f"store {name}" for name in TOKEN),
    *(f"store {name}" for name in STORE),
    *(f"store {name}" for name in PAST),
)


def function_of(command: str) -> Callable[..., None]:
    """Import the function that runs a command: 'rules check' -> rules_check of commands/rules.py"""
    module = import_module(f"nabi.cli.commands.{MODULES.get(command, command)}")
    function: Callable[..., None] = getattr(module, command.replace(" ", "_"))
    return function


class Group(click.Group):
    """The commands that begin with the words of the group, each imported when it is asked for."""

    def __init__(self, words: str = "", **settings: Any) -> None:
        super().__init__(words or "nabi", no_args_is_help=True, **settings)
        self.words = words.split()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the next word of each command, in the order of their use."""
        own, n = self.words, len(self.words)
        listed = [command.split() for command in COMMANDS]
        return list(dict.fromkeys(words[n] for words in listed if words[:n] == own))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, a group where commands have one more word."""
        typed = " ".join([*self.words, cmd_name])
        if typed in COMMANDS:
            return Command(cmd_name, function_of(typed))
        longer = [name for name in COMMANDS if name.startswith(f"{typed} ")]
        if not longer:
            return None
        # Unknown options of a group are those of a command whose name was left out.
        settings = {**HELP, "ignore_unknown_options": True}
        about = GROUPS.get(typed) or summary(function_of(longer[0]))
        return Group(typed, help=about, context_settings=settings)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return name, command and what is left of what was typed; refuse an unknown name."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            close = get_close_matches(args[0], names)
            if self.words and not close:
                path = ctx.command_path
                meant = " or ".join(f"{path} {name} {shlex.join(args)}" for name in names)
                ctx.fail(f"{args[0]!r} is no command of `{path}`; type {meant}")
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options; --help-all is hidden, as --help shows all of them."""
        return [*super().get_params(ctx), help_all(hidden=True)]

    def get_help(self, ctx: click.Context, *, every: bool = True) -> str:
        """Return the help page: options and commands, `every` one in any case."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        summaries = {name: found.help or "" for name, found in commands.items() if found}
        return help_page(ctx, commands=summaries)


app = Group(
    help="Naive Bayes by exact counting: learn from labelled text, predict, explain, forget.",
    epilog="New here? [bold]nabi demo[/] shows it all on text that is already on this machine.",
    context_settings=HELP,
)
click.version_option(nabi.__version__, message="nabi %(version)s", help="Show the version.")(app)
app.params += completion_options()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    code = complete(app)
    if code is not None:
        return code
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        heard: list[Warning] = []
        warnings.showwarning = lambda message, *_, **__: heard.append(message)
        try:
            return _run(typed)
        finally:
            _tell(heard)


def _run(typed: list[str]) -> int:
    try:
        # `app(typed)` would hide Ctrl-C and a closed pipe.
        with app.make_context("nabi", typed) as context:
            app.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        return _usage(error)
    except (KeyboardInterrupt, click.Abort) as stop:
        note(f"stopped; {what_was_saved()}")
        return 128 + int(stop.args[0]) if stop.args else STOPPED
    except NabiError as error:
        skippable = isinstance(error, DataError) and error.skippable
        return _failed(f"{error}{'; --skip-bad sets such rows aside' if skippable else ''}")
    except OSError as error:
        if error.errno == errno.EPIPE:
            return _pipe_closed()
        what = error.strerror or str(error)
        what = what[:1].lower() + what[1:]
        return _failed(f"{error.filename}: {what}" if error.filename else what)
    except MemoryError:
        return _failed("out of memory; try --buckets 1000000 for a limit")


def _failed(message: str) -> int:
    note(" ".join(message.split()))
    return FAILED


def _usage(error: click.UsageError) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return USAGE
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        close = ", ".join(error.possibilities or ())
        hint = f" (Possible options: {close})" if close else ""
        message = f"No such option: {error.option_name}{hint}"
    path = error.ctx.command_path if error.ctx else "nabi"
    message = " ".join(message.split()).rstrip(".")
    end = "" if message.endswith("?") else "."
    note(f"{message}{end} Try `{path} --help`.")
    return USAGE


def _pipe_closed() -> int:
    """End quietly: the reader of standard output has closed it."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + signal.SIGPIPE


def _tell(heard: list[Warning]) -> None:
    """Print one note for each kind of warning, however many parts the data had."""
    inputs = [warning for warning in heard if isinstance(warning, InputWarning)]
    if inputs:
        missing, repaired = (sum(getattr(w, k) for w in inputs) for k in ("missing", "repaired"))
        note(str(InputWarning(missing, repaired, sum(w.total for w in inputs))))
    others = [w for w in heard if isinstance(w, UserWarning) and not isinstance(w, InputWarning)]
    messages = [STALE if isinstance(w, StaleWarning) else str(w) for w in others]
    for message in dict.fromkeys(messages):
        note(message)

"""The app of all commands, and how a command ends: exit codes, one line for an error."""

import contextlib
import errno
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import nabi
from nabi.cli.commands import (
    calibrate,
    classes,
    compare,
    crossval,
    demo,
    evaluate,
    explain,
    info,
    learn,
    merge,
    predict,
    prune,
    rules,
    suspects,
    train,
    tune,
    versus,
    words,
)
from nabi.cli.grouping import (
    Command,
    Family,
    Group,
    grouped,
    help_of,
    summary,
    typed,
)
from nabi.cli.options.common import UsageError
from nabi.cli.show.screen import note
from nabi.cli.show.written import what_was_written
from nabi.errors import DataError, InputWarning, NabiError, StaleWarning

FAILED, USAGE, STOPPED = 1, 2, 130
COMMANDS = (
    *(train.train, tune.tune, predict.predict, explain.explain, words.words),
    *(evaluate.evaluate, versus.versus, compare.compare, crossval.crossval, suspects.suspects),
    rules.rules_check,
    *(learn.learn, learn.forget, merge.merge, classes.classes, calibrate.calibrate),
    prune.prune,
    *(info.info, demo.demo),
)


class _All(Group):
    """All commands in the order of their use; typer puts those of two words last."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(dict.fromkeys(typed(command).split()[0] for command in COMMANDS))


app = typer.Typer(
    name="nabi",
    cls=_All,
    epilog="New here? [bold]nabi demo[/] shows it all on text that is already on this machine.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
families = {
    "rules": typer.Typer(
        cls=Family,
        help=summary(rules.rules_check),
        no_args_is_help=True,
        context_settings={"ignore_unknown_options": True},
    )
}
for name, family in families.items():
    app.add_typer(family, name=name)
for command in COMMANDS:
    *above, name = typed(command).split()
    place = families[above[0]] if above else app
    place.command(name, cls=Command, help=help_of(command), short_help=summary(command))(
        grouped(command)
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"nabi {nabi.__version__}")
        raise typer.Exit


@app.callback()
def callback(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Naive Bayes by exact counting: learn from labelled text, predict, explain, forget."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        heard: list[Warning] = []
        warnings.showwarning = lambda message, *_, **__: heard.append(message)
        try:
            return _run(given)
        finally:
            _tell(heard)


def _run(given: list[str]) -> int:
    try:
        _invoke(given)
        sys.stdout.flush()
        return 0
    except typer.Exit as end:
        return end.exit_code
    except UsageError as error:
        return _usage(error)
    except (KeyboardInterrupt, typer.Abort):
        note(f"stopped; {what_was_written()}")
        return STOPPED
    except DataError as error:
        skip = "; --skip-bad sets such rows aside" if error.skippable else ""
        return _failed(f"{error}{skip}")
    except NabiError as error:
        return _failed(str(error))
    except OSError as error:
        return _pipe_closed() if error.errno == errno.EPIPE else _failed(_sentence(error))
    except MemoryError:
        return _failed("out of memory; try --buckets 1000000 for a limit")


def _invoke(given: list[str]) -> None:
    """Run a command; unlike `app(given)`, which hides Ctrl-C and a closed pipe, it raises all."""
    if "_NABI_COMPLETE" in os.environ:
        app(prog_name="nabi")
    group = typer.main.get_command(app)
    with group.make_context("nabi", given) as context:
        group.invoke(context)


def _failed(message: str) -> int:
    note(" ".join(message.split()))
    return FAILED


def _sentence(error: OSError) -> str:
    """`mail.csv: permission denied`"""
    what = error.strerror or str(error)
    what = what[:1].lower() + what[1:]
    return f"{error.filename}: {what}" if error.filename else what


def _usage(error: Any) -> int:
    path = error.ctx.command_path if error.ctx else "nabi"
    message = " ".join(error.format_message().split()).rstrip(".")
    if message:  # without one, help has been shown already
        note(f"{message}. Try `{path} --help`.")
    return USAGE


def _pipe_closed() -> int:
    """Who reads our output has seen enough."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + signal.SIGPIPE


def _tell(heard: list[Warning]) -> None:
    """One note for each kind of warning, however many parts the data had."""
    inputs = [warning for warning in heard if isinstance(warning, InputWarning)]
    if inputs:
        missing, repaired = (sum(getattr(w, k) for w in inputs) for k in ("missing", "repaired"))
        note(str(InputWarning(missing, repaired, sum(w.total for w in inputs))))
    others = [w for w in heard if isinstance(w, UserWarning) and not isinstance(w, InputWarning)]
    for message in dict.fromkeys(map(_said, others)):
        note(message)


def _said(warning: Warning) -> str:
    """What a warning says, with a command in place of a method."""
    if isinstance(warning, StaleWarning):
        return "the calibration is of other counts and is not used: nabi calibrate MODEL DATA anew"
    return str(warning)

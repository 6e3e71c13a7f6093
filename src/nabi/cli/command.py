"""Build a click command from a function: dataclasses of options become groups of options."""

import inspect
import typing
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

import click

from nabi.cli.help import help_page
from nabi.cli.options.declare import Declared
from nabi.cli.stopping import stopped_by_signals

HELP = {"help_option_names": ["-h", "--help"]}
AT_ONCE = 12  # parameters of a command that fit on a screen with its examples


def summary(function: Callable[..., None]) -> str:
    """Return the first paragraph of a command's docstring."""
    return inspect.getdoc(function).split("\n\n")[0]  # type: ignore[union-attr]


def examples(function: Callable[..., None]) -> list[str]:
    """Return the command lines in a command's docstring, which stand between lines of ```."""
    lines = inspect.getdoc(function).split("```")[1]  # type: ignore[union-attr]
    return lines.strip().splitlines()


class Option(click.Option):
    """An option and the panel of the help page in which it is listed."""

    panel: str | None = None
    first: bool = False  # shown by --help also where the command has many options


class Argument(click.Argument):
    """An argument with a help text, which click's own has not."""

    help: str = ""

    def make_metavar(self, ctx: click.Context) -> str:
        """`MODEL`, `[TEXT]` where it may be left out, `[DATA]...` where there may be several."""
        name = f"{self.metavar}" if self.required else f"[{self.metavar}]"
        return name if self.nargs == 1 else f"{name}..."


class Command(click.Command):
    """A command of nabi: the function that runs it declares its options and documents it."""

    def __init__(self, name: str, function: Callable[..., None]) -> None:
        self.function = function
        taken = inspect.signature(function).parameters
        self.groups: dict[str, Any] = {
            name: each.annotation for name, each in taken.items() if is_dataclass(each.annotation)
        }
        params = [param for parameter in taken.values() for param in _params(parameter)]
        super().__init__(
            name, params=params, callback=self._run, help=summary(function), context_settings=HELP
        )

    def _run(self, **values: Any) -> None:
        """Call the function; the options of a dataclass go into one of its objects."""
        for name, group in self.groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in _fields(group)})
        with stopped_by_signals():
            self.function(**values)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return arguments and options; --help-all is hidden where --help shows all of them."""
        return [*super().get_params(ctx), help_all(hidden=len(self.params) <= AT_ONCE)]

    def get_help(self, ctx: click.Context, *, every: bool = False) -> str:
        """Return the help page: `every` option, or where there are many, the first ones."""
        return help_page(ctx, examples=examples(self.function), every=every)

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the whole summary, which is one sentence."""
        return self.help or ""


def _params(parameter: inspect.Parameter) -> Iterator[click.Parameter]:
    """Yield a click parameter, or one for each field where the parameter is a dataclass."""
    group: Any = parameter.annotation
    if not is_dataclass(group):
        yield _param(parameter.name, group, parameter.default, None, own=True)
        return
    for field in _fields(group):
        yield _param(field.name, field.type, field, getattr(group, "PANEL", None))


def _fields(group: Any) -> list[Field[Any]]:
    """Return the fields of a dataclass that declare options."""
    return [field for field in fields(group) if field.metadata]


def _param(
    name: str, annotation: Any, field: Any, panel: str | None, *, own: bool = False
) -> click.Parameter:
    """Return the click parameter that a field declares; `own` where no group of options has it."""
    declared: Declared = field.metadata["declared"]
    kind, *_ = typing.get_args(annotation) or [annotation]  # str of `str | None` and `list[str]`
    several = typing.get_origin(annotation) is list
    check = declared.check or (lambda value: value)
    settings: dict[str, Any] = {
        "type": click.IntRange(min=declared.least) if declared.least is not None else kind,
        "required": field.default is MISSING,
        "metavar": declared.metavar,
        "callback": lambda context, param, value: check(list(value) if several else value),
    }
    if field.default is not MISSING:
        settings["default"] = field.default
    if declared.argument:
        made = Argument([name], nargs=-1 if several else 1, **settings)
        made.help = declared.help
        return made
    names = [declared.name or f"--{name.replace('_', '-')}", name]
    names += [declared.short] if declared.short else []
    settings |= {"is_flag": kind is bool or None, "multiple": several, "help": declared.help}
    option = Option(names, show_default=declared.show_default, **settings)
    option.panel = panel if declared.panel is None else declared.panel
    option.first = own if declared.first is None else declared.first
    return option


def help_all(*, hidden: bool) -> Option:
    """Return the option that shows every option."""

    def show(context: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not context.resilient_parsing:
            click.echo(context.command.get_help(context, every=True))  # type: ignore[call-arg]
            context.exit()

    return Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options and exit.",
        hidden=hidden,
    )

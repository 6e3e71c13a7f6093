"""From a function to a command: groups of options, help that reads well, a quick start."""

import dataclasses
import functools
import inspect
import shlex
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any

from typer.core import TyperCommand, TyperGroup


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field, where a parameter is a dataclass of options."""
    parameters = inspect.signature(command).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in parameters if dataclasses.is_dataclass(p.annotation)
    }

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            given[name] = group(**{field: given.pop(field) for field in fields})
        command(**given)

    options = [option for p in parameters for option in _options(p)]
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if not dataclasses.is_dataclass(parameter.annotation):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        return
    for field in dataclasses.fields(parameter.annotation):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=field.type,
        )


def typed(command: Callable[..., None]) -> str:
    """What is typed after `nabi`: rules_check -> 'rules check'"""
    return command.__name__.replace("_", " ")


def summary(command: Callable[..., None]) -> str:
    """The first paragraph of a command's docstring."""
    return inspect.getdoc(command).split("\n\n")[0]  # type: ignore[union-attr]


def examples(command: Callable[..., None]) -> list[str]:
    """The command lines in a command's docstring, which stand between lines of ```."""
    lines = inspect.getdoc(command).split("```")[1]  # type: ignore[union-attr]
    return lines.strip().splitlines()


def help_of(command: Callable[..., None]) -> str:
    """Summary and examples as typer shows them."""
    shown = "\n".join(f"[not dim]  $ {line}[/]" for line in examples(command))
    return f"{summary(command)}\n\n{shown}"


class _Plain:
    """Help without the names of Python's types, and options read without pydantic."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            _show_plainly(param)
            if hasattr(param, "_runtime_param"):
                param._runtime_param = _Quick(param)
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.strip("{}").replace("}...", "...") for piece in pieces]


def _show_plainly(param: Any) -> None:
    """No `<str>` beside an argument, no `<bool>` beside a flag, no `[x>=1]` beside a number."""
    if param.param_type_name == "argument":
        param.display_type_rich = lambda ctx: None
    elif param.metavar is None and getattr(param, "is_flag", False):
        param.metavar = ""
    param.min = None  # as help shows it; what was typed is still checked


class _Quick:
    """Reads strings as they are.

    typer leaves even those to pydantic, and to import that takes a third of the time in which
    `nabi predict` labels a line. Here it is left what is no string: numbers that were typed.
    """

    def __init__(self, param: Any) -> None:
        self._kind, self._default = param.type_descriptor.annotation, param.default

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if self._kind is str or value is None or value == self._default:
            return value
        if self._kind == list[str]:
            return list(value)
        param._runtime_param = None  # which makes typer build its own
        return param.get_runtime_param().coerce(value, param, ctx)


class Command(_Plain, TyperCommand):
    """A command of ours."""


class Group(_Plain, TyperGroup):
    """All of them."""


class Family(Group):
    """Commands of two words that share the first; says what to type where the second is left out.

    Its `context_settings` ignore unknown options: they are those of a command that is not named.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The name, the command and what is left of what was typed."""
        names = self.list_commands(ctx)
        if not ctx.resilient_parsing and not get_close_matches(args[0], names):
            meant = " or ".join(f"{ctx.command_path} {name} {shlex.join(args)}" for name in names)
            ctx.fail(f"{args[0]!r} is no command of `{ctx.command_path}`; type {meant}")
        return super().resolve_command(ctx, args)

"""The help page of a command: usage, summary, examples, and a panel for each group of options."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.panel import Panel
    from rich.text import Text


def help_page(
    context: click.Context,
    *,
    examples: Sequence[str] = (),
    commands: Mapping[str, Mapping[str, str]] = {},
    every: bool = True,
) -> str:
    """Return the page, in colour where standard output is a terminal.

    Without `every`, a command that has --help-all shows the options that are declared `first`, and
    of each the first sentence: so the page fits on a screen.
    """
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    command, console = context.command, Console(highlight=False)
    context.color = True  # rich has decided that already
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    blocks: list[Any] = [
        Text.assemble(("Usage: ", "yellow"), (usage, "bold")),
        Text(command.help or ""),
    ]
    if examples:
        blocks.append(Text("\n".join(f"  $ {line}" for line in examples)))
    with console.capture() as captured:
        for block in blocks:
            console.print(Padding(block, (1, 1, 0, 1)))
        console.print()
        width = max((len(name) for some in commands.values() for name in some), default=0)
        for title, some in commands.items():
            names = ((Text(name.ljust(width), "bold cyan"), about) for name, about in some.items())
            console.print(_panel(title, [[name, Text(about)] for name, about in names]))
        params = [p for p in command.get_params(context) if not getattr(p, "hidden", False)]
        brief = not every and any("--help-all" in param.opts for param in params)
        listed = first_panels(params) if brief else panels(params)
        for title, shown in listed.items():
            console.print(_panel(title, [_row(param, brief=brief) for param in shown]))
        more = len(params) - sum(map(len, listed.values()))
        if more:
            console.print(f" {more} more options: [bold]{context.command_path} --help-all[/]")
        if command.epilog:
            console.print(Padding(Text.from_markup(command.epilog), (1, 1, 0, 1)))
    return captured.get()


def first_panels(params: Sequence[Any]) -> dict[str, list[Any]]:
    """Return arguments, and the options of all groups that --help lists where there are many."""
    listed: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for param in params:
        is_argument = param.param_type_name == "argument"
        if is_argument or getattr(param, "first", False):
            listed["Arguments" if is_argument else "Options"].append(param)
    return listed


def panels(params: Sequence[Any]) -> dict[str, list[Any]]:
    """Return arguments, options of no group, then options by the name of their group."""
    found: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for param in params:
        is_argument = param.param_type_name == "argument"
        name = "Arguments" if is_argument else getattr(param, "panel", None) or "Options"
        found.setdefault(name, []).append(param)
    return {name: listed for name, listed in found.items() if listed}


def default_of(param: Any) -> str:
    """Return the default of an option as it would be typed; '' for none."""
    hidden = param.default is None or param.required or not getattr(param, "show_default", False)
    return "" if hidden or isinstance(param.default, bool) else str(param.default)


def first_sentence(text: str) -> str:
    """'Read lines. Blank ones too.' -> 'Read lines.'"""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def _row(param: Any, *, brief: bool) -> "list[Text]":
    """Return the cells of an option: `--output`, `-o`, `MODEL`, what it does."""
    from rich.text import Text

    about = Text(first_sentence(param.help) if brief else param.help)
    default = "required" if param.required else f"default: {default_of(param)}"
    if param.required or default_of(param):
        about.append(f" [{default}]", "dim")
    if param.param_type_name == "argument":
        return [Text(param.metavar, "bold cyan"), about]
    names = sorted(param.opts, key=len, reverse=True)
    short = names[1] if len(names) > 1 else ""
    value = "" if getattr(param, "is_flag", False) else param.metavar or ""
    cells = ((names[0], "bold cyan"), (short, "bold green"), (value, "bold yellow"))
    return [*(Text(cell, style) for cell, style in cells), about]


def _panel(title: str, rows: "Sequence[Sequence[Text]]") -> "Panel":
    from rich.box import ROUNDED
    from rich.panel import Panel
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    for _ in rows[0][:-1]:
        table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(*row)
    return Panel(table, title=title, title_align="left", border_style="dim", box=ROUNDED)

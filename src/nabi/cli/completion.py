"""`--install-completion` and `--show-completion`: let the shell complete what is typed."""

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class, shell_complete

VARIABLE = "_NABI_COMPLETE"
SHELLS = {  # where the script goes, and the file that reads it when the shell starts
    "bash": ("~/.bash_completions/nabi.sh", "~/.bashrc"),
    "zsh": ("~/.zfunc/nabi.zsh", "~/.zshrc"),
    "fish": ("~/.config/fish/completions/nabi.fish", None),
}


def complete(group: click.Group) -> int | None:
    """Answer the shell if it asks for completions, and return the exit code; else None."""
    asked = os.environ.get(VARIABLE)
    return None if asked is None else shell_complete(group, {}, "nabi", VARIABLE, asked)


def completion_options() -> list[click.Option]:
    """Return the two options; the shell is that of $SHELL unless it is named."""
    settings: dict[str, Any] = {
        "is_flag": False,
        "flag_value": os.path.basename(os.environ.get("SHELL", "")) or "bash",
        "is_eager": True,
        "expose_value": False,
        "metavar": "[SHELL]",
    }
    return [
        click.Option(
            ["--install-completion"],
            help="Install completion for bash, zsh or fish (default: the shell in use).",
            callback=_install,
            **settings,
        ),
        click.Option(
            ["--show-completion"],
            help="Print what --install-completion would install.",
            callback=_show,
            **settings,
        ),
    ]


def _script(context: click.Context, shell: str) -> str:
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        context.fail(f"No completion for {shell!r}; expected one of {', '.join(SHELLS)}")
    return found(context.command, {}, "nabi", VARIABLE).source()


def _show(context: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        print(_script(context, shell))
        context.exit()


def _install(context: click.Context, param: click.Parameter, shell: str | None) -> None:
    if not shell or context.resilient_parsing:
        return
    text = _script(context, shell)
    path, startup = SHELLS[shell]
    script = Path(path).expanduser()
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(text, "utf-8")
    if startup:
        _add_line(Path(startup).expanduser(), f"source '{script}'")
    print(f"{shell} completion installed in {script}; it works from the next start of {shell} on.")
    context.exit()


def _add_line(path: Path, line: str) -> None:
    """Add a line to the end of a file, unless it is there."""
    text = path.read_text("utf-8") if path.exists() else ""
    if line not in text.splitlines():
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"\n{line}\n" if text else f"{line}\n")

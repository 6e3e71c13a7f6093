"""`--install-completion` and `--show-completion`: let the shell complete what is typed."""

import os
from pathlib import Path

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
    helps = {
        "--install-completion": "Install completion for bash, zsh or fish (default: your shell).",
        "--show-completion": "Print what --install-completion would install.",
    }
    return [
        click.Option(
            [name],
            is_flag=False,
            flag_value=os.path.basename(os.environ.get("SHELL", "")) or "bash",
            is_eager=True,
            expose_value=False,
            metavar="[SHELL]",
            callback=_give_script,
            help=help,
        )
        for name, help in helps.items()
    ]


def _give_script(context: click.Context, param: click.Parameter, shell: str | None) -> None:
    """Install or print the script of a shell, and end."""
    if not shell or context.resilient_parsing:
        return
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        context.fail(f"No completion for {shell!r}; expected one of {', '.join(SHELLS)}")
    script = found(context.command, {}, "nabi", VARIABLE).source()
    print(script if param.name == "show_completion" else _installed(shell, script))  # noqa: T201
    context.exit()


def _installed(shell: str, script: str) -> str:
    """Write the script to its file, let the shell read it at its start, and say so."""
    path, startup = (name and Path(name).expanduser() for name in SHELLS[shell])
    assert path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, "utf-8")
    if startup:
        text, line = startup.read_text("utf-8") if startup.exists() else "", f"source '{path}'"
        if line not in text.splitlines():
            with open(startup, "a", encoding="utf-8") as file:
                file.write(f"\n{line}\n" if text else f"{line}\n")
    return f"{shell} completion installed in {path}; it works from the next start of {shell} on."

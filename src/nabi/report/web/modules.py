"""ES modules as one script: each in a function of its own, with what it imports as constants.

A page that fetches nothing cannot import. Modules keep to a style that can be rewritten by three
patterns, and whatever does not fit is an error:

    import { a, b } from "./x.js";   at the top, one line, no renaming
    export function f                (also async function, const, class)
"""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files

IMPORT = re.compile(r'import \{ (\w+(?:, \w+)*) \} from "\./(\w+)\.js";')
EXPORT = re.compile(r"export ((?:async )?function|const|class) (\w+)")

SHARED = ("nabi.report.web", "shared")  # the package and its folder of files
Read = Callable[[str], str]  # the name of a module -> its text


def shared(name: str) -> str:
    """Return the text of a shared file: 'elements.js', 'parts.css'."""
    return files(SHARED[0]).joinpath(SHARED[1], name).read_text("utf-8")


def joined(entry: str, read: Read) -> str:
    """Return one script of a module and all that it imports."""
    order: dict[str, str] = {}
    _collect(entry, read, order, ())
    return "\n".join(order.values())


def _collect(name: str, read: Read, order: dict[str, str], within: tuple[str, ...]) -> None:
    """Add what a module imports, then the module."""
    if name in within:
        raise ValueError(f"modules import each other: {' -> '.join((*within, name))}")
    if name in order:
        return
    lines = read(name).splitlines()
    for _, other in imports(lines):
        _collect(other, read, order, (*within, name))
    order[name] = "\n".join(_wrapped(name, lines))


def imports(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield ('a, b', 'x') for each import of a module; refuse any other style."""
    for line in lines:
        if re.match(r"\s*import\b", line):
            found = IMPORT.fullmatch(line)
            if found is None:
                raise ValueError(f"an import of another style: {line}")
            yield found[1], found[2]


def _wrapped(name: str, lines: list[str]) -> Iterator[str]:
    exported = []
    yield f"const module_{name} = (() => {{"
    for line in lines:
        if found := IMPORT.fullmatch(line):
            yield f"const {{ {found[1]} }} = module_{found[2]};"
        elif line.startswith("export"):
            found = EXPORT.match(line)
            if found is None:
                raise ValueError(f"an export of another style: {line}")
            exported.append(found[2])
            yield line.removeprefix("export ")
        else:
            yield line
    yield f"return {{ {', '.join(exported)} }};\n}})();"

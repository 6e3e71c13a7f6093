"""`nabi demo`: real text that is already on the machine, and all that nabi does with it."""

import ast
import importlib.util
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.errors import MissingExtraError
from nabi.models.text import TextClassifier

LIBRARIES = ("numpy", "scipy", "sklearn")
QUESTION = "Return the eigenvalues of a sparse symmetric matrix."
LEFT_OUT = {"tests", "testing", "_vendor"}

Rows = list[tuple[str, str]]  # (text, label)


def demo(*, out: o.Output) -> None:
    """Try nabi on text that is already on this machine: which library is a docstring from?

    ```
    nabi demo
    ```
    """
    train, test = _split()
    start = time.perf_counter()
    model = TextClassifier(ngrams=(1, 2)).fit(*zip(*train, strict=True))
    seconds = time.perf_counter() - start
    texts, labels = zip(*test, strict=True)
    result = {
        "train": len(train),
        "test": len(test),
        "accuracy": model.score(texts, labels),
        "majority": max(map(labels.count, LIBRARIES)) / len(labels),  # always the largest class
        "vocabulary": model.n_features_,
        "seconds": round(seconds, 3),
    }
    out.print(result, lambda result: _show(model, result))


def docstrings(library: str) -> Iterator[tuple[str, str]]:
    """Yield (module, docstring) of an installed library, without its tests."""
    root = _folder(library)
    for path in sorted(root.rglob("*.py")):
        if LEFT_OUT.isdisjoint(path.relative_to(root).parts):
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            for text in _texts(path):
                yield module, text


def _folder(library: str) -> Path:
    found = importlib.util.find_spec(library)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(f"the demo reads the docstrings of {library}", "demo")
    return Path(found.submodule_search_locations[0])


def _texts(path: Path) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        tree = ast.parse(path.read_text("utf-8", "replace"))
    documented: list[ast.Module | ast.ClassDef | ast.FunctionDef] = [tree]
    for node in documented:
        text = ast.get_docstring(node)
        if text:
            yield text
        if not isinstance(node, ast.FunctionDef):  # what is within a function is its own affair
            documented += [x for x in node.body if isinstance(x, ast.ClassDef | ast.FunctionDef)]


def _split() -> tuple[Rows, Rows]:
    """Return texts to learn from and to test on: whole modules, so that no text has a twin."""
    parts: tuple[Rows, Rows] = ([], [])
    modules: dict[tuple[str, str], int] = {}
    for library in LIBRARIES:
        for module, text in docstrings(library):
            number = modules.setdefault((library, module), len(modules))
            parts[number % 4 == 0].append((text, library))
    return parts


def _show(model: TextClassifier, result: dict[str, Any]) -> None:
    from nabi.cli.show.explanation import show

    console = screen.console()
    console.print("[bold]Which library is a docstring from?[/]\n", markup=True)
    console.print(
        f"learned   {result['train']:,} docstrings of {', '.join(LIBRARIES)}: "
        f"{result['vocabulary']:,} words and pairs, {result['seconds']:.2f} s\n"
        f"tested    {result['test']:,} docstrings of modules it has not seen\n"
        f"accuracy  [bold]{result['accuracy']:.1%}[/]  (always the largest class: "
        f"{result['majority']:.1%})",
        markup=True,
    )
    console.print("\n[bold]The most telling words and pairs[/]\n", markup=True)
    for label in model.classes_:
        words = ", ".join(row.word for row in model.words(6, label=label))
        screen.say(f"{label:<9} {words}")
    console.print("\n[bold]One decision, explained[/]\n", markup=True)
    show(console, model.explain(QUESTION), 8)
    console.print("\n[bold]Now texts of your own[/], in two columns:", markup=True)
    screen.print_next(
        [
            r"printf 'text,label\nwin a prize,spam\nlunch at noon,ham\n' > demo.csv",
            "nabi train demo.csv -o demo.nabi",
            'nabi predict demo.nabi "a prize for you"',
        ]
    )

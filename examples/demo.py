"""Train on text that is already here: the docstrings of Python's own library, a class a package."""

import ast
import sysconfig
import time
from pathlib import Path

import nabi

PACKAGES = ("asyncio", "email", "unittest", "xml", "tkinter", "json", "http", "logging")


def docstrings(package: str) -> list[tuple[str, str]]:
    """(module, docstring) of everything documented in a package of the standard library."""
    folder = Path(sysconfig.get_paths()["stdlib"]) / package
    found = []
    for path in sorted(folder.rglob("*.py")):
        if "test" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf8", "replace"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text:
                    found.append((path.stem, text))
    return found


def main() -> None:
    rows = [(module, text, p) for p in PACKAGES for module, text in docstrings(p)]
    modules = sorted({(package, module) for module, _, package in rows})
    held_out = set(modules[::4])  # whole modules, so that no test text has a twin in training
    train = [(text, p) for module, text, p in rows if (p, module) not in held_out]
    test = [(text, p) for module, text, p in rows if (p, module) in held_out]

    start = time.perf_counter()
    model = nabi.TextClassifier().fit(*zip(*train, strict=True))
    seconds = time.perf_counter() - start
    texts, labels = zip(*test, strict=True)
    majority = max(labels.count(label) for label in set(labels)) / len(labels)
    print(f"{len(train)} docstrings of {len(PACKAGES)} packages learned in {seconds:.3f} s,")
    print(f"{model.n_features_} words. On {len(test)} docstrings of other modules:")
    print(
        f"  accuracy {model.score(texts, labels):.3f}  (always the largest class: {majority:.3f})"
    )
    print("\nThe most telling words:")
    for label in model.classes_:
        words = ", ".join(row.word for row in model.words(6, label=label))
        print(f"  {label:<9} {words}")
    print("\nOne decision, explained:\n")
    print(model.explain("Return the payload of the message, decoded, or None if it is multipart."))


if __name__ == "__main__":
    main()

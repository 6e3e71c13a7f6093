"""Topics: five classes, learned from some modules of Python's library and tested on others.

A text is a docstring, and its class is what its module is about. No module is in both parts, so
that the model has to know the topic and not the module.
Run it: python examples/topics.py
"""

import ast
import sysconfig
from collections import Counter
from pathlib import Path

import nabi

TRAIN = {
    "code": "inspect ast dis pdb pydoc",
    "files": "shutil pathlib tempfile zipfile gzip glob",
    "network": "http urllib ftplib smtplib socket ssl xmlrpc",
    "numbers": "statistics fractions _pydecimal datetime",
    "parallel": "threading asyncio concurrent",
}
TEST = {
    "code": "bdb trace pyclbr symtable tokenize",
    "files": "tarfile os bz2 lzma fileinput",
    "network": "imaplib poplib socketserver wsgiref",
    "numbers": "random numbers calendar colorsys",
    "parallel": "queue multiprocessing sched",
}
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(module: str) -> list[str]:
    """Every docstring in the source of a module or package; nothing is imported."""
    path = LIBRARY / module
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    trees = [ast.parse(file.read_text("utf8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    return [text for node in nodes if (text := ast.get_docstring(node))]


def modules(part: dict[str, str]) -> list[tuple[str, str, list[str]]]:
    """(topic, module, docstrings) of each module."""
    return [(topic, m, docstrings(m)) for topic in part for m in part[topic].split()]


def columns(part: list[tuple[str, str, list[str]]]) -> tuple[list[str], list[str]]:
    """(texts, topics), a docstring each."""
    rows = [(text, topic) for topic, _, texts in part for text in texts]
    return [text for text, _ in rows], [topic for _, topic in rows]


def main() -> None:
    train, test = modules(TRAIN), modules(TEST)
    texts, topics = columns(train)
    model = nabi.TextClassifier().fit(texts, topics)
    print(f"Learned {len(texts)} docstrings of {len(train)} modules. The most telling words:\n")
    for topic in model.classes_:
        print(f"  {topic:<9}", ", ".join(row.word for row in model.words(7, label=topic)))

    texts, topics = columns(test)
    largest = Counter(topics).most_common(1)[0][1] / len(topics)
    print(f"\n{len(texts)} docstrings of {len(test)} other modules, most of them a line or two:")
    print(f"  accuracy {model.score(texts, topics):.2f} (always the largest class: {largest:.2f})")

    said = model.predict(["\n".join(texts) for _, _, texts in test])
    right = sum(topic == s for (topic, _, _), s in zip(test, said, strict=True))
    print(f"All docstrings of a module as one text:\n  {right} of {len(test)} modules right\n")
    for s, (topic, module, texts) in zip(said, test, strict=True):
        words = [t.word for t in model.explain("\n".join(texts)).terms if t.evidence > 0][:4]
        verdict = s if s == topic else f"{s}, not {topic}"
        print(f"  {module:<15} {verdict:<19} {', '.join(words)}")


if __name__ == "__main__":
    main()

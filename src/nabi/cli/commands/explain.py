"""`nabi explain`."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.options.source import Texts
from nabi.cli.show import screen
from nabi.cli.show.explanation import show
from nabi.features.frame import Frame

ROWS = 5  # of a file, that are explained on a screen
Asked = tuple[str | None, Any]  # where a document is, None: it was typed; and the document


@dataclass(frozen=True)
class Explained(Texts):
    """Texts to explain, which are typed or in files."""

    data: list[str] = argument(
        "Texts in quotes, JSON objects (rows of a table, or the fields of rules), or files and "
        "folders as `predict` takes them (default: standard input, as one text).",
        "TEXT",
        required=False,
    )

    @property
    def is_one_text(self) -> bool:
        """Whether all of standard input is the text."""
        return self.sql is None and self.data in ([], ["-"])

    @property
    def are_typed(self) -> bool:
        """Whether the texts themselves were typed; an object of JSON is no name of a file."""
        if self.data and self.format is None and all(map(_is_object, self.data)):
            return True
        return super().are_typed

    def documents(self, model: Any, path: str, most: int | None) -> Iterator[Asked]:
        """Yield the documents to explain: of files the first rows, all if `most` is None."""
        if self.is_one_text:
            text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
            yield None, model.typed_document(text)
        elif self.are_typed:
            yield from ((None, model.typed_document(text)) for text in self.data)
        else:
            yield from self._rows(model, path, most)

    def _rows(self, model: Any, path: str, most: int | None) -> Iterator[Asked]:
        reader = self.reader_for(model, beside="explain", reads=[path], labelled=False)
        documents = model.documents(reader, text=self.text)
        singles = (document for part in reader for document in _singles(documents(part)))
        for number, document in enumerate(singles):
            if number == most:
                if most == ROWS:
                    screen.note(f"these are the first {ROWS} rows; --rows N explains N of them")
                break
            yield reader.where(number), document
        rows = self.finish(reader)
        if rows["rejects"]:
            screen.note(screen.rows_line(rows))


def _is_object(text: str) -> bool:
    return text.lstrip().startswith("{")


def _singles(documents: Any) -> Iterator[Any]:
    """Yield texts, fields, or frames of one row."""
    if isinstance(documents, Frame):
        yield from (documents.taken(np.array([i])) for i in range(len(documents)))
    else:
        yield from documents if isinstance(documents, list) else documents.to_list()


def explain(
    model: str = o.MODEL,
    *,
    source: Explained,
    rows: int | None = option(
        f"Number of rows of a file to explain (default: {ROWS}; with --json all).", "N", least=1
    ),
    prior: str | None = o.PRIOR,
    time_limit: float | None = o.TIME_LIMIT,
    top: int = option("Number of words or neighbours to show.", "N", default=20, least=1),
    fragments: bool = flag("Show character n-grams one by one, not summed onto their words."),
    out: o.Output,
) -> None:
    """Explain why a text or a row gets its label: every word or column with its weight.

    Evidence above 0 speaks for the predicted class. With --json, rows of files are JSON lines.

    ```
    nabi explain mail.nabi "you have won a prize"
    nabi explain people.nabi '{"age": 41, "about": "I teach maths"}'
    nabi explain mail.nabi new.csv --rows 3
    ```
    """
    classifier = source.model(model, time_limit=time_limit)
    share = o.prior(prior, o.labels_of(classifier))
    most = rows or (None if out.json else ROWS)
    for i, (where, document) in enumerate(source.documents(classifier, model, most)):
        explanation = classifier.explain("" if document is None else document, prior=share)
        explanation = explanation.by_ngrams() if fragments else explanation
        if not out.json:
            screen.say(*([""] if i else []), *([where, ""] if where else []))
            show(screen.console(), explanation, top)
        elif where is None and len(source.data) < 2:
            screen.print_json(explanation.to_dict())
        else:
            place = {} if where is None else {"where": where}
            screen.print_json({**place, **explanation.to_dict()}, indent=None)

"""`/export/...`: labels, model, report and a snippet, to be used elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nabi.server import Where
from nabi.server.history.past import model_at, model_without, moment
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint, Streamed
from nabi.server.http.refusal import Refusal
from nabi.server.http.routes.examples import TYPES, exported
from nabi.server.http.routes.judging import judged, report
from nabi.server.http.shapes import Asked
from nabi.server.http.uploads import made_file

MODEL = "application/octet-stream"
HTML = "text/html; charset=utf-8"


class LabelsAsked(msgspec.Struct, forbid_unknown_fields=True):
    """A format; `safe`: no cell of CSV is a formula for a spreadsheet."""

    format: Literal["csv", "jsonl", "parquet"] = "csv"
    safe: bool = True


class Nothing(msgspec.Struct):
    """The answer is a file."""


async def labels(call: Call, query: LabelsAsked) -> Nothing:
    """Export all labels with their texts as a file."""
    asked = (call, Where(), query.format, "labels")
    made: Streamed = await call.in_thread(lambda: exported(*asked, safe=query.safe))
    return made  # type: ignore[return-value]


class ModelAsked(Asked):
    """The model of a time (default: now), or without the labels of a person."""

    at: Annotated[str, Meta(max_length=40)] | None = None
    without: Annotated[str, Meta(max_length=200)] | None = None


async def model(call: Call, query: ModelAsked) -> Nothing:
    """Export the model as a file: as it is, was at a time, or is without a person's labels."""
    if query.at is not None and query.without is not None:
        raise Refusal(422, "wrong_query", "either at or without; send one of them")
    save = _saver(call, query)
    made: Streamed = await call.in_thread(made_file, call, "model.nabi", MODEL, save)
    return made  # type: ignore[return-value]


def _saver(call: Call, query: ModelAsked) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        if query.at is None and query.without is None:
            with call.store.view() as view:
                view.model.reader().save(path)
            return
        journal = call.store.journal
        with journal.reading() as sql:
            if query.at is not None:
                found = model_at(journal, sql, moment(query.at, ends=True))[1]
            else:
                found = model_without(journal, sql, str(query.without))
        found.save(path)

    return save


async def report_page(call: Call) -> Nothing:
    """Export the report on the model as one HTML file."""
    page: bytes = await call.in_thread(lambda: report(call, judged(call)).html().encode())
    return Streamed(iter([page]), HTML, "report.html")  # type: ignore[return-value]


class Snippet(msgspec.Struct):
    """How to use the model from Python and from a shell."""

    position: int
    python: str
    shell: str


PYTHON = (
    "import nabi\n\n"
    + """\
model = nabi.load("model.nabi")
print(model.predict(["a new text"]))
print(model.predict_proba(["a new text"]))
print(model.explain("a new text"))
"""
)
SHELL = """\
pip install nabi
nabi predict model.nabi texts.csv
nabi explain model.nabi "a new text"
"""


def snippet(call: Call) -> Snippet:
    """Tell how to use the exported model."""
    return Snippet(call.store.position, PYTHON, SHELL)


FILES = tuple(kind.split(";")[0] for kind in TYPES.values())
ENDPOINTS = [
    Endpoint("GET", "/export/labels", labels, "read", files=FILES),
    Endpoint("GET", "/export/model.nabi", model, "read", files=(MODEL,)),
    Endpoint("GET", "/export/report.html", report_page, "read", files=("text/html",)),
    Endpoint("GET", "/export/snippet", snippet, "read"),
]

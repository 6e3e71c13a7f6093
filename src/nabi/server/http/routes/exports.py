"""`/export/...`: labels, model, report and a snippet, to be used elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from nabi.server import Where
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint, Streamed
from nabi.server.http.routes.examples import TYPES, exported
from nabi.server.http.routes.judging import judged, report
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


async def model(call: Call) -> Nothing:
    """Export the model as a file, for `nabi predict` and the library."""
    made: Streamed = await call.in_thread(made_file, call, "model.nabi", MODEL, _saver(call))
    return made  # type: ignore[return-value]


def _saver(call: Call) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        with call.store.view() as view:
            view.model.reader().save(path)

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

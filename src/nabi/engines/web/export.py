"""A folder with a model for browsers: the module, the model, and a page that needs no server."""

import base64
import hashlib
import html
import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import nabi
from nabi.engines.entities import entity_values
from nabi.engines.terms import Terms
from nabi.engines.web.model import model_bytes
from nabi.errors import InputError
from nabi.report.page import as_json
from nabi.report.web.modules import shared
from nabi.scoring.prior import Prior

MODULE, SCRIPT = "nabi.wasm", "classifier.js"
NO_MODULE = (
    "this nabi has no module for browsers ({path} is missing): in a clone, `make wasm` compiles it "
    "with ziglang of PyPI; then install it again"
)


def web_export(model: Any, *, title: str = "A text classifier", prior: Prior = None) -> "WebExport":
    """A model for browsers.

    Labels and log joints equal those of the model to the last bit: the page runs the kernel.

    Parameters
    ----------
    model : TextClassifier
        The model. The page has its words and weights, and neither counts nor texts.
    title : str
        The title of the page.
    prior : optional
        A prior to use instead of the model's.

    Examples
    --------
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> web_export(model, title="Film reviews").save("films")  # doctest: +SKIP
    """
    return WebExport(Terms.of(model, prior=prior), title)


@dataclass(frozen=True, eq=False)
class WebExport:
    """The parts of a folder for browsers.

    Attributes
    ----------
    model : bytes
        The model, as the module reads it.
    about : dict
        Labels, entities and numbers, as the script reads them.
    page : str
        The page with all other parts in it: it works offline, from a file as well.
    """

    terms: Terms
    title: str

    @cached_property
    def model(self) -> bytes:
        """The model, as the module reads it."""
        return model_bytes(self.terms)

    @property
    def about(self) -> dict[str, Any]:
        """Labels, entities and numbers, as the script reads them."""
        recipe = self.terms.recipe
        return {
            "labels": [_shown(label) for label in self.terms.labels],
            "entities": entity_values() if recipe.entities else None,
            "binary": recipe.binary,
            "words": len(self.terms.name_offsets) - 1,
            "version": nabi.__version__,
            "title": self.title,
        }

    @cached_property
    def module(self) -> bytes:
        """The kernel, compiled."""
        found = files("nabi.engines.web").joinpath(MODULE)
        if not found.is_file():
            raise InputError(NO_MODULE.format(path=found))
        return found.read_bytes()

    @property
    def page(self) -> str:
        """The page with all other parts in it."""
        style = shared("parts.css") + _asset("nabi.report", "report.css") + _own("page.css")
        script = _own(SCRIPT) + _own("page.js")
        parts = {
            # This style and this script alone, and no connection to anywhere.
            "policy": f"default-src 'none'; style-src '{_digest(style)}'; script-src "
            f"'{_digest(script)}' 'wasm-unsafe-eval'; img-src data:; base-uri 'none'; "
            "form-action 'none'",
            "title": html.escape(self.title),
            "style": style,
            "script": script,
            "about": as_json(self.about),
            "module": base64.b64encode(self.module).decode(),
            "model": base64.b64encode(self.model).decode(),
        }
        # In one pass: what is filled in is not searched again.
        return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], _own("page.html"))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write index.html, and beside it the module, the model and the script for other pages."""
        path, page = Path(folder), self.page.encode()
        path.mkdir(parents=True, exist_ok=True)
        parts = {
            "index.html": page,
            MODULE: self.module,
            "model.bin": self.model,
            "model.json": json.dumps(self.about, ensure_ascii=False).encode(),
            SCRIPT: _own(SCRIPT).encode(),
        }
        for name, data in parts.items():
            (path / name).write_bytes(data)


def _shown(label: Any) -> Any:
    """A label as JSON has it: whole numbers beyond 2^53 as strings."""
    return str(label) if isinstance(label, int) and abs(label) > 2**53 else label


def _own(name: str) -> str:
    return _asset("nabi.engines.web", name)


def _asset(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

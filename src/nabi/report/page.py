"""The page: its data, its style and its scripts in one HTML file that fetches nothing."""

import base64
import hashlib
import html
import json
import math
import re
from importlib.resources import files
from typing import Any

import nabi
from nabi.report.web.modules import joined, shared

TITLE = "How good is it?"
EXACT = {"threshold"}  # a reader's own count must agree with it

# Characters that HTML's parser or old parsers of JavaScript treat specially within a script.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page_of(data: dict[str, Any]) -> str:
    """Return the page of a report's data."""
    style, script = shared("parts.css") + _asset("report.css"), script_of_page()
    parts = {
        # Only this style and this script, and no other resource.
        "policy": f"default-src 'none'; style-src '{_digest(style)}'; script-src "
        f"'{_digest(script)}'; img-src data:; base-uri 'none'; form-action 'none'",
        "title": html.escape(data["title"] or TITLE),
        "noun": data["noun"],
        "style": style,
        "script": script,
        "data": as_json({**data, "title": data["title"] or TITLE, "version": nabi.__version__}),
    }
    # In one pass: what is filled in is not searched again.
    return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], _asset("page.html"))


def script_of_page() -> str:
    """Return the script of every report: its own module, and those that it imports."""
    return joined(
        "report", lambda name: _asset("report.js") if name == "report" else shared(f"{name}.js")
    )


def _asset(name: str) -> str:
    return files("nabi.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def as_json(value: Any) -> str:
    """Return JSON that is safe in a page, whatever its strings hold."""
    text = json.dumps(rounded(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(ESCAPES).encode("utf-8", "replace").decode()


def rounded(value: Any) -> Any:
    """Round real numbers to six digits; a page shows no more."""
    if isinstance(value, float):
        short = float(f"{value:.6g}")
        return int(short) if math.isfinite(short) and short.is_integer() else short
    if isinstance(value, dict):
        return {k: v if k in EXACT else rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return value

"""HTML entities as tables, for decoders that are not written in Python."""

from html import unescape
from html.entities import html5

# The numbers that HTML may read as something else: controls, and those of no character.
SPECIAL = (
    *range(256),
    *range(0xFDD0, 0xFDF0),
    *(0x10000 * i - j for i in range(1, 18) for j in (1, 2)),
)


def entity_values() -> dict[str, str]:
    r"""The text of each entity that is not simply its code point.

    >>> values = entity_values()
    >>> values["lt;"], values["#0"], values["#150"]
    ('<', '\ufffd', '\u2013')
    """
    numbered = {f"#{i}": text for i in SPECIAL if (text := unescape(f"&#{i};")) != chr(i)}
    return {name: text for name, text in html5.items() if name.endswith(";")} | numbered

"""Write out characters that a terminal obeys instead of showing them."""

import re

# Control characters (C0, DEL, C1), separators of lines, what turns the direction of writing, and
# halves of surrogate pairs, which no stream takes.
_HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with such characters written as Python writes them, but for those in `kept`.

    >>> print(printable("spam\x1b[2J\t", kept="\n"))
    spam\x1b[2J\t
    """

    def written(found: re.Match[str]) -> str:
        return found[0] if found[0] in kept else repr(found[0])[1:-1]

    return _HIDDEN.sub(written, text)

"""Write out characters that a terminal obeys instead of showing them."""

import codecs
import re
import sys
from typing import BinaryIO

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


class TerminalOutput:
    """Bytes of UTF-8 that go to a terminal, which shows the characters that it would obey."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def write(self, data: bytes) -> int:
        """Write a part, which may end within a character."""
        text = printable(self._decode(data).replace("\r\n", "\n"), kept="\n\t")
        self._output.write(text.encode())
        return len(data)

    def flush(self) -> None:
        """Flush the output."""
        self._output.flush()


def standard_output() -> BinaryIO | TerminalOutput:
    """Return standard output for bytes: as they are, or what a terminal may be given."""
    output = sys.stdout.buffer
    return TerminalOutput(output) if output.isatty() else output

"""JSON: an object a line, or an array of objects."""

import codecs
import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any, NoReturn

from nabi.errors import DataError
from nabi.readers.files import File
from nabi.readers.likely import LOOKED_AT, Values
from nabi.readers.lines import BLOCK, LONGEST, LineSource, numbered
from nabi.readers.parts import Bad, LinePlace, Row
from nabi.readers.source import Wants

SAMPLE = 1000  # objects that tell the names
_KINDS = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
_SPACE = re.compile(r"[ \t\r\n]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # what may be half of a surrogate pair


def objects(file: File, bad: Bad) -> Iterator[tuple[int, dict[str, Any], str]]:
    """(line, object, its text) of each."""
    is_array = file.text.lstrip().startswith("[")
    for line, text in _Array(file) if is_array else numbered(file, bad):
        value = _parsed(text)
        if isinstance(value, dict):
            yield line, value, text
        else:
            bad(line, value, text)


def as_text(value: Any) -> str | None:
    """A value as a string: 'a' -> 'a', 1.5 -> '1.5', True -> 'true', None -> None"""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def types_of(files: Iterable[File]) -> dict[str, str]:
    """The SQL types of all names in some files; VARCHAR for what is of several or of none."""
    types: dict[str, str] = {}
    for file in files:
        for _, value, _ in objects(file, lambda *bad: None):
            for name, item in value.items():
                types[name] = _common(types.get(name), item)
    return {name: kind or "VARCHAR" for name, kind in types.items()}


def _common(known: str | None, value: Any) -> str:
    """The type of a column of a known type ('': none yet) in which a value stands."""
    if value is None:
        return known or ""
    kind = _KINDS.get(type(value), "VARCHAR")
    if kind == "BIGINT" and not -(2**63) <= value < 2**63:
        kind = "VARCHAR"  # rather than a real number that is only near
    if not known or known == kind:
        return kind
    return "DOUBLE" if {known, kind} == {"BIGINT", "DOUBLE"} else "VARCHAR"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} twice in an object")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def _parsed(text: str) -> dict[str, Any] | str:
    """The object of a text, or what is wrong with it."""
    try:
        value = _DECODER.decode(text)
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        return f"not JSON: {what} at column {error.colno}; expected an object on each line"
    except UnicodeError:
        return "half of a surrogate pair"
    except ValueError as error:
        return f"not JSON: {error}"
    except RecursionError:
        return "JSON nested too deeply"
    if isinstance(value, dict):
        return value
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return f"{names.get(type(value), 'a number')}, expected an object"


_ANY = json.JSONDecoder()


class _Array:
    """The elements of a file that is one array, each with its line; one at a time in memory."""

    def __init__(self, file: File) -> None:
        self.file, self.line, self.text, self.at = file, 1, "", 0
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """(line, text) of each element; newlines in it, mere space, are gone."""
        with self.file.open() as self.source:
            self.expect("[")
            if self.peek() == "]":
                self.at += 1
            else:
                yield self.element()
                while self.expect(",]") == ",":
                    yield self.element()
            if self.peek():
                raise self.failed("something after the end of the array")

    def more(self) -> bool:
        """Read a block; False at the end of the file."""
        block = self.source.read(BLOCK)
        try:
            self.text = self.text[self.at :] + self.decoder.decode(block, final=not block)
        except UnicodeDecodeError:
            raise self.failed("bytes that are not UTF-8") from None
        self.at = 0
        return bool(block)

    def peek(self) -> str:
        """The next character that is not space; '' at the end."""
        while True:
            end = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            self.line += self.text.count("\n", self.at, end)
            self.at = end
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def expect(self, marks: str) -> str:
        """The next character, which must be one of these."""
        mark = self.peek()
        if not mark or mark not in marks:
            wanted = " or ".join(map(repr, marks))
            raise self.failed(f"expected {wanted}, found {mark or 'the end'!r}")
        self.at += 1
        return mark

    def element(self) -> tuple[int, str]:
        """The next value: its line and its text."""
        self.peek()
        while True:
            try:
                size = _ANY.raw_decode(self.text, self.at)[1] - self.at
            except RecursionError:
                raise self.failed("nested too deeply") from None
            except ValueError as error:
                if len(self.text) - self.at > LONGEST or not self.more():
                    raise self.failed(getattr(error, "msg", str(error))) from None
                continue
            # A number may go on in the next block.
            if self.at + size < len(self.text) or not self.more():
                break
        line, found = self.line, self.text[self.at : self.at + size]
        self.line += found.count("\n")
        self.at += size
        return line, found.replace("\r", " ").replace("\n", " ")

    def failed(self, what: str) -> DataError:
        return DataError(f"not JSON: {what}", file=self.file.name, line=self.line)


class _ManyBadError(Exception):
    """So many lines are bad that no more names are looked for."""


class JsonSource(LineSource):
    """JSON, in lines or as an array."""

    TABULAR = True

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file, wants)
        self._values = [*self.texts] if self.label is None else [*self.texts, self.label]

    def _columns(self) -> list[str]:
        """Return the names in the first objects, in the order in which they come."""
        if not self.file.start.strip(b"\xef\xbb\xbf \t\r\n"):
            raise DataError("the file is empty", file=self.name)
        names: dict[str, None] = {}
        first: list[DataError] = []
        rejected = count(1)

        def bad(line: LinePlace, reason: str, row: str) -> None:
            if not first:
                first.append(DataError(reason, file=self.name, line=int(line)))
            if next(rejected) == SAMPLE and not self.wants.skip_bad:
                raise _ManyBadError

        with contextlib.suppress(_ManyBadError):
            for _, value, _ in islice(objects(self.file, bad), SAMPLE):
                names |= dict.fromkeys(value)
        if not names:
            raise first[0] if first else DataError("no JSON object in the file", file=self.name)
        return list(names)

    def first_values(self) -> Values:
        """Return the values of the first objects by name."""
        rows = [value for _, value, _ in islice(objects(self.file, lambda *bad: None), LOOKED_AT)]
        return {name: [as_text(row.get(name)) for row in rows] for name in self.names}

    def _rows(self, bad: Bad) -> Iterator[Row]:
        """Yield the text and perhaps the label of each object."""
        for line, value, text in objects(self.file, bad):
            yield Row(line, tuple(as_text(value.get(x)) for x in self._values), text)

    def _kept(self, at: object, rows: list[Row]) -> dict[str, Any]:
        """Return the objects as they stand: kept columns stay JSON."""
        return {"objects": [row.text for row in rows], "types": self.types}

"""JSON: an object a line, or an array of objects."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NoReturn

import nabi._native as _native
from nabi.errors import DataError
from nabi.readers.files import File
from nabi.readers.lines import BLOCK, LONGEST, LineSource, Row, Rows
from nabi.readers.parts import Part

SAMPLE = 1000  # objects that tell the names
_KINDS = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
_SPACE = re.compile(r"[ \t\r\n]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # what may be half of a surrogate pair


class JsonRows(Rows):
    """The values of some names of each object; numbers and nested values as JSON writes them."""

    def __init__(self, file: File, skip_bad: bool, names: Iterable[str]) -> None:
        super().__init__(file, skip_bad)
        self.names = tuple(names)

    def __iter__(self) -> Iterator[Row]:
        for place, value, size, text in self.objects():
            yield Row(place, tuple(as_text(value.get(name)) for name in self.names), size, text)

    def objects(self) -> Iterator[tuple[int, dict[str, Any], int, str]]:
        """(line, object, its bytes, its text) of each."""
        found = self._of_array() if is_array(self.file) else self.numbered()
        for line, text, size in found:
            value = _parsed(text)
            if isinstance(value, dict):
                yield line, value, size, text
            else:
                self.bad(line, value, text)

    def _of_array(self) -> Iterator[tuple[int, str, int]]:
        """(line, text, its bytes) of each element; newlines in it, which are mere space, gone."""
        array = _Array(self.file)
        for line, text in array:
            yield line, text.replace("\r", " ").replace("\n", " "), len(text)


def is_array(file: File) -> bool:
    """Whether all of the file is one array."""
    return file.text.lstrip().startswith("[")


def as_text(value: Any) -> str | None:
    """A value as a string: 'a' -> 'a', 1.5 -> '1.5', True -> 'true', None -> None"""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def sampled_names(file: File) -> list[str]:
    """The names in the first objects of a file, in the order in which they come."""
    rows = JsonRows(file, True, [])
    objects = (value for _, value, _, _ in rows.objects())
    names = list(dict.fromkeys(name for value in islice(objects, SAMPLE) for name in value))
    if not names and rows.rejects:
        first = rows.rejects[0]
        raise DataError(first.reason, file=first.file, line=first.line)
    if not names:
        raise DataError("no JSON object in the file", file=file.name)
    return names


def types_of(files: Iterable[File]) -> dict[str, str]:
    """The SQL types of all names in some files; VARCHAR for what is of several or of none."""
    types: dict[str, str] = {}
    for file in files:
        for _, value, _, _ in JsonRows(file, True, []).objects():
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

    def __iter__(self) -> Iterator[tuple[int, str]]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with self.file.open() as source:

            def more() -> bool:
                block = source.read(BLOCK)
                try:
                    self.text = self.text[self.at :] + decoder.decode(block, final=not block)
                except UnicodeDecodeError:
                    raise self.failed("bytes that are not UTF-8") from None
                self.at = 0
                return bool(block)

            more()
            self.expect("[", more)
            if self.peek(more) == "]":
                self.at += 1
            else:
                while True:
                    yield self.element(more)
                    if self.expect(",]", more) == "]":
                        break
            if self.peek(more):
                raise self.failed("something after the end of the array")

    def peek(self, more: Any) -> str:
        """The next character that is not space; '' at the end."""
        while True:
            end = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            self.line += self.text.count("\n", self.at, end)
            self.at = end
            if self.at < len(self.text) or not more():
                return self.text[self.at : self.at + 1]

    def expect(self, marks: str, more: Any) -> str:
        """The next character, which must be one of these."""
        mark = self.peek(more)
        if not mark or mark not in marks:
            raise self.failed(
                f"expected {' or '.join(map(repr, marks))}, found {mark or 'the end'!r}"
            )
        self.at += 1
        return mark

    def element(self, more: Any) -> tuple[int, str]:
        """The next value, its line and its text."""
        self.peek(more)
        ended = False
        while True:
            try:
                end = _ANY.raw_decode(self.text, self.at)[1]
            except RecursionError:
                raise self.failed("nested too deeply") from None
            except ValueError as error:
                if len(self.text) - self.at > LONGEST or not more():
                    raise self.failed(getattr(error, "msg", str(error))) from None
                continue
            if end < len(self.text) or ended:
                break
            ended = not more()  # a number may go on in the next block
        line, found = self.line, self.text[self.at : end]
        self.line += found.count("\n")
        self.at = end
        return line, found

    def failed(self, what: str) -> DataError:
        return DataError(f"not JSON: {what}", file=self.file.name, line=self.line)


class JsonSource(LineSource):
    """JSON, in lines or as an array."""

    TABULAR = True

    kinds: Mapping[str, str] = {}  # the types of all names, where they are kept

    def _columns(self) -> list[str]:
        if not self.file.start.strip(b"\xef\xbb\xbf \t\r\n"):
            raise DataError("the file is empty", file=self.file.name)
        return sampled_names(self.file)

    def rows(self, skip_bad: bool) -> Rows:
        """The text and perhaps the label of each object."""
        names = [self.text] if self.label is None else [self.text, self.label]
        return JsonRows(self.file, skip_bad, names)

    def part(self, rows: list[Row]) -> Part:
        """The part of some rows; kept columns stay JSON."""
        if not self.keeps:
            return super().part(rows)
        texts = _native.Batch.from_sequence([row.values[0] for row in rows])
        labels: Any = None if self.label is None else [row.values[1] for row in rows]
        objects = [row.json for row in rows]
        return Part(texts, labels, self.order, objects=objects, types=self.kinds)

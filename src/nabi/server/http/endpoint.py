"""Endpoint: a path, who may call it, and the types of what comes and goes, in one place.

The app dispatches by these, and the OpenAPI document is made of them.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from nabi.server.http.refusal import Refusal

MOST_FIELDS = 50  # of a query


@dataclass(frozen=True)
class Streamed:
    """An answer that is a file, made part by part in another thread."""

    parts: Iterator[bytes]
    content_type: str
    name: str


@dataclass(frozen=True)
class Endpoint:
    """A method and a path, and the function that answers.

    The function takes a `Call` and, where its signature has them, `query` and `body`; their types
    and that of the answer are its annotations.
    """

    method: str
    path: str
    run: Callable[..., Any]
    role: str | None  # None: without a token
    content_type: str = "application/json"
    keyed: bool = False  # takes an Idempotency-Key
    files: tuple[str, ...] = ()  # other types of content that it may answer with
    uploads: bool = False  # takes a file as its body

    def _annotation(self, name: str) -> Any:
        parameter = inspect.signature(self.run).parameters.get(name)
        return None if parameter is None else parameter.annotation

    @cached_property
    def body(self) -> Any:
        """The type of the body, if the endpoint takes one."""
        return self._annotation("body")

    @cached_property
    def query(self) -> Any:
        """The type of the query, if the endpoint takes one."""
        return self._annotation("query")

    @cached_property
    def answer(self) -> Any:
        """The type of the answer."""
        return inspect.signature(self.run).return_annotation

    @cached_property
    def is_async(self) -> bool:
        """Whether the answer is to be awaited."""
        return inspect.iscoroutinefunction(self.run)

    @cached_property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.run) or "").split("\n")[0]

    @cached_property
    def _decoder(self) -> Any:
        return msgspec.json.Decoder(self.body)

    @cached_property
    def _defaults(self) -> Any:
        return self.query()

    def read_body(self, data: bytes) -> Any:
        """Return the body in its type; refuse what is no JSON or of another type."""
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError as error:
            raise Refusal(422, "wrong_type", f"the body does not fit: {error}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise Refusal(400, "not_json", f"the body is no JSON: {why}") from None

    def read_query(self, query: bytes) -> Any:
        """Return the query in its type; refuse fields that it does not have."""
        if not query:
            return self._defaults
        try:
            pairs = parse_qsl(
                query.decode("ascii"),
                keep_blank_values=True,
                strict_parsing=True,
                errors="strict",
                max_num_fields=MOST_FIELDS,
            )
            return msgspec.convert(dict(pairs), self.query, strict=False)
        except (msgspec.ValidationError, ValueError) as error:
            shown = str(error) if isinstance(error, msgspec.ValidationError) else "it is malformed"
            raise Refusal(422, "wrong_query", f"the query does not fit: {shown}") from None

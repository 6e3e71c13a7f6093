"""Shapes that several routes share: msgspec structs, from which the OpenAPI document is made."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta

from nabi.server.http.limits import Limits
from nabi.server.http.refusal import Refusal

EXPLAINED = 5_000_000  # characters times classes: hundreds of MB of weights, if all are words
Count = Annotated[int, Meta(ge=0, le=2**53)]
# A whole number in a body; in JSON 3.0 is one, too.
Whole = Annotated[float, Meta(ge=0, le=2**53, multiple_of=1, extra_json_schema={"type": "integer"})]
Top = Annotated[float, Meta(ge=1, le=2**53, multiple_of=1, extra_json_schema={"type": "integer"})]
Cell = str | int | float | bool | None


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A request; a field that it does not have is refused."""

    ONE_OF: ClassVar[tuple[str, ...]] = ()  # fields of which exactly one is given

    def given(self) -> str:
        """Return the name of the one field of `ONE_OF` that came."""
        came = []
        for name in self.ONE_OF:
            if getattr(self, name) is not UNSET:
                came.append(name)
        if len(came) != 1:
            names = ", ".join(self.ONE_OF[:-1]) + f" and {self.ONE_OF[-1]}"
            came_now = f"{len(came)} of {names} came; send exactly one of them"
            raise Refusal(422, "wrong_type", came_now)
        return came[0]


class After(Asked):
    """The position that an answer must have reached: read your own writes."""

    after: Count | None = None


class ErrorDetail(msgspec.Struct):
    """A code for programs, and a sentence for people."""

    code: str
    message: str


class ErrorAnswer(msgspec.Struct):
    """Shape of every refusal."""

    error: ErrorDetail


def check_texts(texts: list[str], limits: Limits) -> int:
    """Return the characters of texts; refuse too many, or one that is too long."""
    check_number(len(texts), limits)
    sizes = list(map(len, texts))
    if sizes and max(sizes) > limits.text:
        at = next(i for i, size in enumerate(sizes) if size > limits.text)
        raise Refusal(
            422,
            "text_too_long",
            f"text {at} has {sizes[at]:,} characters, and {limits.text:,} are allowed; cut it",
        )
    return sum(sizes)


def check_number(number: int, limits: Limits) -> None:
    """Refuse too many texts, rows or examples in one request."""
    if number > limits.texts:
        raise Refusal(
            422,
            "too_many_texts",
            f"{number:,} came at once, and {limits.texts:,} are allowed; send them in parts",
        )


def check_explained(size: int, n_classes: int) -> None:
    """Refuse a text that is too long to be explained: each word has a weight for each class."""
    if size * n_classes > EXPLAINED:
        most = EXPLAINED // n_classes
        raise Refusal(
            422,
            "too_long_to_explain",
            f"the text has {size:,} characters; of a model of {n_classes:,} classes, at most "
            f"{most:,} can be explained; cut it",
        )


def label_name(label: Any) -> str:
    """Return a label as a key of JSON."""
    return label if isinstance(label, str) else str(label)


def as_whole(number: float | None) -> int | None:
    """3.0 -> 3"""
    return None if number is None else int(number)

"""Score the texts of requests that come at the same moment in one call of the kernel.

A batch gives what its texts give one by one, to the last bit, and a call costs far more than a
short text. For models of which `OneText` is none: calibrated ones, linear ones, and the like.
"""

import asyncio
from typing import NamedTuple

from nabi.server.http.metrics import Metrics
from nabi.server.http.models.predictions import Prediction, check_takes, predictions
from nabi.server.http.models.source import Source

Answer = tuple[int, list[Prediction]]  # the position and the predictions


class Asked(NamedTuple):
    """Texts of one request, and what is told of them."""

    texts: list[str]
    size: int
    proba: bool
    top: int | None
    answer: "asyncio.Future[Answer]"


class Together:
    """Texts that wait for the end of this round of the event loop.

    Parameters
    ----------
    source : Source
        The newest model.
    most : int
        Characters that are scored before other requests have their turn.
    metrics : Metrics
        Counts the texts.
    """

    def __init__(self, source: Source, most: int, metrics: Metrics) -> None:
        self._source, self._most, self._metrics = source, most, metrics
        self._waiting: list[Asked] = []

    def predicted(
        self, texts: list[str], size: int, proba: bool, top: int | None
    ) -> "asyncio.Future[Answer]":
        """Return a future of the predictions of texts, and the position of their model."""
        loop = asyncio.get_running_loop()
        asked = Asked(texts, size, proba or top is not None, top, loop.create_future())
        if not self._waiting:
            loop.call_soon(self._answer)
        self._waiting.append(asked)
        return asked.answer

    def _answer(self) -> None:
        """Answer those that wait, as many as take little time."""
        size, number = 0, 0
        for number, asked in enumerate(self._waiting, 1):  # noqa: B007
            size += asked.size
            if size > self._most:
                break
        some, self._waiting = self._waiting[:number], self._waiting[number:]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._answer)
        for proba in (False, True):
            alike = [asked for asked in some if asked.proba is proba]
            if alike:
                self._score(alike, proba)

    def _score(self, alike: list[Asked], proba: bool) -> None:
        texts, tops = alike[0].texts, [alike[0].top] * len(alike[0].texts)
        if len(alike) > 1:
            texts = [text for asked in alike for text in asked.texts]
            tops = [asked.top for asked in alike for _ in asked.texts]
        self._metrics.texts["predicted"] += len(texts)
        try:
            with self._source.view() as view:
                check_takes(view.model, "texts")
                found, position = predictions(view.model, texts, proba, tops), view.position
        except Exception as error:
            for asked in alike:
                if not asked.answer.done():
                    asked.answer.set_exception(error)
            return
        start = 0
        for asked in alike:
            end = start + len(asked.texts)
            if not asked.answer.done():
                asked.answer.set_result((position, found[start:end]))
            start = end

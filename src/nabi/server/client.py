"""Client: a server's model with the verbs of the library, by HTTP."""

import ssl
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import nabi.errors as errors
from nabi.errors import MissingExtraError, ServerError

try:
    import httpx2
except ModuleNotFoundError:
    raise MissingExtraError("nabi.Client needs httpx2", "server") from None

AT_ONCE = 1000  # texts of one request
TRIES = 4  # of a request, where the server is busy or the connection breaks
WAIT = 0.2  # seconds before the second try; twice as long before each one after it

# The error that a code of a refusal becomes; others go by their status.
CODES: dict[str, type[errors.NabiError]] = {
    "unknown_example": errors.UnknownExampleError,
    "forgotten": errors.ForgottenError,
    "unknown_class": errors.UnknownClassError,
    "conflict": errors.ConflictError,
    "key_reused": errors.KeyReusedError,
    "allowance": errors.AllowanceError,
    "busy": errors.QueueFullError,
    "disk_full": errors.DiskFullError,
    "read_only": errors.ReadOnlyError,
    "away": errors.AwayError,
    "diverged": errors.DivergedError,
    "nothing_learned": errors.NotFittedError,
    "bad_input": errors.InputError,
    "wrong_input": errors.InputError,
    "wrong_prior": errors.InputError,
    "no_token": errors.AccessError,
    "wrong_token": errors.AccessError,
    "wrong_role": errors.AccessError,
}


class Client:
    """A model that a server holds.

    What this client taught is in its own next predictions: it tells the server how far it must be.
    A request that the network lost is sent again, and counted once.

    Parameters
    ----------
    address : str
        What `nabi serve` prints: "http://127.0.0.1:8765".
    token : str, optional
        The token, or None where `token_file` is given.
    token_file : path, optional
        The file that holds it: DIR/token of the server.
    timeout : float
        Seconds to wait for an answer.
    verify : bool or str
        Check the server's certificate; the path of a file of other certificates to trust.

    Attributes
    ----------
    position : int
        The position of the newest answer.

    Examples
    --------
    >>> client = nabi.Client("http://127.0.0.1:8765", token_file="store/token")  # doctest: +SKIP
    >>> client.learn(["good film", "bad film"], ["pos", "neg"])  # doctest: +SKIP
    ['Fm3sWhYT0Ef1oCkq', 'nq1Z6yX1c0mVQk7b']
    >>> client.predict(["so good"])  # doctest: +SKIP
    ['pos']
    """

    def __init__(
        self,
        address: str,
        token: str | None = None,
        *,
        token_file: str | Path | None = None,
        timeout: float = 30.0,
        verify: bool | str = True,
    ) -> None:
        if token_file is not None:
            token = Path(token_file).read_text("ascii").strip()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        trusted = ssl.create_default_context(cafile=verify) if isinstance(verify, str) else verify
        self._http = httpx2.Client(
            base_url=address, headers=headers, timeout=timeout, verify=trusted
        )
        self.position = 0

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- predicting ----

    def predict(self, texts: Sequence[str], *, prior: Any = None) -> list[Any]:
        """Return the label of each text."""
        return [result["label"] for result in self._results(texts, prior=prior)]

    def predict_proba(
        self, texts: Sequence[str], *, top: int | None = None, prior: Any = None
    ) -> list[dict[str, float]]:
        """Return P(c|d) of each text by class, the most probable first; of the `top` classes."""
        results = self._results(texts, proba=True, top=top, prior=prior)
        return [result["proba"] for result in results]

    def _results(self, texts: Sequence[str], **asked: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(texts), AT_ONCE):
            part = {"texts": list(texts[start : start + AT_ONCE]), **asked}
            found += self._post(f"/predict?after={self.position}", part)["results"]
        return found

    def explain(self, text: str, *, prior: Any = None) -> dict[str, Any]:
        """Return the label of a text and its evidence, as `nabi explain --json` has it."""
        asked = {"text": text, "prior": prior}
        explanation: dict[str, Any] = self._post(f"/explain?after={self.position}", asked)[
            "explanation"
        ]
        return explanation

    # ---- changing ----

    def learn(
        self,
        texts: Sequence[str],
        labels: Sequence[str],
        *,
        ids: Sequence[str] | None = None,
        subject: str | None = None,
        source: str | None = None,
    ) -> list[str]:
        """Learn texts and their labels, durably; return their ids.

        A thousand texts at a time are learned all or none. `subject` is the person whose data they
        are, by which they can be forgotten.
        """
        given = {"text": texts, "label": labels, **({} if ids is None else {"id": ids})}
        shared = {"subject": subject, "source": source}
        examples = [{**dict(zip(given, row, strict=True)), **shared} for row in _rows(given)]
        found: list[str] = []
        for start in range(0, len(examples), AT_ONCE):
            asked = {"examples": examples[start : start + AT_ONCE]}
            found += self._changed("/learn", asked)["ids"]
        return found

    def relabel(self, ids: Sequence[str], labels: Sequence[str]) -> None:
        """Give examples other labels: all of them, or none."""
        rows = [{"id": id, "label": label} for id, label in _rows({"id": ids, "label": labels})]
        self._changed("/relabel", {"examples": rows})

    def forget(
        self,
        texts: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        subject: str | None = None,
        copies: str = "one",
    ) -> dict[str, Any]:
        """Forget texts with their labels, or by their ids, or all of a subject.

        Returns how many were `forgotten`, and the `receipt`. Forgetting what was not learned is an
        error, and changes nothing.
        """
        if ids is not None:
            return self._changed("/forget", {"ids": list(ids)})
        if subject is not None:
            return self._changed("/forget", {"subject": subject})
        given = {"text": texts or (), **({} if labels is None else {"label": labels})}
        examples = [dict(zip(given, row, strict=True)) for row in _rows(given)]
        return self._changed("/forget", {"examples": examples, "copies": copies})

    def undo(self, position: int | None = None) -> int:
        """Take the last change of this token back, or the one at a position; return how many."""
        undone: int = self._changed("/undo", {"position": position})["undone"]
        return undone

    def _changed(self, path: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        return self._post(path, asked, {"Idempotency-Key": uuid.uuid4().hex})

    # ---- requests ----

    def _post(
        self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        sent = {name: value for name, value in asked.items() if value is not None}
        for attempt in range(TRIES):
            try:
                response = self._http.post(path, json=sent, headers=headers)
            except httpx2.TransportError as error:
                problem: Exception = ServerError(
                    f"{self._http.base_url} does not answer ({error}); is `nabi serve` running?"
                )
            else:
                if response.status_code == 200:
                    answer: dict[str, Any] = response.json()
                    self.position = max(self.position, answer["position"])
                    return answer
                problem = _error(response)
                if response.status_code != 429:
                    break
            if attempt < TRIES - 1:
                time.sleep(WAIT * 2**attempt)
        raise problem


def _rows(columns: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the rows of columns; those of different lengths are refused."""
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{size} {name}s" for name, size in sizes.items())
        raise errors.InputError(f"{shown} do not pair up; give as many of each")
    return list(zip(*columns.values(), strict=True))


def _error(response: Any) -> errors.NabiError:
    """Return nabi's own error of a refusal."""
    try:
        refusal = response.json()["error"]
        code, message = refusal["code"], refusal["message"]
    except (KeyError, TypeError, ValueError):
        what = f"status {response.status_code} came, and no answer of nabi"
        return ServerError(f"{what}; is {response.url} the address of `nabi serve`?")
    if code in CODES:
        return CODES[code](message)
    kind = errors.InputError if response.status_code in (400, 413, 422) else ServerError
    return kind(message)

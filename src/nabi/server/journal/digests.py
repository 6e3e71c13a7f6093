"""Keyed digests: what tells a text or an id that is gone without holding it.

The key stays in the data directory. Who has no key cannot test a guess against a digest.
"""

import hashlib


class Digests:
    """Digests by the key of a store.

    Examples
    --------
    >>> digests = Digests(bytes(32))
    >>> digests.number("text", "a good film") == digests.number("text", "a good film")
    True
    >>> digests.blob("receipt", "id 1", "a good film").hex()[:8]
    '05056df4'
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def number(self, kind: str, *parts: str | bytes) -> int:
        """Return a signed number of 64 bits, to look something up by."""
        return int.from_bytes(self._made(8, kind, parts), "little", signed=True)

    def blob(self, kind: str, *parts: str | bytes) -> bytes:
        """Return 16 bytes, which nobody finds twice."""
        return self._made(16, kind, parts)

    def _made(self, size: int, kind: str, parts: tuple[str | bytes, ...]) -> bytes:
        made = hashlib.blake2b(digest_size=size, key=self._key, person=kind.encode())
        for part in parts:
            given = part.encode() if isinstance(part, str) else part
            made.update(len(given).to_bytes(8, "little"))  # so that "a", "bc" is not "ab", "c"
            made.update(given)
        return made.digest()

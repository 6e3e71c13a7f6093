"""The text of a mail: its subject and its body, whatever the mail looks like."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from html import unescape

_TAG = re.compile(r"<(?:!--|[!?]|/?([a-zA-Z][a-zA-Z0-9]*))")
_HIDDEN = {"script", "style", "title"}  # elements whose content is no text
_CLOSING = {name: re.compile(f"</{name}", re.IGNORECASE) for name in _HIDDEN}
_SLOW = {"idna", "punycode"}  # charsets that no mail has, and that take long
_INLINE = {"a", "abbr", "b", "big", "em", "font", "i", "s", "small", "span", "strong", "u", "wbr"}
_LONGEST, _PARAMETERS = 2**16, 100  # of a header; Python's email takes the square of both


class _Shortened(Compat32):
    """Cuts headers that are longer than any mail program writes them."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-"):
            value = ";".join(value.split(";", _PARAMETERS)[:_PARAMETERS])
        return name, value[:_LONGEST]


def mail_text(raw: bytes) -> str:
    """Return subject and body of a mail; attachments are left out, and HTML becomes plain text.

    It never raises: what cannot be read as a mail is read as text.
    """
    try:
        mail = message_from_bytes(raw, policy=_Shortened())
        subject, bodies = _subject(mail), list(_bodies(mail))
    except Exception:  # of Python's email, for which malformed mails have many; RecursionError too
        return _decoded(raw, None)
    texts = (part.replace("\r\n", "\n").strip() for part in (subject, *bodies))
    return "\n\n".join(filter(None, texts))


def _subject(mail: Message) -> str:
    """Return the subject, decoded: '=?utf-8?q?=C3=A9t=C3=A9?=' -> 'été'"""
    headers = (value for name, value in mail.raw_items() if name.lower() == "subject")
    raw = str(next(headers, "")).encode("utf-8", "surrogateescape")  # some write no ASCII here
    subject = _decoded(raw, None)
    try:
        parts = [
            part if isinstance(part, str) else _decoded(part, charset)
            for part, charset in decode_header(subject)
        ]
    except Exception:  # binascii.Error and others, of what only looks encoded
        return subject
    return _clean(" ".join("".join(parts).split()))


def _bodies(part: Message) -> Iterator[str]:
    """Yield the texts that a reader of the mail sees, in their order."""
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return
    kind = part.get_content_type()
    if part.is_multipart():
        if part.get_content_maintype() == "multipart":
            bodies = [[*_bodies(each)] for each in part.get_payload()]  # type: ignore[arg-type]
            if kind == "multipart/alternative":  # the plainest comes first
                bodies = next(([each] for each in bodies if any(map(str.strip, each))), [])
            yield from (text for each in bodies for text in each)
    elif part.get_content_maintype() == "text":
        payload = part.get_payload(decode=True)
        text = _decoded(payload if isinstance(payload, bytes) else b"", part.get_content_charset())
        yield plain_text(text) if kind == "text/html" else text


def _decoded(raw: bytes, charset: str | None) -> str:
    """Return bytes as text, by the charset, as UTF-8, or as what Windows writes."""
    named = [charset] if charset and charset.lower() not in _SLOW else []
    for encoding in (*named, "utf-8-sig", "cp1252"):
        try:
            return _clean(raw.decode(encoding))
        except (LookupError, ValueError):  # an unknown charset, or the wrong one
            continue
    return raw.decode("latin-1")


def _clean(text: str) -> str:
    """Return a text that can be written as UTF-8: halves of characters are replaced."""
    return text.encode("utf-8", "replace").decode()


def plain_text(html: str) -> str:
    """Return the text of HTML: '<p>Win <b>now</b></p>' -> 'Win now'

    The time that it takes grows with the length alone, however broken the HTML is.
    """
    texts, at = [], 0
    while found := _TAG.search(html, at):
        texts.append(html[at : found.start()])
        name = (found[1] or "").lower()
        end = "-->" if found[0] == "<!--" else ">"
        close = html.find(end, found.end())
        if close < 0:  # a tag that is never closed, as browsers take it
            at = len(html)
            break
        at = close + len(end)
        if name in _HIDDEN and html[found.start() + 1] != "/":
            closing = _CLOSING[name].search(html, at)
            at = closing.start() if closing else len(html)
        texts.append("" if name in _INLINE else " ")
    texts.append(html[at:])
    lines = (" ".join(line.split()) for line in unescape("".join(texts)).splitlines())
    return _clean("\n".join(line for line in lines if line))

"""Rows of mails and mailboxes."""

import os
import re
from collections.abc import Iterator, Sequence

from nabi.readers.compression import EXTENSIONS
from nabi.readers.files import File
from nabi.readers.parts import Bad, Row


def mail_rows(file: File, bad: Bad) -> Iterator[Row]:
    """Yield (path, text) of one mail."""
    with file.open() as source:
        text = text_of_mail(source.read())
    yield Row(file.name, (file.name, text), text)


def mailbox_rows(file: File, bad: Bad) -> Iterator[Row]:
    """Yield (mail, text) of each mail of a mailbox, numbered from 1."""
    for number, (line, raw) in enumerate(mails_of(file), 1):
        text = text_of_mail(raw)
        yield Row(line, (str(number), text), text)


def class_mailbox_rows(file: File, bad: Bad) -> Iterator[Row]:
    """Yield (mail, label, text) of each mail of a mailbox whose name is the label."""
    for row in mailbox_rows(file, bad):
        yield row._replace(values=(row.values[0], file.label, row.values[1]))


def label_mailboxes(files: Sequence[File]) -> None:
    """Let mailboxes of several names stand for classes: of a single one, the name says little."""
    mailboxes = [file for file in files if file.format == "mbox"]
    labels = [mailbox_class(file.name) for file in mailboxes]
    if len(set(labels)) > 1:
        for file, label in zip(mailboxes, labels, strict=True):
            file.label = label


def mailbox_class(path: str) -> str:
    """Return the class for which a mailbox stands: old/spam.mbox.gz -> spam"""
    ends = "|".join(map(re.escape, EXTENSIONS))
    return re.sub(rf"(?i)(\.mbox)?({ends})?$", "", os.path.basename(path))


def is_mailbox(path: str) -> bool:
    """Whether a file is a mailbox, going by its name."""
    return path.lower().endswith(".mbox")


def mails_of(file: File) -> Iterator[tuple[int, bytes]]:
    """Yield the mails of a mailbox, each with the number of the line before it.

    That line begins with `From `; in a mail, such a line is written as `>From `.
    """
    mail, first, is_blank = list[bytes](), 1, True
    with file.open() as lines:
        for line, raw in enumerate(iter(lines.readline, b""), 1):
            if is_blank and raw.startswith(b"From "):
                yield from [(first, b"".join(mail))] if mail else []
                mail, first = [], line
            else:
                mail.append(raw[1:] if raw.startswith(b">From ") else raw)
            is_blank = not raw.strip(b"\r\n")
    if mail:
        yield first, b"".join(mail)


def text_of_mail(raw: bytes) -> str:
    """Return subject and body of a mail."""
    from nabi.readers.mails.text import mail_text  # Python's email takes a while to import

    return mail_text(raw)

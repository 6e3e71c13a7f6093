"""Rows of folders: a text or mail a file, or many mails a mailbox."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from nabi.errors import DataError
from nabi.readers.files import NOT_REGULAR, File, not_utf8
from nabi.readers.mails.mailboxes import is_mailbox, mailbox_class, mails_of, text_of_mail
from nabi.readers.parts import Bad, Row

_MAILDIR = ("cur", "new")  # the folders of a Maildir that have its mails, beside `tmp`


def classes_in(root: str) -> list[str]:
    """Return the sub-folders and the mailboxes of a folder: what stands for a class there."""
    return [*_sub_folders(root), *(name for name in _files(root) if is_mailbox(name))]


def class_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """Yield (path, label, text) of each text; its label is that of its sub-folder or mailbox."""
    found = classes_in(folder.path)
    if not found:
        raise DataError(
            "a folder without sub-folders; expected one sub-folder for each class, with a file "
            "for each text, or one mailbox (.mbox) for each class",
            file=folder.path,
        )
    return _labelled_rows(_paths(folder.path, found), folder, bad)


def folders_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """Yield (path, label, text) of each text, without a label where nothing stands for a class."""
    names = _sub_folders(folder.path)
    return _labelled_rows(_paths(folder.path, [*_files(folder.path), *names]), folder, bad)


def folder_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """Yield (path, text) of each file in a folder that has no sub-folders."""
    for path in _paths(folder.path, _files(folder.path)):
        yield from _file_rows(path, folder, bad)


def _labelled_rows(paths: Iterable[str], folder: File, bad: Bad) -> Iterator[Row]:
    for path in paths:
        label = _class_of(path, folder.path)
        for row in _file_rows(path, folder, bad):
            yield row._replace(values=(row.values[0], label, row.values[1]))


def _class_of(path: str, root: str) -> str | None:
    """Return the class of a file in a folder.

    mails/spam/1.eml -> spam, mails/spam.mbox -> spam, mails/1.eml -> None
    """
    name, *inside = os.path.relpath(path, root).split(os.sep)
    return name if inside else mailbox_class(path) if is_mailbox(path) else None


def _file_rows(path: str, folder: File, bad: Bad) -> Iterator[Row]:
    """Yield (path, text) of a file in a folder, or of each mail of a mailbox."""
    if not os.path.isfile(path):  # a pipe would be waited for, and /dev/zero has no end
        bad(path, NOT_REGULAR, "")
    elif is_mailbox(path):
        for line, raw in mails_of(File(path, path, "mbox")):
            place, text = f"{path}:{line}", text_of_mail(raw)
            yield Row(place, (place, text), text)
    else:
        raw = Path(path).read_bytes()
        try:
            text = text_of_mail(raw) if _is_mail(path, folder) else raw.decode(folder.encoding)
        except UnicodeError:
            bad(path, not_utf8(raw), "")
        else:
            yield Row(path, (path, text), text)


def _is_mail(path: str, folder: File) -> bool:
    """Whether a file is a mail, going by the format, its name, or a Maildir in which it lies."""
    if folder.mails or path.lower().endswith(".eml"):
        return True
    place, name = os.path.split(os.path.dirname(os.path.abspath(path)))
    return name in _MAILDIR and os.path.isdir(os.path.join(place, "tmp"))


def _sub_folders(root: str) -> list[str]:
    return sorted(e.name for e in os.scandir(root) if e.is_dir() and not e.name.startswith("."))


def _files(root: str) -> list[str]:
    """Return the names in a folder of what is no folder: files, but also pipes and broken links."""
    return sorted(e.name for e in os.scandir(root) if not e.is_dir() and e.name[0] != ".")


def _paths(root: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the files that are called so in a folder, and those in folders that are."""
    places = (os.path.join(root, name) for name in names)
    return chain.from_iterable(_files_below(p) if os.path.isdir(p) else [p] for p in places)


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(place, name) for name in sorted(names) if name[0] != ".")

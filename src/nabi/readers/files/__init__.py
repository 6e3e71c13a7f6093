"""Files to read: paths, each with its format, compression and encoding."""

from nabi.readers.files.encodings import NOT_UTF8, likely_encoding, not_utf8
from nabi.readers.files.file import File
from nabi.readers.files.find import (
    NOT_REGULAR,
    file_path,
    find,
    is_there,
    looks_like_file,
    no_such_file,
    typed_row,
)
from nabi.readers.files.scratch import Scratch, decompressed

__all__ = [
    "NOT_REGULAR",
    "NOT_UTF8",
    "File",
    "Scratch",
    "decompressed",
    "file_path",
    "find",
    "is_there",
    "likely_encoding",
    "looks_like_file",
    "no_such_file",
    "not_utf8",
    "typed_row",
]

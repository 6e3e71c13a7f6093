"""Files that people write by hand: lists of words, rules."""

from nabi.errors import InputError

MOST = 2**26  # bytes; devices such as /dev/zero have no end


def utf8_text(path: str) -> str:
    """Return the text of a file without a byte order mark; refuse one larger than 64 MiB."""
    with open(path, "rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise InputError(f"{path}: more than {MOST >> 20} MiB came; expected a file of text")
    return data.decode().removeprefix("\ufeff")

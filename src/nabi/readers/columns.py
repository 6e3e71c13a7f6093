"""Choose the columns of the text and of the label."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from shlex import quote
from types import MappingProxyType

from nabi.base.checks import check_type
from nabi.errors import DataError, InputError, InputTypeError
from nabi.readers.likely import KNOWN, TEXTS, Values, likely

Wanted = Mapping[str, str | None]  # from a role, `text` or `label`, to a column; None: none named


def text_columns(text: object) -> str | None:
    """Return what is read as the text, from what the user gives: a name, or a list of names.

    ['subject', 'body'] -> 'subject,body'
    """
    if text is None or isinstance(text, str):
        return text
    expected = "the name of a column, or a list of names"
    if not isinstance(text, list | tuple):
        raise InputTypeError(f"text is {type(text).__name__}, expected {expected}")
    for name in text:
        check_type("a name in text", name, str, "the name of a column")
        if "," in name and text[1:]:
            raise InputError(
                f"text has {name!r}; a column with a comma in its name must stand alone"
            )
    if not text:
        raise InputError(f"text is an empty list, expected {expected}")
    return ",".join(text)


def chosen(role: str, wanted: str | None, names: Sequence[str], file: str) -> str:
    """Return the column for a role, `text` or `label`; where it is unclear, propose one."""
    return choose({role: wanted}, names, file)[role]


def choose(
    wanted: Wanted,
    names: Sequence[str],
    file: str,
    *,
    remembered: Mapping[str, str] = {},
    only: bool = False,
    hints: Mapping[str, str] = MappingProxyType({}),
    values: Callable[[], Values] = dict,
) -> dict[str, str]:
    """Return the column for each role; an error names all that are missing, and proposes some.

    The column that was named; that which the model remembers; that of the role's own name. With
    `only`, a text may also be the only column, beside that of the label; not if its name looks
    like a text, since the file has then no header. A text may be of several columns,
    `subject,body`: see `joined_columns`. An error proposes columns by their first `values`, or by
    their names where those are few. It ends with the `hints` for the roles that are missing, and
    for the file.
    """
    found = {role: _found(role, name, names, remembered) for role, name in wanted.items()}
    left = [name for name in names if name != found.get("label")]
    if found.get("text", "") is None and wanted["text"] is None and len(left) == 1:
        known = left[0].strip().lower() in TEXTS
        found["text"] = left[0] if known or (only and _is_name(left[0])) else None
    columns = {role: name for role, name in found.items() if name is not None}
    if len(columns) < len(found):
        missing = {role: wanted[role] for role, name in found.items() if name is None}
        labels = {columns.get("label"), remembered.get("label")}
        left = [name for name in names if name not in labels]
        what = _refusal(missing, names, left, remembered, values())
        what += "".join(hints.get(role, "") for role in (*missing, "file"))
        raise DataError(what, file=file)
    return columns


def joined_columns(text: str, names: Sequence[str]) -> list[str]:
    """Return the columns of which a text is made: that of this name, or those between commas.

    'subject,body' -> ['subject', 'body'], unless a column is itself called 'subject,body'.
    """
    return [text] if text in names else [name.strip() for name in text.split(",")]


def same_name(wanted: str, names: Sequence[str]) -> str | None:
    """Return the column of that name, or the only one of that name in another case."""
    same = [name for name in names if name.strip().lower() == wanted.strip().lower()]
    return wanted if wanted in names else same[0] if len(same) == 1 else None


def no_column(wanted: str, names: Sequence[str]) -> str:
    """Return the message of an error: no such column, which one may be meant, which there are."""
    return f"{_no(wanted, names)}; {_shown(names)}"


def _is_name(name: str) -> bool:
    """Whether the first line of a column is its name: 'your remarks', not a sentence."""
    return len(name.split()) <= 3


def _found(
    role: str, wanted: str | None, names: Sequence[str], remembered: Mapping[str, str]
) -> str | None:
    if wanted is not None:
        several = joined_columns(wanted, names) if role == "text" else [wanted]
        return ",".join(several) if set(several) <= set(names) else None
    known = remembered.get(role, role)
    if role == "text" and same_name(known, names) is None:
        several = [same_name(name, names) or "" for name in joined_columns(known, names)]
        if all(several):
            return ",".join(several)
    return same_name(known, names) or same_name(role, names)


def _refusal(
    missing: Wanted,
    names: Sequence[str],
    left: Sequence[str],
    remembered: Mapping[str, str],
    values: Values,
) -> str:
    """`no column 'text' and no column 'label'; try --text body --label kind; the columns are`

    What is proposed as the text is one of the columns that are `left`, beside that of the label.
    """
    said = []
    for role, wanted in missing.items():
        own = _unnamed(role, names, remembered.get(role))
        said.append(own if wanted is None else _none(role, wanted, names, left))
    unnamed = [role for role, wanted in missing.items() if wanted is None]
    labels = _candidates("label", names, values) if "label" in unnamed else []
    texts = _candidates("text", [name for name in left if name not in labels[:1]], values)
    proposed = {role: _proposal(role, labels if role == "label" else texts) for role in unnamed}
    verb = "try" if any(proposed.values()) else "name them with" if unnamed[1:] else "name it with"
    options = " ".join(found or f"--{role} COL" for role, found in proposed.items())
    hint = f"{verb} {options}; " if unnamed else ""
    no_text = "text" in proposed and proposed["text"] is None and not remembered
    if no_text and proposed.get("label") and len(names) > 2:
        hint = f"for a table of all columns {verb} {proposed['label']}, for texts {options}; "
    bare = "; --no-header if that is a text" if len(names) == 1 and not _is_name(names[0]) else ""
    return f"{' and '.join(said)}; {hint}{_shown(names)}{bare}"


def _unnamed(role: str, names: Sequence[str], known: str | None) -> str:
    """`no column 'body' (the model was trained on the text 'subject,body')`"""
    if known is None:
        return f"no column {_short(role)}"
    several = joined_columns(known, names) if role == "text" else [known]
    if len(several) == 1:
        return f"no column {_short(known)} (the {role} that the model was trained on)"
    lacking = [_short(name) for name in several if same_name(name, names) is None]
    said = " and ".join(f"no column {name}" for name in lacking)
    return f"{said} (the model was trained on the {role} {_short(known)})"


def _none(role: str, wanted: str, names: Sequence[str], left: Sequence[str]) -> str:
    """Return which columns there are not; of a text of several, those that are missing."""
    if role != "text":
        return _no(wanted, names)
    lacking = [name for name in joined_columns(wanted, names) if name not in names]
    return " and ".join(_no(name, left) for name in lacking)


def _no(wanted: str, names: Sequence[str]) -> str:
    """`no column 'txt' (did you mean 'text'?)`"""
    lower = {name.lower(): name for name in names}
    close = get_close_matches(wanted.lower(), lower, 1, 0.6)
    meant = f" (did you mean {lower[close[0]]!r}?)" if close else ""
    return f"no column {wanted!r}{meant}"


def _proposal(role: str, found: Sequence[str]) -> str | None:
    """`--text message (or 'subject')`, where there are columns that may be meant."""
    if not found:
        return None
    also = f" (or {', '.join(map(repr, found[1:3]))})" if found[1:] else ""
    return f"--{role} {quote(found[0])}{also}"


def _candidates(role: str, names: Sequence[str], values: Values) -> list[str]:
    """Return the columns that may be meant, the likeliest first: by values, else by names."""
    found = likely(role, {name: values[name] for name in names if name in values})
    if found is not None:
        return found
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = [lower[name] for name in KNOWN[role] if name in lower]
    return found or [lower[name] for name in get_close_matches(role, lower, 1, 0.6)]


def _short(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:37] + "...")


def _shown(names: Sequence[str]) -> str:
    """Return the first columns, for an error."""
    shown = ", ".join(map(_short, names[:12]))
    more = f", ... ({len(names)} in all)" if len(names) > 12 else ""
    return f"the columns are {shown}{more}" if names else "there are no columns"

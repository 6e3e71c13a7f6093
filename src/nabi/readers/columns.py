"""Choose the columns of the text and of the label."""

from collections.abc import Sequence
from difflib import get_close_matches

from nabi.errors import DataError

# What people call such columns, the surest names first.
TEXTS = (
    *("text", "texts", "message", "body", "content", "review", "comment", "sentence", "tweet"),
    *("document", "utterance", "question", "email", "sms", "post", "article", "description"),
    *("summary", "abstract", "title", "subject", "headline", "query", "input"),
)
LABELS = (
    *("label", "labels", "class", "category", "target", "sentiment", "intent", "topic", "tag"),
    *("y", "gold", "language", "lang", "author", "genre", "type", "polarity", "rating", "spam"),
)
KNOWN = {"text": TEXTS, "label": LABELS}


def chosen(role: str, wanted: str | None, names: Sequence[str], file: str) -> str:
    """Return the column for a role, `text` or `label`; where it is unclear, propose one."""
    if wanted is not None:
        if wanted in names:
            return wanted
        raise DataError(no_column(wanted, names), file=file)
    if role in names:
        return role
    same = [name for name in names if name.strip().lower() == role]
    if len(same) == 1:
        return same[0]
    raise DataError(f"no column {role!r}; {_proposal(role, names)}{_shown(names)}", file=file)


def no_column(wanted: str, names: Sequence[str]) -> str:
    """Return the message of an error: no such column, which one may be meant, which there are."""
    lower = {name.lower(): name for name in names}
    close = get_close_matches(wanted.lower(), lower, 1, 0.6)
    meant = f" (did you mean {lower[close[0]]!r}?)" if close else ""
    return f"no column {wanted!r}{meant}; {_shown(names)}"


def _proposal(role: str, names: Sequence[str]) -> str:
    """`try --text message; ` where a column has one of the names that people use."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = [lower[name] for name in KNOWN[role] if name in lower]
    found = found or [lower[name] for name in get_close_matches(role, lower, 1, 0.6)]
    if not found:
        return f"name it with --{role} COL; "
    flag = found[0] if found[0].isidentifier() else repr(found[0])
    also = f" (or {', '.join(map(repr, found[1:3]))})" if found[1:] else ""
    return f"try --{role} {flag}{also}; "


def _shown(names: Sequence[str]) -> str:
    """Return the first columns, for an error."""
    short = (name if len(name) <= 40 else name[:37] + "..." for name in names[:12])
    shown = ", ".join(map(repr, short))
    more = f", ... ({len(names)} in all)" if len(names) > 12 else ""
    return f"the columns are {shown}{more}" if names else "there are no columns"

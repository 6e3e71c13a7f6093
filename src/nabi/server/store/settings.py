"""How a store counts: recipe, event model and smoothing, with the tables that cut texts into words.

They stand in the journal. A replay under other tables would give other counts: it is refused.
"""

import hashlib
import json
from typing import Any

from nabi.errors import InputError, JournalError
from nabi.features.recipe import Features
from nabi.features.unicode import OTHERWISE, VERSION
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import Journal, Sql

KERNEL = "1"  # changes when the kernel cuts texts in another way
# A text with characters of every script, alone and between letters, and what recipes treat alike.
_POINTS = [*range(0x20, 0x3000), *range(0x3000, 0xD800, 16), *range(0xE000, 0x20000, 64)]
_PROBE = " ".join(
    ["RT @nabi https://a.b/c #tag :-) don't soooo 1,234.5 e-mail U.S.A. 나는 good!"]
    + [f"a{chr(point)}b {chr(point)}" for point in _POINTS]
)
_SHORT = 200  # characters for recipes that are slow


def new_model() -> TextClassifier:
    """Return the model of a new store: the library's defaults, with a strong ledger."""
    return TextClassifier(ledger="strong")


def facts_of(model: TextClassifier) -> dict[str, str]:
    """Return what the journal keeps of how a model counts."""
    if callable(model.recipe.tokenizer):
        raise InputError("a store cannot keep a tokenizer of your own; use an option of the recipe")
    settings = {**model.settings, "prior": model.prior, "ledger": model.ledger}
    return {
        "settings": json.dumps(settings, sort_keys=True),
        "kernel": KERNEL,
        "unicode": VERSION,
        "tokens": tokens_digest(model.recipe),
    }


def tokens_digest(recipe: Features) -> str:
    """Return a digest of the words that a recipe makes of characters of every script."""
    slow = recipe.korean or recipe.stem is not None
    tokens = recipe.of(_PROBE[:_SHORT] if slow else _PROBE)
    return hashlib.blake2b("\n".join(tokens).encode(), digest_size=16).hexdigest()


def model_of(facts: dict[str, str]) -> TextClassifier:
    """Return a model that has learned nothing and counts as the journal says."""
    settings: dict[str, Any] = json.loads(facts["settings"])
    recipe = Features.from_dict(settings.pop("recipe"))
    binary = recipe.binary and settings["event"] not in ("binary", "bernoulli")
    given = {**TextClassifier.parameters_of(recipe), "binary": binary, **settings}
    return TextClassifier(**given)


def settled(journal: Journal, wanted: TextClassifier | None) -> TextClassifier:
    """Return the model of a journal; a new journal gets the facts of the wanted one.

    Refuses another recipe than the journal's, and tables that cut texts in another way.
    """
    kept = journal.meta()
    if "settings" not in kept:
        model = new_model() if wanted is None else wanted
        with journal.batch():
            if "settings" not in journal.meta():  # by another process
                journal.set_meta(**facts_of(model))
        return model_of(journal.meta())
    if wanted is not None and facts_of(wanted)["settings"] != kept["settings"]:
        raise JournalError(
            f"{journal.name} counts with {kept['settings']}; leave the recipe out, or give "
            f"another --data"
        )
    return _checked(journal.name, kept)


def empty_model(journal: Journal, sql: Sql) -> TextClassifier:
    """Return the model of a journal without counts, by a connection of any thread."""
    return _checked(journal.name, dict(sql.execute("select name, value from meta")))


def _checked(name: str, kept: dict[str, str]) -> TextClassifier:
    """Return the model of facts; refuse them where texts would be cut in another way."""
    model = model_of(kept)
    now = facts_of(model)
    for fact in ("kernel", "unicode", "tokens"):
        if now[fact] != kept[fact]:
            raise JournalError(
                f"{name} was counted with {fact} {kept[fact]}, and this nabi has "
                f"{now[fact]}: {OTHERWISE}; "
                f"`nabi store rebuild --data {name}` counts them anew"
            )
    return model

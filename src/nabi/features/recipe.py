"""The recipe: what counts as a feature of a text. Frozen, comparable, and saved with the model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

import nabi._native as _native
from nabi.base.checks import is_same_json, number_range, one_of, true_or_false, whole_number
from nabi.errors import RecipeError
from nabi.features.batch import batch_of
from nabi.features.names import names_at
from nabi.features.normal_form import FORMS
from nabi.features.stems import check_korean, check_language
from nabi.features.stop_words import stop_words_of

PRESETS = ("words", "sklearn", "tweets", "chars")
SELECTIONS = ("chi2", "mutual_info", "per_class")  # by what features are the best
CHARS = (2, 4)  # the character n-grams of the preset `chars`
LONGEST = {"ngrams": 16, "chars": 64, "unspaced": 4, "hangul": 64}  # n-grams that the kernel makes
MOST = {"min_count": 2**40, "keep": 2**31, "buckets": 2**31 - 1}
UNSPACED = (1, 2)  # n-grams of letters where a script has no spaces
HANGUL = (2, 4)  # character n-grams of Hangul
# Options that mean something else than the default where a file does not have them: older files
# are of models without them.
_ABSENT: dict[str, Any] = {"hangul": None, "entities": False}
Tokenizer = Callable[[str], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class Features:
    r"""How a text becomes features.

    Parameters
    ----------
    preset : {"words", "sklearn", "tweets", "chars"}
        `words`: Unicode words, one-letter words and emoji kept. `sklearn`: token for token what
        scikit-learn's CountVectorizer takes by default. `tweets`: as `words`, and URLs, @handles,
        #tags, emoticons, long letters ("sooooo") and RT. `chars`: character n-grams inside
        the edges of words.
    ngrams : (int, int)
        Word n-grams, from and to. With the preset `chars` there are no words: it then counts
        characters, and (1, 1), the default, means (2, 4).
    chars : (int, int), optional
        Character n-grams beside the words.
    lowercase : bool
    binary : bool
        A feature counts once in a document, however often it comes.
    negation : bool
        Every word after a negation, up to the next punctuation, becomes NOT_word.
        For the presets `words` and `tweets`.
    stop_words : iterable of str, str or int, optional
        Words to leave out: a list, the list of a language by its name ("english"), or how many of
        the most frequent words. A list is part of the counting; a number is a view that follows
        the counts.
    min_count : int
        Features seen fewer times in all are left out; a view that follows the counts.
    keep : int, optional
        Keep so many features, the best by `keep_by`; a view that follows the counts.
    keep_by : {"chi2", "mutual_info", "per_class"}
        How far a feature's counts are from the classes' shares, what it tells of the class, or the
        evidence it carries for one: `per_class` keeps `keep` features of each class. See
        :mod:`nabi.scoring.selection`.
    buckets : int, optional
        Hash the features to this many buckets: memory then has a fixed limit, words share buckets.
    tokenizer : callable, optional
        Your own function from a str to its tokens, in place of the preset's; empty tokens are
        left out. Slower: it is called from Python for each text, on one thread. It is not saved
        with a model, only its name.
    unspaced : (int, int), optional
        Scripts that put no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese):
        n-grams of so many letters count in place of words. None where the texts have spaces
        between the words already. For the presets `words` and `tweets`.
    hangul : (int, int), optional
        Character n-grams of Hangul (Korean) beside the words, as `chars` has them of all
        letters. None to count the words alone. For the presets `words` and `tweets`; not beside
        `korean`, `chars` or n-grams without single words.
    strip_accents : bool
        Letters without their accents: café is cafe.
    normalize : {"NFC", "NFKC"}, optional
        Unicode's normal form, so that what looks the same is the same.
    stem : str, optional
        A language by its name: words count by their stems. Needs PyStemmer.
    korean : bool
        Korean words count by their morphemes. Needs kiwipiepy.
    entities : bool, optional
        HTML entities count as the characters that they stand for: `&#8220;` is a quotation mark
        and not the word 8220. Default: for the presets `words` and `tweets`, but not for a
        tokenizer of your own.

    Examples
    --------
    >>> Features(preset="words", ngrams=(1, 2)).of("Not bad 😀!")
    ['not', 'bad', '😀', 'not bad', 'bad 😀']
    >>> Features(negation=True).of("I did not like it, sorry")
    ['i', 'did', 'not', 'NOT_like', 'NOT_it', 'sorry']
    >>> Features(strip_accents=True, stop_words="french").of("Le café 東京")
    ['cafe', '東', '東京', '京']
    >>> Features(hangul=(2, 2)).of("영화 ok")
    ['영화', 'ok', '\t 영', '\t영화', '\t화 ']
    """

    preset: str = "words"
    ngrams: tuple[int, int] | None = (1, 1)
    chars: tuple[int, int] | None = None
    lowercase: bool = True
    binary: bool = False
    negation: bool = False
    stop_words: tuple[str, ...] | int | None = None
    min_count: int = 1
    keep: int | None = None
    keep_by: str = SELECTIONS[0]
    buckets: int | None = None
    tokenizer: Tokenizer | str | None = None
    unspaced: tuple[int, int] | None = UNSPACED
    hangul: tuple[int, int] | None = HANGUL
    strip_accents: bool = False
    normalize: str | None = None
    stem: str | None = None
    korean: bool = False
    entities: bool | None = None

    def __post_init__(self) -> None:
        self._check_names()
        if self.entities is None:
            self._set("entities", self.has_entities(self.preset, self.tokenizer))
        for name, most in LONGEST.items():
            self._set(name, number_range(name, getattr(self, name), most))
        for name in ("lowercase", "binary", "negation", "strip_accents", "korean", "entities"):
            self._set(name, true_or_false(name, getattr(self, name)))
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is not None or name == "min_count":
                self._set(name, whole_number(name, value, 1, most, error=RecipeError))
        self._set("stop_words", stop_words_of(self.stop_words, self.lowercase, self.normalize))
        # Two spellings of one recipe must be equal.
        if self.keep is None:
            self._set("keep_by", SELECTIONS[0])
        if self.preset == "chars":
            default = CHARS if self.ngrams in (None, (1, 1)) else self.ngrams
            self._set("chars", self.chars or default)
            self._set("ngrams", None)
        self._check_together()
        if self.no_hangul is not None:
            self._set("hangul", None)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_names(self) -> None:
        one_of("features", self.preset, PRESETS, error=RecipeError)
        one_of("keep_by", self.keep_by, SELECTIONS, error=RecipeError)
        if self.normalize is not None:
            one_of("normalize", self.normalize, FORMS, error=RecipeError)
        tokenizer = self.tokenizer
        if not (tokenizer is None or callable(tokenizer) or isinstance(tokenizer, str)):
            raise RecipeError(f"tokenizer is {self.tokenizer!r}, expected a function of a str")
        if self.stem is not None:
            check_language(self.stem)

    def _check_together(self) -> None:
        if self.korean:
            check_korean()
        if self.ngrams is None and self.preset != "chars":
            raise RecipeError(
                f"ngrams is None; only features='chars' has none, not {self.preset!r}"
            )
        self._check_words()
        if self.negation and (self.preset not in ("words", "tweets") or self.tokenizer):
            what = "a tokenizer of your own" if self.tokenizer else f"features={self.preset!r}"
            raise RecipeError(f"negation needs features='words' or 'tweets', not {what}")
        if self.tokenizer and (self.preset == "chars" or self.chars):
            raise RecipeError("a tokenizer of your own gives words; leave out the characters")
        if isinstance(self.stop_words, int) and (self.buckets or self.preset == "chars"):
            what = "buckets" if self.buckets else "features='chars'"
            raise RecipeError(
                f"stop_words={self.stop_words} counts words; {what} has none to count"
            )

    def _check_words(self) -> None:
        """Refuse options of words where there are none, or where the user makes them."""
        asked = {
            "unspaced": self.unspaced != UNSPACED,
            "strip_accents": self.strip_accents and self.tokenizer is not None,
            "stem": self.stem is not None,
            "korean": self.korean,
        }
        given = [name for name, is_given in asked.items() if is_given]
        if given and self.tokenizer:
            raise RecipeError(f"{given[0]} is the work of a tokenizer of your own; leave it out")
        if given and self.preset == "chars":
            raise RecipeError(f"{given[0]} is for words; features='chars' has none")
        if asked["unspaced"] and self.preset == "sklearn":
            raise RecipeError("unspaced needs features='words' or 'tweets', not 'sklearn'")
        if self.stem is not None and not self.lowercase:
            raise RecipeError("stem needs words in lower case; leave lowercase as it is")
        if self.hangul not in (None, HANGUL) and self.no_hangul is not None:
            raise RecipeError(
                f"hangul={self.hangul} counts characters beside single words, which does not go "
                f"together with {self.no_hangul}; leave one of them out"
            )

    # ---- what the rest of nabi asks ----

    @staticmethod
    def has_entities(preset: object, tokenizer: object) -> bool:
        """Whether HTML entities are decoded by default; scikit-learn does not decode them."""
        return preset in ("words", "tweets") and tokenizer is None

    @property
    def native(self) -> _native.Recipe:
        """The kernel's side of the recipe."""
        return _native_recipe(self.counting)

    @property
    def counting(self) -> "Features":
        """The recipe without its views: what two sets of counts must share to be added."""
        if not self.views and not callable(self.tokenizer):
            return self  # to build and check another takes longer than to score a short text
        words = self.stop_words if isinstance(self.stop_words, tuple) else None
        name = tokenizer_name(self.tokenizer)
        return replace(self, stop_words=words, min_count=1, keep=None, tokenizer=name)

    @property
    def no_hangul(self) -> str | None:
        """The option that leaves no place for n-grams of Hangul; None where they can be."""
        excluding = {
            "tokenizer": self.tokenizer is not None,
            f"features={self.preset!r}": self.preset not in ("words", "tweets"),
            "korean=True": self.korean,
            f"chars={self.chars}": self.chars is not None,
            f"ngrams={self.ngrams}": self.ngrams is None or self.ngrams[0] > 1,
        }
        return next((option for option, is_given in excluding.items() if is_given), None)

    @property
    def native_words(self) -> _native.Recipe:
        """The kernel's recipe of the words alone, each as it is written."""
        names = ("preset", "lowercase", "unspaced", "strip_accents")
        return Features(**{name: getattr(self, name) for name in names}, hangul=None).native

    @property
    def views(self) -> bool:
        """Whether some counted features are left out when weighing."""
        return self.min_count > 1 or isinstance(self.stop_words, int) or self.keep is not None

    def of(self, text: str) -> list[str]:
        """The features of a text, one for each time they come."""
        names, offsets, features, _, _ = _native.trace(batch_of([text], self), self.native)
        return names_at(names, offsets, features)

    def to_dict(self) -> dict[str, Any]:
        """The recipe in JSON's terms, as files have it: options that are absent there left out."""
        given = asdict(replace(self, tokenizer=tokenizer_name(self.tokenizer)))
        absent = {field.name: field.default for field in fields(self)} | _ABSENT
        return {k: v for k, v in given.items() if k == "preset" or v != absent[k]}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Features":
        """The recipe that `to_dict` wrote."""
        unknown = set(given) - {field.name for field in fields(cls)}
        if unknown:
            raise RecipeError(f"a recipe with unknown options: {', '.join(sorted(unknown))}")
        recipe = cls(**{**_ABSENT, **given})
        if not is_same_json(recipe.to_dict(), given):
            raise RecipeError(f"a recipe that is not as it is saved: {given}")
        return recipe


@lru_cache(maxsize=64)
def _native_recipe(features: Features) -> _native.Recipe:
    words = features.stop_words if isinstance(features.stop_words, tuple) else ()
    # Only these presets have words that scripts without spaces lack.
    cuts = features.preset in ("words", "tweets") and not features.tokenizer
    return _native.Recipe(
        preset=getattr(_native.Preset, "custom" if features.tokenizer else features.preset),
        words=features.ngrams or (0, 0),
        chars=features.chars or features.hangul or (0, 0),
        lowercase=features.lowercase,
        binary=features.binary,
        negation=features.negation,
        buckets=features.buckets or 0,
        stop_words=list(words),
        strip_accents=features.strip_accents,
        unspaced=(features.unspaced if cuts else None) or (0, 0),
        only_hangul=features.hangul is not None,
    )


def tokenizer_name(tokenizer: Tokenizer | str | None) -> str | None:
    """`module:name` of a function, as a model file keeps it."""
    if tokenizer is None or isinstance(tokenizer, str):
        return tokenizer
    name = getattr(tokenizer, "__qualname__", type(tokenizer).__qualname__)
    return f"{getattr(tokenizer, '__module__', '?')}:{name}"


def check_same_tokenizer(one: Any, other: Any) -> None:
    """Refuse another function of the same name; a file knows the name alone."""
    if callable(one) and callable(other) and one != other:
        raise RecipeError(
            f"two tokenizers are called {tokenizer_name(one)!r}, and are not the same function; "
            f"use one function for both"
        )

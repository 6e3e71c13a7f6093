"""The words of a text in plain Python: the first step of `reference`."""

import html
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html.entities import html5
from itertools import groupby
from typing import Any

Text = str | bytes | None


@dataclass(frozen=True)
class Recipe:
    """How a text becomes features."""

    preset: str = "words"
    ngrams: tuple[int, int] | None = (1, 1)
    chars: tuple[int, int] | None = None
    lowercase: bool = True
    binary: bool = False
    negation: bool = False
    stop_words: tuple[str, ...] | int | None = None
    min_count: int = 1
    buckets: int | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    unspaced: tuple[int, int] | None = (1, 2)
    hangul: tuple[int, int] | None = None
    strip_accents: bool = False
    normalize: Any = None
    stem: str | None = None
    entities: bool = False


def repaired(text: Text) -> str:
    """The text with U+FFFD for bad bytes and lone surrogates; "" for a missing one (None, NaN)."""
    if text is None or text != text:
        return ""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


# The characters of each category; a million, so they are gone through once.
CATEGORIES: dict[str, list[str]] = {}
for c in map(chr, range(sys.maxunicode + 1)):
    CATEGORIES.setdefault(unicodedata.category(c), []).append(c)


def ranges(chars: Iterable[str]) -> str:
    """The characters, as the ranges of a [] pattern."""
    places = enumerate(sorted(map(ord, chars)))
    runs = [[code for _, code in run] for _, run in groupby(places, lambda pair: pair[1] - pair[0])]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


def char_class(*categories: str) -> str:
    """The characters of these Unicode categories."""
    return ranges(c for category in categories for c in CATEGORIES[category])


def is_unspaced(letter: str) -> bool:
    """Whether it is a letter of a script that puts no spaces between words."""
    return bool(
        re.match(
            r"CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH-|IDEOGRAPHIC |(HALFWIDTH )?(HIRAGANA|KATAKANA)"
            r"[ -]|(BOPOMOFO|THAI|LAO|KHMER|MYANMAR) ",
            unicodedata.name(letter, ""),
        )
    )


# Patterns for re.VERBOSE. Python's \w is just str.isalnum() or "_", and its \s is str.isspace().
MARK = char_class("Mc", "Me", "Mn") + "\u200c\u200d"
SYMBOL = rf"(?! [\ufffc\ufffd] ) [{char_class('So')}]"
UNSPACED = ranges(
    letter
    for letters in ("Lo", "Lm", "Nl")
    for letter in CATEGORIES[letters]
    if is_unspaced(letter)
)
HANGUL = ranges(c for c in CATEGORIES["Lo"] if "HANGUL " in unicodedata.name(c, ""))
LETTER = rf"[^\W{UNSPACED}]"  # of a script with spaces, or a digit
WORD = rf"\w (?: [\w{MARK}] | ['\u2019](?=\w) )*"
FACE = rf"(?: [\U0001f1e6-\U0001f1ff]{{2}} | {SYMBOL} ) [\U0001f3fb-\U0001f3ff]*"
EMOJI = rf"{FACE} (?: \u200d {FACE} )*"
CLAUSE_END = r"[.,;:!?()\[\]{}—–…。、，；：！？،؛؟।]"
NOSE, MOUTH = r"[-o'*^]", r"[)(\]\[}{dDpPoO/\\|@3*]"
EMOTICON = rf"""
    </3 | <3
  | >? [:;=8xX] {NOSE}? (?= [^\w/] | \w(?!\w) | /(?!/) ) {MOUTH}
  | [)(\]\[] {NOSE}? [:;=]
"""

# What the presets look for, where runs of letters are cut and where they are not.
SPACED_WORD = rf"{LETTER} (?: {LETTER} | [{MARK}] | ['\u2019](?={LETTER}) )*"
RUN = rf"[{UNSPACED}] [{UNSPACED}{MARK}]*"
CUT = rf"(?P<run>{RUN}) | (?P<word>{SPACED_WORD})"


def words_pattern(words: str) -> str:
    """What the preset `words` looks for, words being these."""
    return f"(?P<emoji>{EMOJI}) | {words} | (?P<end>{CLAUSE_END})"


def tweets_pattern(words: str, letter: str) -> str:
    """What the preset `tweets` looks for, words being these and made of such letters."""
    return rf"""
    (?<!{letter}) (?: (?P<url> (?ai: https?:// | www\. ) [^\s<>"]+ )  # a: U+017F is no s
              | (?P<user> @ [A-Za-z0-9_]+ )
              | (?P<tag> \# {WORD} )
              | (?P<emoticon> {EMOTICON} ) )
  | {words_pattern(words)}
    """


# By whether runs of letters are cut.
WORDS = {
    False: re.compile(words_pattern(f"(?P<word>{WORD}) | (?P<run>(?!))"), re.VERBOSE),
    True: re.compile(words_pattern(CUT), re.VERBOSE),
}
TWEETS = {
    False: re.compile(tweets_pattern(f"(?P<word>{WORD}) | (?P<run>(?!))", r"\w"), re.VERBOSE),
    True: re.compile(tweets_pattern(CUT, LETTER), re.VERBOSE),
}
NEGATOR = re.compile(
    r"""no | not | never | none | nobody | nothing | nowhere | neither | nor | cannot | without
      | (?: ca | do | wo | is | did | does | was | were | would | could | should | ai | are
          | has | have | had ) nt
      | .* n't""",
    re.VERBOSE | re.DOTALL,
)


def lower_pieces(text: str) -> list[str]:
    """What each character becomes in text.lower(): "İAΣ" -> ["i̇", "a", "ς"]."""
    lower = iter(text.lower())  # of the whole text: it alone tells which sigma is a final one
    return ["".join(next(lower) for _ in c.lower()) for c in text]


def shortened(word: str) -> str:
    """The word with no character more than three times in a row: "sooooo" -> "sooo"."""
    return re.sub(r"(.)\1{3,}", r"\1\1\1", word, flags=re.DOTALL)


def unaccented(text: str) -> str:
    """The text without accents: é, or e and the accent behind it, is e; ø is o."""
    return "".join(map(unaccented_letter, re.sub("[\u0300-\u036f]", "", text)))


def unaccented_letter(c: str) -> str:
    """A letter without its accents, those that have a code point of their own and those drawn."""
    base, *marks = unicodedata.normalize("NFD", c)
    if not c.isalnum() or any(not "\u0300" <= mark <= "\u036f" for mark in marks):
        return c
    name, _, more = unicodedata.name(base, "").partition(" WITH ")
    latin = re.fullmatch("LATIN (SMALL|CAPITAL) LETTER [A-Z]", name)
    return unicodedata.lookup(name) if latin and not more.startswith("SMALL LETTER") else base


def grams_of_run(run: str, lo: int, hi: int) -> Iterator[str]:
    """The n-grams of letters, each with its marks: "東京都", 1, 2 -> "東", "東京", "京", ..."""
    letters = re.findall(f"[{UNSPACED}][{MARK}]*", run)
    least = min(lo, len(letters))
    for i in range(len(letters)):
        for n in range(least, hi + 1):
            if i + n <= len(letters):
                yield "".join(letters[i : i + n])


def words_pieces(text: str, unspaced: tuple[int, int] | None) -> Iterator[str | None]:
    """The tokens of preset `words`, and None where a clause ends."""
    for m in WORDS[unspaced is not None].finditer(re.sub("[\ufe0e\ufe0f]", "", text)):
        if m["run"] and unspaced:
            yield from grams_of_run(m[0], *unspaced)
        else:
            yield None if m["end"] else m[0].replace("\u2019", "'")


def tweets_pieces(text: str, recipe: Recipe) -> Iterator[str | None]:
    """The tokens of preset `tweets`, and None where a clause ends."""
    text = re.sub("[\ufe0e\ufe0f]", "", text)
    cased = lower_pieces(text) if recipe.lowercase else list(text)
    for m in TWEETS[recipe.unspaced is not None].finditer(text):
        token = "".join(cased[m.start() : m.end()])
        if recipe.strip_accents:
            token = unaccented(token)
        if m["end"]:
            yield None
        elif m["run"] and recipe.unspaced:
            yield from grams_of_run(token, *recipe.unspaced)
        elif m["url"] or m["user"]:
            yield f"<{m.lastgroup}>"
        elif m["word"] or m["tag"]:
            yield "<rt>" if m[0] == "RT" else shortened(token.replace("\u2019", "'"))
        else:
            yield m["emoticon"] or token


def pieces(text: str, recipe: Recipe) -> Iterable[str | None]:
    """The tokens of the text before stop words and negation, and None where a clause ends."""
    cased = text.lower() if recipe.lowercase else text
    match recipe.preset:
        case "words" if recipe.strip_accents:
            found = words_pieces(cased, recipe.unspaced)
            return (token and unaccented(token) for token in found)
        case "words":
            return words_pieces(cased, recipe.unspaced)
        case "tweets":
            return tweets_pieces(text, recipe)
        case "sklearn":
            plain = unaccented(cased) if recipe.strip_accents else cased
            return re.findall(r"(?u)\b\w\w+\b", plain)
        case "chars":
            return []
        case "custom" if recipe.tokenizer:
            return filter(None, recipe.tokenizer(text))
    raise ValueError(f"unknown preset {recipe.preset!r}, or custom without a tokenizer")


def unescaped(text: str) -> str:
    """The text with its HTML entities as characters, those that were escaped twice too."""
    names = "|".join(name.removesuffix(";") for name in html5 if name.endswith(";"))
    pattern = rf"&(?:amp;)*(#\d{{1,10}}|#[xX][0-9a-fA-F]{{1,8}}|{names});"
    return re.sub(pattern, lambda found: html.unescape(f"&{found[1]};"), text, flags=re.ASCII)


def hangul_only(text: str) -> str:
    """The runs of Hangul with their marks, a space between two: "LG전자 3월" -> "전자 월\""""
    return " ".join(re.findall(f"[{HANGUL}][{HANGUL}{MARK}]*", text))


def normal(text: str, recipe: Recipe) -> str:
    """The text in the recipe's normal form, without HTML entities if it says so."""
    text = unescaped(text) if recipe.entities else text
    return unicodedata.normalize(recipe.normalize, text) if recipe.normalize else text


def stem(word: str, language: str | None) -> str:
    """The word's stem; the word itself where no language is given."""
    if language:
        import Stemmer
    return Stemmer.Stemmer(language).stemWord(word) if language else word


def tokens(text: Text, recipe: Recipe) -> list[str]:
    """The words of the text, stop words dropped and negation marked; none for preset `chars`."""
    stop_words = () if isinstance(recipe.stop_words, int) else recipe.stop_words or ()
    marking = recipe.negation and recipe.preset in ("words", "tweets")
    if recipe.strip_accents:
        stop_words = tuple(map(unaccented, stop_words))
    words, negated = [], False
    for token in pieces(normal(repaired(text), recipe), recipe):
        if token is None:
            negated = False
            continue
        if token not in stop_words:
            word = stem(token, recipe.stem)
            words.append("NOT_" + word if negated else word)
        if marking and NEGATOR.fullmatch(token.lower()):
            negated = True
    return words

"""Options that say what to count and how to weigh it: for all commands that train."""

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar

from click import UsageError

from nabi.base.small_file import utf8_text
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.source import LabelledTexts
from nabi.errors import InputError
from nabi.features.stop_words import word_lists
from nabi.models.counting import CountingModel
from nabi.models.text import TextClassifier
from nabi.readers import Reader
from nabi.scoring.smoothing import AUTO

LANGUAGE = "The language"
CUTS = ("unspaced", "hangul")  # n-grams of letters, which can be turned off
LEDGERS: dict[str, bool | str] = {"plain": True, "strong": "strong", "none": False}
DEFAULTS = {name: p.default for name, p in inspect.signature(TextClassifier).parameters.items()}
LEDGER: Any = option(
    "How `forget` checks that a text was learned: plain (8 bytes a text), strong (16 bytes, "
    "cannot be forged), or none.",
    "KIND",
    default="plain",
)


@dataclass(frozen=True)
class Recipe:
    """The parameters of TextClassifier as they are typed: what to count, how to weigh it."""

    PANEL: ClassVar[str] = "The recipe"
    features: str = option(
        "Preset: words, sklearn, tweets or chars.", "PRESET", default=DEFAULTS["features"]
    )
    ngrams: str | None = option(
        "Word n-grams to count: 1-2 counts words and pairs (default: 1-1; linear models: 1-2).",
        "LO-HI",
        first=True,
    )
    chars: str | None = option(
        "Count character n-grams too: 2-4 counts runs of 2 to 4 characters.", "LO-HI"
    )
    event: str = option(
        "Event model: multinomial, binary, bernoulli or complement.",
        "EVENT",
        default=DEFAULTS["event"],
    )
    alpha: str = option(
        "Smoothing: a number added to every count; auto chooses it by leave-one-out (tables: 1).",
        "A",
        default=DEFAULTS["alpha"],
    )
    prior: str = option(
        "Prior of the classes: empirical, uniform, or spam=0.1,ham=0.9.",
        "PRIOR",
        default=DEFAULTS["prior"],
    )
    negation: bool = flag(
        "Count words after a negation separately: `good` in `not good` is NOT_good."
    )
    stop_words: str | None = option(
        "Leave out the N most frequent words, the stop words of a language (english), or the "
        "words in a file.",
        "N|LANGUAGE|FILE",
    )
    min_count: int = option(
        "Leave out words seen fewer than N times.", "N", default=DEFAULTS["min_count"]
    )
    keep: int | None = option("Keep the N words that tell classes apart best.", "N")
    keep_by: str = option(
        "Measure for --keep: chi2, mutual_info, or per_class (N words of each class).",
        "MEASURE",
        default=DEFAULTS["keep_by"],
    )
    buckets: int | None = option("Hash words to N buckets, to limit memory.", "N")
    no_lowercase: bool = flag("Count `Turkey` and `turkey` separately.")
    entities: str | None = option(
        "HTML entities count as the characters that they stand for: yes or no (default: yes for "
        "the presets words and tweets).",
        "yes|no",
        panel=LANGUAGE,
    )
    unspaced: str = option(
        "Letter n-grams to count in place of words in Chinese, Japanese, Thai, Lao, Khmer and "
        "Burmese; no if the texts have spaces between words.",
        "LO-HI|no",
        default="{}-{}".format(*DEFAULTS["unspaced"]),
        panel=LANGUAGE,
    )
    hangul: str = option(
        "Character n-grams of Hangul to count beside Korean words; no to count the words alone.",
        "LO-HI|no",
        default="{}-{}".format(*DEFAULTS["hangul"]),
        panel=LANGUAGE,
    )
    strip_accents: bool = flag("Count `café` as `cafe`.", panel=LANGUAGE)
    normalize: str | None = option(
        "Unicode normal form of the texts (default: as they are).", "NFC|NFKC", panel=LANGUAGE
    )
    stem: str | None = option(
        "Count words by their stems; needs nabi[stemming].", "LANGUAGE", panel=LANGUAGE
    )
    korean: bool = flag(
        "Count Korean words by their morphemes; needs nabi[korean].", panel=LANGUAGE
    )
    ledger: str = LEDGER
    no_ledger: bool = flag("The same as --ledger none: a smaller file.")

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of TextClassifier that the options describe; refuse bad ones."""
        typed = vars(self)
        found = {name: typed[name] for name in DEFAULTS if name in typed}
        found |= {name: not typed[f"no_{name}"] for name in DEFAULTS if f"no_{name}" in typed}
        found |= {name: span(typed[name], name) for name in ("ngrams", "chars", *CUTS)}
        found["entities"] = yes_or_no(self.entities, "entities")
        alpha = self.alpha if self.alpha == AUTO else o.as_number(self.alpha)
        if alpha is None:
            raise UsageError(f"--alpha {self.alpha}: expected auto, or a number such as 0.5.")
        prior = o.prior(self.prior, None)
        found["ledger"] = ledger_of(self.ledger, none=self.no_ledger)
        found |= {"stop_words": stop_words(self.stop_words), "alpha": alpha, "prior": prior}
        if self.ngrams is None:
            del found["ngrams"]  # each kind of model has its own default
        return found

    def classifier(self, threads: int | None) -> TextClassifier:
        """Return a classifier that has learned nothing yet; refuse bad options."""
        model = TextClassifier(**self.parameters(), threads=threads)
        model.check()
        return model


@dataclass(frozen=True)
class TableRecipe(Recipe):
    """A recipe, and what the columns of a table are."""

    columns: str | None = option(
        "Learn from all columns of a table; MODEL says what one holds (default: inferred). It is "
        "text, categorical, bernoulli, gaussian, lognormal, poisson, histogram or ignore.",
        "COL=MODEL,...",
        first=True,
    )
    ddof: int = option("Divide variances by n (0) or by n - 1 (1).", "0|1", default=0)
    missing: str = option(
        "Missing values of a table: skip them, or count them as evidence.",
        "skip|evidence",
        default="skip",
    )

    def model(self, source: LabelledTexts, reader: Reader, *, table: bool) -> CountingModel:
        """Return a classifier of texts or of tables, as the data are; refuse bad options."""
        if not table:
            for name, default in (("ddof", 0), ("missing", "skip")):
                if getattr(self, name) != default:
                    raise InputError(f"--{name} is for tables, and these are texts; leave it out")
            return self.classifier(source.threads)
        if source.text is not None:
            raise InputError(
                "--text names the one column to learn from, --columns several; give one"
            )
        columns = columns_of(self.columns)
        if reader.label in (columns or {}):
            label = repr(reader.label)
            raise InputError(f"--columns {self.columns}: {label} is the column of the labels")
        from nabi.search.training import table_model

        texts = self.classifier(source.threads)
        return table_model(texts, columns, ddof=self.ddof, missing=self.missing)


def ledger_of(typed: str, *, none: bool = False) -> bool | str:
    """'plain' -> True, 'none' -> False, 'strong' -> 'strong'"""
    if typed not in LEDGERS:
        raise UsageError(f"--ledger {typed}: expected plain, strong or none.")
    if none and LEDGERS[typed] == "strong":
        raise UsageError("--ledger strong and --no-ledger; give one of them.")
    return False if none else LEDGERS[typed]


def yes_or_no(typed: str | None, name: str) -> bool | None:
    """'yes' -> True, 'no' -> False; None where nothing was typed."""
    if typed not in (None, "yes", "no"):
        raise UsageError(f"--{name} {typed}: expected yes or no.")
    return None if typed is None else typed == "yes"


def columns_of(typed: str | None) -> dict[str, str] | None:
    """'age=gaussian,body=text' -> {'age': 'gaussian', 'body': 'text'}"""
    if typed is None:
        return None
    columns: dict[str, str] = {}
    for item in typed.split(","):
        name, equals, model = item.rpartition("=")
        if not equals or not name.strip():
            raise InputError(f"--columns {typed}; expected column=model,... such as age=gaussian")
        columns[name.strip()] = model.strip()
    return columns


def span(typed: str | None, name: str) -> tuple[int, int] | None:
    """'1-2' -> (1, 2); '2' -> (2, 2); 'no' -> None"""
    if typed is None or (typed == "no" and name in CUTS):
        return None
    low, _, high = typed.partition("-")
    try:
        return int(low), int(high or low)
    except ValueError:
        raise InputError(f"--{name} {typed}; expected a range such as 1-2") from None


def stop_words(typed: str | None) -> list[str] | str | int | None:
    """Return a number or a language as it is, a file as the list of its words."""
    if typed is None or typed in word_lists():
        return typed
    if typed.isdigit():
        return int(typed)
    try:
        return utf8_text(typed).split()
    except OSError:
        raise InputError(
            f"--stop-words {typed}; expected how many of the most frequent words, a file, or one "
            f"of {', '.join(word_lists())}"
        ) from None
    except UnicodeError:
        raise InputError(f"--stop-words {typed}: not UTF-8") from None

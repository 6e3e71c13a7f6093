"""The options that say what to count, and how to weigh it: for all commands that learn anew."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nabi.cli.options import common as o
from nabi.cli.options.common import UsageError
from nabi.errors import InputError
from nabi.features.recipe import SELECTIONS
from nabi.features.stop_words import word_lists
from nabi.models.counting import CountingModel
from nabi.models.text import TextClassifier
from nabi.scoring.smoothing import AUTO

if TYPE_CHECKING:
    from nabi.models.table import TableClassifier

PANEL = "The recipe"
LANGUAGE = "The language"

Features = Annotated[
    str,
    typer.Option(metavar="PRESET", help="words, sklearn, tweets or chars.", rich_help_panel=PANEL),
]
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="LO-HI",
        help="How many words together: 1-2 is words and pairs, as linear models have it; "
        "otherwise 1-1.",
        rich_help_panel=PANEL,
    ),
]
Chars = Annotated[
    str | None,
    typer.Option(
        metavar="LO-HI", help="How many characters together, beside words.", rich_help_panel=PANEL
    ),
]
Event = Annotated[
    str,
    typer.Option(
        metavar="EVENT",
        help="multinomial, binary, bernoulli or complement.",
        rich_help_panel=PANEL,
    ),
]
Alpha = Annotated[
    str,
    typer.Option(
        metavar="A",
        help="Smoothing: added to every count. auto fits it to the texts; of a table, it is 1.",
        rich_help_panel=PANEL,
    ),
]
Prior = Annotated[
    str,
    typer.Option(metavar="PRIOR", help="empirical, uniform, or c=p,...", rich_help_panel=PANEL),
]
Negation = Annotated[
    bool,
    typer.Option(
        "--negation",
        help="After a `not`, `good` counts as another word.",
        rich_help_panel=PANEL,
    ),
]
StopWords = Annotated[
    str | None,
    typer.Option(
        metavar="N|LANGUAGE|FILE",
        help="Leave out the N most frequent words, the small words of a language (english), or "
        "those in a file.",
        rich_help_panel=PANEL,
    ),
]
MinCount = Annotated[
    int,
    typer.Option(metavar="N", help="Leave out words that are rarer.", rich_help_panel=PANEL),
]
Keep = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Keep the N words that tell classes apart best.", rich_help_panel=PANEL
    ),
]
KeepBy = Annotated[
    str,
    typer.Option(
        metavar="WAY",
        help="What makes them good: chi2, mutual_info, or per_class, N of each.",
        rich_help_panel=PANEL,
    ),
]
Buckets = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Hash words to N buckets, for a limit on memory.",
        rich_help_panel=PANEL,
    ),
]
NoLowercase = Annotated[
    bool,
    typer.Option("--no-lowercase", help="Tell `Turkey` from `turkey`.", rich_help_panel=PANEL),
]
Unspaced = Annotated[
    str,
    typer.Option(
        metavar="LO-HI|no",
        help="How many letters together stand for the words of Chinese, Japanese, Thai, Lao, Khmer "
        "and Burmese; no: there are spaces between words.",
        rich_help_panel=LANGUAGE,
    ),
]
StripAccents = Annotated[
    bool,
    typer.Option("--strip-accents", help="Count `café` as `cafe`.", rich_help_panel=LANGUAGE),
]
Normalize = Annotated[
    str | None,
    typer.Option(
        metavar="NFC|NFKC", help="Unicode's normal form of the texts.", rich_help_panel=LANGUAGE
    ),
]
Stem = Annotated[
    str | None,
    typer.Option(
        metavar="LANGUAGE",
        help="Count words by their stems; needs PyStemmer.",
        rich_help_panel=LANGUAGE,
    ),
]
Korean = Annotated[
    bool,
    typer.Option(
        "--korean",
        help="Count Korean words by their morphemes; needs kiwipiepy.",
        rich_help_panel=LANGUAGE,
    ),
]
NoLedger = Annotated[
    bool,
    typer.Option(
        "--no-ledger",
        help="Keep no fingerprint of each text: smaller, but `forget` is not checked.",
        rich_help_panel=PANEL,
    ),
]


Columns = Annotated[
    str | None,
    typer.Option(
        metavar="COL=MODEL,...",
        help="Learn from all columns: text, categorical, bernoulli, gaussian, lognormal, poisson, "
        "histogram or ignore; those not named are what they look like.",
        rich_help_panel=PANEL,
    ),
]


Ddof = Annotated[
    int,
    typer.Option(
        metavar="0|1", help="Of a table: variances with divisor n, or n - 1.", rich_help_panel=PANEL
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        metavar="skip|evidence",
        help="Of a table: whether that a value is missing counts.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Recipe:
    """What to count and how to weigh it, as the options say."""

    features: Features = "words"
    ngrams: Ngrams = None
    chars: Chars = None
    event: Event = "multinomial"
    alpha: Alpha = AUTO
    prior: Prior = "empirical"
    negation: Negation = False
    stop_words: StopWords = None
    min_count: MinCount = 1
    keep: Keep = None
    keep_by: KeepBy = SELECTIONS[0]
    buckets: Buckets = None
    no_lowercase: NoLowercase = False
    unspaced: Unspaced = "1-2"
    strip_accents: StripAccents = False
    normalize: Normalize = None
    stem: Stem = None
    korean: Korean = False
    no_ledger: NoLedger = False

    def classifier(self, threads: int | None) -> TextClassifier:
        """A classifier that has learned nothing yet; bad options are refused."""
        model = TextClassifier(
            self.features,
            ngrams=span(self.ngrams or "1-1", "ngrams"),
            chars=None if self.chars is None else span(self.chars, "chars"),
            lowercase=not self.no_lowercase,
            negation=self.negation,
            stop_words=stop_words(self.stop_words),
            min_count=self.min_count,
            keep=self.keep,
            keep_by=self.keep_by,
            buckets=self.buckets,
            unspaced=None if self.unspaced == "no" else span(self.unspaced, "unspaced"),
            strip_accents=self.strip_accents,
            normalize=self.normalize,
            stem=self.stem,
            korean=self.korean,
            event=self.event,
            alpha=smoothing(self.alpha),
            prior=o.prior(self.prior, None),
            ledger=not self.no_ledger,
            threads=threads,
        )
        model.check()
        return model


@dataclass(frozen=True)
class TableRecipe(Recipe):
    """The same, and what the columns of a table are."""

    columns: Columns = None
    ddof: Ddof = 0
    missing: Missing = "skip"

    def model(
        self, *, table: bool, text: str | None, label: str | None, threads: int | None
    ) -> CountingModel:
        """A classifier for what the data are, whose columns of text and labels are these."""
        if not table:
            self._check_no_table()
            return self.classifier(threads)
        if text is not None:
            raise InputError(
                "--text names the one column to learn from, --columns several; give one"
            )
        if label in (columns_of(self.columns) or {}):
            raise InputError(f"--columns {self.columns}: {label!r} is the column of the labels")
        return self.table_classifier(threads)

    def _check_no_table(self) -> None:
        """Refuse options that say nothing of texts."""
        if self.ddof != 0 or self.missing != "skip":
            option = "--ddof" if self.ddof != 0 else "--missing"
            raise InputError(f"{option} is for tables, and these are texts; leave it out")

    def table_classifier(self, threads: int | None) -> "TableClassifier":
        """A classifier of tables that has learned nothing yet; the recipe is that of its texts."""
        from nabi.models.table import TableClassifier

        text = self.classifier(threads)
        if text.event not in ("multinomial", "binary"):
            raise InputError(f"--event {text.event} is for texts alone; a table has --columns")
        model = TableClassifier(
            columns_of(self.columns),
            features=text.recipe,
            alpha=1.0 if isinstance(text.alpha, str) else text.alpha,
            ddof=self.ddof,
            missing=self.missing,
            prior=text.prior,
            ledger=text.ledger,
            threads=threads,
        )
        model.check()
        return model


def columns_of(given: str | None) -> dict[str, str] | None:
    """'age=gaussian,body=text' -> {'age': 'gaussian', 'body': 'text'}"""
    if given is None:
        return None
    columns: dict[str, str] = {}
    for item in given.split(","):
        name, equals, model = item.rpartition("=")
        if not equals or not name.strip():
            raise InputError(f"--columns {given}; expected column=model,... such as age=gaussian")
        columns[name.strip()] = model.strip()
    return columns


def smoothing(given: str) -> float | str:
    """'0.5' -> 0.5; 'auto' as it is"""
    try:
        return given if given == AUTO else float(given)
    except ValueError:
        raise UsageError(f"--alpha {given}: expected auto, or a number such as 0.5.") from None


def span(given: str, name: str) -> tuple[int, int]:
    """'1-2' -> (1, 2); '2' -> (2, 2)"""
    low, _, high = given.partition("-")
    try:
        return int(low), int(high or low)
    except ValueError:
        raise InputError(f"--{name} {given}; expected a range such as 1-2") from None


def stop_words(given: str | None) -> list[str] | str | int | None:
    """A number or a language as it is, a file as the list of its words."""
    if given is None or given in word_lists():
        return given
    if given.isdigit():
        return int(given)
    try:
        return Path(given).read_text("utf-8").split()
    except OSError:
        raise InputError(
            f"--stop-words {given}; expected how many of the most frequent words, a file, or one "
            f"of {', '.join(word_lists())}"
        ) from None
    except UnicodeError:
        raise InputError(f"--stop-words {given}: not UTF-8") from None

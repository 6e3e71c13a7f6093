"""Errors and warnings that nabi raises on purpose.

Exception
└── NabiError                       whatever nabi itself refuses
    ├── InputError                  (ValueError) a text, label, weight or option has a bad value
    │   ├── DataError               a file or a row of it that cannot be read
    │   ├── RulesError              a rule that cannot be read or used
    │   ├── UnseenCategoryError     (IndexError) a category that was not learned
    │   └── NotSeparableError       no hyperplane separates two classes
    ├── InputTypeError              (TypeError) ... is of a type that nabi does not take
    ├── NotFittedError              (ValueError, AttributeError) nothing was learned yet
    ├── NotLearnedError             (ValueError) asked to forget what was not learned
    ├── RecipeError                 (ValueError) a bad recipe, or models of different recipes
    ├── ModelFileError              (ValueError) a model file that cannot be used
    │   ├── NotAModelError          something else than a nabi model
    │   ├── DamagedFileError        a nabi model, cut short or changed
    │   └── NewerFormatError        a nabi model, written by a newer nabi
    ├── ServerError                 a server refuses what a client asked, or does not answer
    │   └── AccessError             the token is missing, wrong, or of another role
    ├── StoreError                  a data directory of the server refuses something
    │   ├── UnknownExampleError     (LookupError) no example has the id, text or subject
    │   │   └── ForgottenError      ... any more: it was forgotten
    │   ├── UnknownClassError       (LookupError) no class has the name
    │   ├── ConflictError           (ValueError) a taken id or name, a change that cannot be undone
    │   │   └── NotOwnError         ... since it is somebody else's
    │   ├── KeyReusedError          (ValueError) an idempotency key came with another body
    │   ├── AllowanceError          (ValueError) more new words or classes than a token may bring
    │   ├── QueueFullError          too many submissions wait
    │   ├── ReadOnlyError           a write has failed, and no change is taken any more
    │   │   └── DiskFullError       the disk has no room
    │   ├── AwayError               the database does not answer; it may again
    │   ├── BehindError             others have written more than a server has counted yet
    │   ├── DivergedError           the counts differ from those of another server
    │   ├── LockedError             another process has the directory open
    │   └── JournalError            damaged, or of another recipe, kernel or Unicode version
    ├── EngineError                 an engine could not do its work
    │   └── InconsistentError       ... since the rows changed between two attempts of a task
    └── MissingExtraError           (ImportError) an optional part is not installed
UserWarning
├── InputWarning                    texts were missing or held invalid Unicode
├── IgnoredWarning                  a column of a table that nothing can be learned from
├── DistinctWarning                 a column in which nearly every value differs, left out
├── MixedWarning                    a column of numbers and something else, learned as categories
├── WrittenWarning                  numbers of a file with commas, or with marks for missing ones
├── UnreadableWarning               values that are no numbers, in a column of numbers
├── RoundingWarning                 sample weights too small to be kept well
├── ImpossibleWarning               a probability is zero, and rules a class out
├── ManyClassesWarning              labels that look like ids: perhaps another column was meant
└── StaleWarning                    a calibration is of other counts than the model has now

What the operating system refuses (no such file, disk full) stays an OSError.
"""

import os
import shlex
import sys
import warnings

_PACKAGE = os.path.dirname(__file__)


def warn(warning: Warning) -> None:
    """Warn at the line of the user's own code that called nabi."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


class NabiError(Exception):
    """Base of all errors: something that nabi itself refuses."""


class InputError(NabiError, ValueError):
    """A text, label, weight or option has a value that cannot be used."""


class DataError(InputError):
    """A file, or a row of it, that cannot be read.

    Parameters
    ----------
    what : str
        What is wrong, what was expected, what to do.
    file : str
        The file, as the user called it.
    line : int, optional
        The line at which the row starts.
    skippable : bool
        Whether the rest can be read without that row.

    Examples
    --------
    >>> print(DataError("expected 2 columns, found 1", file="mail.csv", line=3))
    mail.csv:3: expected 2 columns, found 1
    """

    def __init__(
        self, what: str, file: str, line: int | None = None, skippable: bool = False
    ) -> None:
        # The arguments, not the sentence, are the args: so an error survives copy and pickle.
        super().__init__(what, file, line, skippable)
        self.what, self.file, self.line, self.skippable = what, file, line, skippable

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.what}"


class RulesError(InputError):
    """A rule that cannot be read or used; see `nabi.rules`.

    Parameters
    ----------
    what : str
        What came, what was expected, what to type.
    file : str, optional
        The file of the rules, as the user called it.
    line, column : int, optional
        Where it is, counted from 1.

    Examples
    --------
    >>> print(RulesError("came the end of the line, expected ->", file="mail.rules", line=3))
    mail.rules:3: came the end of the line, expected ->
    >>> print(RulesError("came ')', expected a word", line=3, column=9))
    line 3, column 9: came ')', expected a word
    """

    def __init__(
        self, what: str, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(what, file, line, column)
        self.what, self.file, self.line, self.column = what, file, line, column

    def in_file(self, file: str | None) -> "RulesError":
        """Return the error of rules that are in a file."""
        return RulesError(self.what, file, self.line, self.column)

    def __str__(self) -> str:
        places = [n for n in (self.line, self.column) if n is not None]
        if self.file is not None:
            return f"{':'.join(map(str, [self.file, *places]))}: {self.what}"
        named = zip(("line", "column"), places, strict=False)
        where = ", ".join(f"{name} {place}" for name, place in named)
        return f"{where}: {self.what}" if where else self.what


class UnseenCategoryError(InputError, IndexError):
    """A row to predict holds a category that was not learned."""


class NotSeparableError(InputError):
    """No hyperplane separates two classes, so that there is no optimal margin.

    Parameters
    ----------
    at : int
        The index of a sample on the wrong side of a plane that allows for some.
    values : list of float
        That sample.
    label : str, int, bool or float
        Its label.
    margin : float
        Its functional margin.

    Examples
    --------
    >>> print(NotSeparableError(3, [1.0, 2.0], "spam", -0.25))
    no hyperplane separates the classes: sample 3, [1, 2] of class 'spam', is not on its own side \
of a soft margin's plane (functional margin -0.25); allow for such \
samples with SoftMargin(C=1), or try a kernel
    """

    def __init__(self, at: int, values: list[float], label: object, margin: float) -> None:
        super().__init__(at, values, label, margin)
        self.at, self.values, self.label, self.margin = at, values, label, margin

    def __str__(self) -> str:
        few = ", ".join(f"{value:g}" for value in self.values[:6])
        more = f", ... {len(self.values) - 6} more" if len(self.values) > 6 else ""
        return (
            f"no hyperplane separates the classes: sample {self.at}, [{few}{more}] of class "
            f"{self.label!r}, is not on its own side of a soft margin's plane "
            f"(functional margin {self.margin:.3g}); "
            f"allow for such samples with SoftMargin(C=1), or try a kernel"
        )


class InputTypeError(NabiError, TypeError):
    """A text, label, weight or option is of a type that nabi does not take."""


class NotFittedError(NabiError, ValueError, AttributeError):
    """The model was asked for something before it learned anything."""


class NotLearnedError(NabiError, ValueError):
    """A document to forget was not learned, or not as often; nothing was changed.

    `at` is its index among the documents given, where it is known.
    """

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at


class RecipeError(NabiError, ValueError):
    """A recipe contradicts itself, or two models do not share one.

    `at` is the index of the model that does not, where there are several.
    """

    at: int | None = None


class ModelFileError(NabiError, ValueError):
    """A model file cannot be used; the subclass says why."""


class NotAModelError(ModelFileError):
    """The file is something else than a nabi model."""


class DamagedFileError(ModelFileError):
    """The file is a nabi model that was cut short or changed."""


class NewerFormatError(ModelFileError):
    """The file is a nabi model that a newer nabi wrote."""


class MissingExtraError(NabiError, ImportError):
    """An optional part of nabi is not installed; the message says what to type.

    The packages are named, and not nabi's extra: so the line works for a clone and for a wheel.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what}, which is not installed; {install_command(extra)}")


def install_command(extra: str) -> str:
    """`/usr/bin/python3 -m pip install 'lark>=1.1'`: installs what an extra of nabi needs."""
    from importlib.metadata import requires

    parted = (line.partition(";") for line in requires("nabi") or [])
    needed = [package for package, _, marker in parted if f'"{extra}"' in marker.replace("'", '"')]
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *needed])


class StoreError(NabiError):
    """A data directory of the server refuses something; the subclass says what."""


class UnknownExampleError(StoreError, LookupError):
    """No example has the id, the text or the subject."""


class ForgottenError(UnknownExampleError):
    """The example was forgotten before: nothing of it is left."""


class UnknownClassError(StoreError, LookupError):
    """No class has the name."""


class ConflictError(StoreError, ValueError):
    """The id of an example or the name of a class is taken, or a change cannot be undone."""


class NotOwnError(ConflictError):
    """A change that is to be undone is somebody else's, or somebody else has changed it since."""


class KeyReusedError(StoreError, ValueError):
    """An idempotency key came again with another body."""


class AllowanceError(StoreError, ValueError):
    """A token would bring more new words or new classes than it may."""


class QueueFullError(StoreError):
    """Too many submissions wait; try again in a moment."""


class ReadOnlyError(StoreError):
    """A write to the disk has failed, and the store takes no changes until it is opened anew."""


class DiskFullError(ReadOnlyError):
    """The disk has no room for a change."""


class AwayError(StoreError):
    """The database of a store does not answer: predictions go on, changes wait for its return."""


class BehindError(StoreError):
    """Others have written more than a server has counted yet: it predicts by what it has."""


class DivergedError(StoreError):
    """The counts of a server differ from those of another one at the same position."""


class LockedError(StoreError):
    """Another process has the data directory open."""


class JournalError(StoreError):
    """The journal is damaged, or was written with another recipe, kernel or Unicode version."""


class ServerError(NabiError):
    """A server refuses what a client asked, or does not answer."""


class AccessError(ServerError):
    """The token of a client is missing or wrong, or its role does not allow what was asked."""


class EngineError(NabiError):
    """An engine could not do its work; what it said comes with it."""


class InconsistentError(EngineError):
    """The rows that an engine read changed between two attempts of a task."""


class InputWarning(UserWarning):
    """Texts were missing, or held invalid Unicode; they were learned or scored all the same.

    Parameters
    ----------
    missing : int
        How many texts were None or NaN, and count as empty.
    repaired : int
        How many texts held invalid Unicode, read as U+FFFD.
    total : int
        How many texts there were in all.

    Examples
    --------
    >>> print(InputWarning(missing=1, repaired=0, total=8))
    1 of 8 texts is missing (None or NaN) and counts as empty
    """

    def __init__(self, missing: int, repaired: int, total: int) -> None:
        super().__init__(missing, repaired, total)
        self.missing, self.repaired, self.total = missing, repaired, total

    def __str__(self) -> str:
        parts = []
        if self.missing:
            are, count = ("is", "counts") if self.missing == 1 else ("are", "count")
            texts = f"{self.missing:,} of {self.total:,} texts"
            parts.append(f"{texts} {are} missing (None or NaN) and {count} as empty")
        if self.repaired:
            texts = f"{self.repaired:,}" if parts else f"{self.repaired:,} of {self.total:,} texts"
            parts.append(f"{texts} held invalid Unicode, read as U+FFFD")
        return "; ".join(parts)


class IgnoredWarning(UserWarning):
    """A column of a table is of a type that nothing can be learned from.

    Examples
    --------
    >>> print(IgnoredWarning("born", "date"))
    column 'born' is of type date, and is ignored; make numbers or strings of it to learn from it
    """

    def __init__(self, column: str, dtype: str) -> None:
        super().__init__(column, dtype)
        self.column, self.dtype = column, dtype

    def __str__(self) -> str:
        return (
            f"column {self.column!r} is of type {self.dtype}, and is ignored; make numbers or "
            f"strings of it to learn from it"
        )


class DistinctWarning(UserWarning):
    """Nearly every value of a column differs, as those of ids do; it is left out.

    Examples
    --------
    >>> print(DistinctWarning("id", 9998, 10_000))
    column 'id': 9,998 of 10,000 values differ, so it is left out; --columns id=categorical \
(columns={'id': 'categorical'}) uses it
    """

    def __init__(self, column: str, different: int, total: int, model: str = "categorical") -> None:
        super().__init__(column, different, total, model)
        self.column, self.different, self.total, self.model = column, different, total, model

    def __str__(self) -> str:
        values = f"{self.different:,} of {self.total:,} values differ"
        name, model = self.column, self.model
        option = f"--columns {shlex.quote(f'{name}={model}')} (columns={ {name: model} })"
        return f"column {name!r}: {values}, so it is left out; {option} uses it"


class MixedWarning(UserWarning):
    """Most values of a column of a file are numbers, but not all; it is learned as categories.

    Examples
    --------
    >>> print(MixedWarning("age", "'old'", 1, 40))  # doctest: +NORMALIZE_WHITESPACE
    column 'age': 39 of 40 values are numbers, but not 'old'; they are learned as categories: leave
    such fields blank to learn numbers, or leave their rows out by --columns age=gaussian --skip-bad
    >>> print(MixedWarning("pay", "'1,250'", 9, 40))  # doctest: +NORMALIZE_WHITESPACE
    column 'pay': 31 of 40 values are numbers, but not '1,250'; they are learned as categories:
    '1,250' may be 1250 or 1.250, write one of them
    """

    def __init__(self, column: str, first: str, number: int, total: int) -> None:
        super().__init__(column, first, number, total)
        self.column, self.first, self.number, self.total = column, first, number, total

    def __str__(self) -> str:
        numbers = f"{self.total - self.number} of {self.total} values are numbers"
        return (
            f"column {self.column!r}: {numbers}, but not {self.first}; they are learned as "
            f"categories: {self._cure}"
        )

    @property
    def _cure(self) -> str:
        """Advice: one comma may mean two things, and anything else is no number."""
        if "," in self.first and self.first.strip("'+-").replace(",", "").isdigit():
            whole, decimal = (self.first.strip("'").replace(",", mark) for mark in ("", "."))
            return f"{self.first} may be {whole} or {decimal}, write one of them"
        option = shlex.quote(f"{self.column}=gaussian")
        return (
            f"leave such fields blank to learn numbers, or leave their rows out by "
            f"--columns {option} --skip-bad"
        )


class WrittenWarning(UserWarning):
    """Numbers of a file were read that are written with commas, or marks that stand for none.

    Examples
    --------
    >>> print(WrittenWarning("size", "'NA' is read as missing, '2,5' as 2.5"))
    column 'size': 'NA' is read as missing, '2,5' as 2.5
    """

    def __init__(self, column: str, said: str) -> None:
        super().__init__(column, said)
        self.column, self.said = column, said

    def __str__(self) -> str:
        return f"column {self.column!r}: {self.said}"


class UnreadableWarning(UserWarning):
    """Values of a column could not be read as its model needs them, and count as missing.

    Examples
    --------
    >>> print(UnreadableWarning("age", "'n/a'", 3))
    column 'age': 3 values could not be read, and count as missing (the first is 'n/a')
    """

    def __init__(self, column: str, first: str, number: int) -> None:
        super().__init__(column, first, number)
        self.column, self.first, self.number = column, first, number

    def __str__(self) -> str:
        values = "1 value" if self.number == 1 else f"{self.number} values"
        counts = "counts" if self.number == 1 else "count"
        return (
            f"column {self.column!r}: {values} could not be read, and {counts} as missing "
            f"(the first is {self.first})"
        )


class RoundingWarning(UserWarning):
    """Sample weights are kept to 2**-24, and one is so small that this changes it."""


class ImpossibleWarning(UserWarning):
    """A probability is zero, and rules a class out whatever else the document says."""


class ManyClassesWarning(UserWarning):
    """There are so many classes for so few rows that the labels may be ids.

    Examples
    --------
    >>> print(ManyClassesWarning(20_000, 40_000))
    20,000 classes for 40,000 rows: is this the label column?
    """

    def __init__(self, classes: int, rows: int) -> None:
        super().__init__(classes, rows)
        self.classes, self.rows = classes, rows

    def __str__(self) -> str:
        """Return the sentence a user reads."""
        return f"{self.classes:,} classes for {self.rows:,} rows: is this the label column?"


class StaleWarning(UserWarning):
    """The model has learned or forgotten since it was calibrated; probabilities are not.

    Examples
    --------
    >>> print(StaleWarning("texts"))
    the calibration is of other counts and is not used; call calibrate(texts, labels) anew
    """

    def __init__(self, documents: str) -> None:
        super().__init__(documents)
        self.documents = documents

    def __str__(self) -> str:
        return (
            f"the calibration is of other counts and is not used; call "
            f"calibrate({self.documents}, labels) anew"
        )

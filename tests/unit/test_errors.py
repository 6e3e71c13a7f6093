"""Errors can be caught as what Python users expect, and warnings count what they warn of."""

import copy
import pickle

import pytest

from nabi import errors

PARENTS = [
    (errors.InputError, ValueError),
    (errors.DataError, errors.InputError),
    (errors.RulesError, errors.InputError),
    (errors.UnseenCategoryError, IndexError),
    (errors.NotSeparableError, errors.InputError),
    (errors.InputTypeError, TypeError),
    (errors.NotFittedError, ValueError),
    (errors.NotFittedError, AttributeError),
    (errors.NotLearnedError, ValueError),
    (errors.RecipeError, ValueError),
    (errors.ModelFileError, ValueError),
    (errors.NotAModelError, errors.ModelFileError),
    (errors.DamagedFileError, errors.ModelFileError),
    (errors.NewerFormatError, errors.ModelFileError),
    (errors.MissingExtraError, ImportError),
    (errors.UnknownExampleError, LookupError),
    (errors.UnknownClassError, LookupError),
    (errors.ConflictError, ValueError),
    (errors.KeyReusedError, ValueError),
    (errors.AllowanceError, ValueError),
    (errors.InconsistentError, errors.EngineError),
]


@pytest.mark.parametrize(("error", "parent"), PARENTS)
def test_every_error_is_a_nabi_error_and_a_built_in_one(
    error: type[Exception], parent: type[Exception]
) -> None:
    assert issubclass(error, errors.NabiError)
    assert issubclass(error, parent)


def test_the_tree_in_the_docstring_names_every_class() -> None:
    classes = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert len(classes) == 45
    assert [name for name in classes if name not in str(errors.__doc__)] == []


@pytest.mark.parametrize(
    ("missing", "repaired", "sentence"),
    [
        (3, 0, "3 of 100 texts are missing (None or NaN) and count as empty"),
        (1, 0, "1 of 100 texts is missing (None or NaN) and counts as empty"),
        (0, 2, "2 of 100 texts held invalid Unicode, read as U+FFFD"),
        (
            3,
            2,
            "3 of 100 texts are missing (None or NaN) and count as empty; "
            "2 held invalid Unicode, read as U+FFFD",
        ),
    ],
)
def test_an_input_warning_says_how_many_texts(missing: int, repaired: int, sentence: str) -> None:
    warning = errors.InputWarning(missing, repaired, 100)
    assert (warning.missing, warning.repaired, warning.total) == (missing, repaired, 100)
    assert str(warning) == sentence


def test_an_input_warning_survives_copy_and_pickle() -> None:
    warning = errors.InputWarning(missing=3, repaired=2, total=100)
    for twin in (copy.copy(warning), pickle.loads(pickle.dumps(warning))):
        assert (twin.missing, twin.repaired, twin.total) == (3, 2, 100)
        assert str(twin) == str(warning)


def test_a_bad_row_says_where_it_is_and_survives_pickle() -> None:
    error = errors.DataError("expected 2 columns, found 1", file="mail.csv", line=3, skippable=True)
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == "mail.csv:3: expected 2 columns, found 1"
    assert (twin.file, twin.line, twin.skippable) == ("mail.csv", 3, True)
    assert str(errors.DataError("no such file", file="a.csv")) == "a.csv: no such file"


def test_a_bad_rule_says_where_it_is_and_survives_pickle() -> None:
    error = errors.RulesError("came ')', expected a word", file="a.rules", line=3, column=9)
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == "a.rules:3:9: came ')', expected a word"
    assert (twin.file, twin.line, twin.column) == ("a.rules", 3, 9)
    assert str(errors.RulesError("no rules", line=3, column=9)) == "line 3, column 9: no rules"
    assert str(errors.RulesError("no rules")) == "no rules"

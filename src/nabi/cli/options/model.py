"""The options that say which kind of model to train: for `train` and `compare`."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli.options.common import UsageError
from nabi.cli.options.recipe import (
    Recipe,
    TableRecipe,
    smoothing,
    span,
    stop_words,
)
from nabi.errors import InputError
from nabi.scoring.smoothing import AUTO

if TYPE_CHECKING:
    from nabi.rules import RuleSet

PANEL = "The model"
LINEAR = ("nbsvm", "nblr", "svm", "logistic")
KINDS = ("nb", *LINEAR, "knn", "rules")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}

Kind = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        help="nb counts, and can learn more and forget; nbsvm, nblr, svm and logistic fit a weight "
        "to each word; knn asks the texts most alike; rules are those of --rules alone.",
        rich_help_panel=PANEL,
    ),
]
Best = Annotated[
    bool,
    typer.Option(
        "--best",
        help="Try kinds, recipes and settings on texts left out, and train what does best.",
        rich_help_panel=PANEL,
    ),
]
Budget = Annotated[
    str, typer.Option(metavar="TIME", help="How long to search: 60s, 5m, or seconds.")
]
SearchBudget = Annotated[
    str,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="Of --best, how long to search: 60s, 5m, or seconds.",
        rich_help_panel=PANEL,
    ),
]
Cost = Annotated[
    float | None,
    typer.Option(
        "--cost",
        metavar="C",
        help="Of linear models: what an error costs against large weights; otherwise 1 (svm) or 10 "
        "(logistic).",
        rich_help_panel=PANEL,
    ),
]
Neighbours = Annotated[
    str,
    typer.Option(
        "--neighbours",
        metavar="K",
        help="Of knn: how many texts vote, or auto.",
        rich_help_panel=PANEL,
    ),
]
RulesFile = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Rules that decide before the model does; see docs/rules.md.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Choice:
    """Which kind of model, as the options say."""

    model: Kind = "nb"
    best: Best = False
    budget: SearchBudget = "60s"
    cost: Cost = None
    neighbours: Neighbours = "20"
    rules: RulesFile = None

    @property
    def counts(self) -> bool:
        """Whether it is a plain counting model, which learns part by part."""
        return self.model == "nb" and not self.best and self.rules is None

    def check(self, recipe: Recipe) -> None:
        """Refuse options that do not fit together."""
        check_kind(self.model, self.rules)
        set_ = self.cost is not None or self.neighbours != Choice.neighbours
        if self.best:
            as_seconds(self.budget)
            if self.model != "nb" or recipe != type(recipe)() or set_ or self.rules:
                raise UsageError("--best chooses kind, recipe and settings itself; leave them out.")
            return
        for option, is_given, kinds in (
            ("--cost", self.cost is not None, LINEAR),
            ("--neighbours", self.neighbours != Choice.neighbours, ("knn",)),
        ):
            if is_given and self.model not in kinds:
                raise UsageError(f"{option} is for --model {' or '.join(kinds)}; leave it out.")
        if self.budget != Choice.budget:
            raise UsageError("--budget is for --best; leave it out.")

    def made(self, recipe: Recipe, threads: int | None) -> Any:
        """A model that has learned nothing yet; bad options are refused."""
        return made(self.model, recipe, cost=self.cost, neighbours=self.neighbours, threads=threads)


def as_seconds(given: str) -> float:
    """'60s' -> 60.0, '1.5m' -> 90.0, '20' -> 20.0"""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", given.strip())
    if not found or not float(found[1]):
        raise UsageError(f"--budget {given}: expected a time such as 60s, 5m or 90.")
    return float(found[1]) * UNITS[found[2]]


def check_kind(kind: str, rules: str | None) -> None:
    """Refuse a kind that is none."""
    if kind not in KINDS:
        raise UsageError(f"--model {kind}: expected one of {', '.join(KINDS)}.")
    if kind == "rules" and rules is None:
        raise UsageError("--model rules needs --rules FILE.")


def check_recipe(recipe: Recipe, kind: str) -> None:
    """Refuse options of counting models, where the model does not count."""
    given = {
        "--event": recipe.event != "multinomial",
        "--prior": recipe.prior != "empirical",
        "--no-ledger": recipe.no_ledger,
        "--keep": recipe.keep is not None,
        "--alpha": recipe.alpha != AUTO and not kind.startswith("nb"),
        "--columns": isinstance(recipe, TableRecipe) and recipe.columns is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise UsageError(f"{option} is for --model nb, not for {kind}; leave it out.")


def made(
    kind: str, recipe: Recipe, *, cost: float | None, neighbours: str, threads: int | None
) -> Any:
    """A model that has learned nothing yet; bad options are refused."""
    if kind == "nb":
        return recipe.classifier(threads)
    check_recipe(recipe, kind)
    shared: dict[str, Any] = {
        "features": recipe.features,
        "chars": None if recipe.chars is None else span(recipe.chars, "chars"),
        "lowercase": not recipe.no_lowercase,
        "negation": recipe.negation,
        "stop_words": stop_words(recipe.stop_words),
        "min_count": recipe.min_count,
        "buckets": recipe.buckets,
        "unspaced": None if recipe.unspaced == "no" else span(recipe.unspaced, "unspaced"),
        "strip_accents": recipe.strip_accents,
        "normalize": recipe.normalize,
        "stem": recipe.stem,
        "korean": recipe.korean,
        "threads": threads,
    }
    if recipe.ngrams is not None:
        shared["ngrams"] = span(recipe.ngrams, "ngrams")
    model = _linear(kind, recipe, cost, shared) if kind in LINEAR else _knn(neighbours, shared)
    model.check()
    return model


def _linear(kind: str, recipe: Recipe, cost: float | None, shared: dict[str, Any]) -> Any:
    from nabi.models.linear.classifier import LinearClassifier

    alpha = smoothing(recipe.alpha)
    return LinearClassifier(kind, C=cost, alpha=1.0 if isinstance(alpha, str) else alpha, **shared)


def _knn(neighbours: str, shared: dict[str, Any]) -> Any:
    from nabi.models.neighbours import NeighboursClassifier

    if neighbours != AUTO and not neighbours.isdigit():
        raise UsageError(f"--neighbours {neighbours}: expected auto, or a number such as 20.")
    return NeighboursClassifier(k=AUTO if neighbours == AUTO else int(neighbours), **shared)


def read_rules(path: str) -> "RuleSet":
    """The rules of a file, which are to see texts alone."""
    from nabi.rules import RuleSet

    rules = RuleSet.read(path)
    if rules.fields:
        names = ", ".join(sorted(rules.fields))
        raise InputError(
            f"{path} asks for the fields {names}, and a model of texts has none; see nabi.rules"
        )
    return rules

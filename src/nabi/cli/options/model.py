"""Options that say which kind of model to train: for `train` and `compare`."""

import inspect
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from click import UsageError

from nabi.cli.options.declare import flag, option
from nabi.cli.options.recipe import Recipe, TableRecipe
from nabi.errors import InputError
from nabi.scoring.smoothing import AUTO

if TYPE_CHECKING:
    from nabi.rules import RuleSet

PANEL = "The model"
LINEAR = ("nbsvm", "nblr", "svm", "logistic")
KINDS = ("nb", *LINEAR, "knn", "rules")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
BUDGET: Any = option(
    "Time limit of the search (60s, 5m, or seconds); training the chosen model comes on top.",
    "TIME",
    default="60s",
)
METRICS = ("accuracy", "macro_f1", "log_loss", "balanced")


def _metric(typed: str) -> str:
    if typed not in METRICS:
        raise UsageError(f"--metric {typed}: expected one of {', '.join(METRICS)}.")
    return typed


METRIC: Any = option(
    "Figure to choose by: accuracy, macro_f1, log_loss or balanced. The last is the mean recall of "
    "the classes; for it and for macro_f1, class weights are tried too.",
    "METRIC",
    default="accuracy",
    check=_metric,
    first=True,
)
COST: Any = option(
    "C of linear models: a larger C fits the training texts more closely (default: 1 for svm, 10 "
    "for logistic).",
    "C",
    panel=PANEL,
    first=False,
)
CLASS_WEIGHT: Any = option(
    "Class weights of linear models: balanced weighs all classes the same, so that small ones are "
    "found more often (default: each class by its texts).",
    "balanced",
    panel=PANEL,
    first=False,
)
NEIGHBOURS: Any = option(
    "Number of texts that vote in knn, or auto.", "K", default="20", panel=PANEL, first=False
)
RULES: Any = option("Rules that decide before the model; see docs/rules.md.", "FILE", first=False)
RULES_TIME: Any = option(
    "Seconds that one regular expression of --rules may take on one text.",
    "S",
    default=1.0,
    first=False,
)


@dataclass(frozen=True)
class Choice:
    """The kind of model that the options name."""

    PANEL: ClassVar[str] = PANEL
    model: str = option(
        "Kind of model: nb, nbsvm, nblr, svm, logistic, knn or rules. Naive Bayes (nb) counts, and "
        "can learn more and forget; nbsvm, nblr, svm and logistic fit a weight to each word; knn "
        "lets similar texts vote; rules applies --rules alone.",
        "KIND",
        default="nb",
        first=True,
    )
    best: bool = flag(
        "Try kinds, recipes and settings on held-out texts, and train the best.", first=True
    )
    budget: str = option(
        "Time limit for --best (60s, 5m, or seconds); training the chosen model comes on top.",
        "TIME",
        default="60s",
    )
    metric: str = METRIC
    cost: float | None = COST
    class_weight: str | None = CLASS_WEIGHT
    neighbours: str = NEIGHBOURS
    rules: str | None = RULES
    time_limit: float = RULES_TIME

    @property
    def counts(self) -> bool:
        """True for a plain counting model, which learns part by part."""
        return self.model == "nb" and not self.best and self.rules is None

    def check(self, recipe: Recipe) -> None:
        """Refuse options that do not fit together."""
        if self.model not in KINDS:
            raise UsageError(f"--model {self.model}: expected one of {', '.join(KINDS)}.")
        if self.model == "rules" and self.rules is None:
            raise UsageError("--model rules needs --rules FILE.")
        if self.best:
            as_seconds(self.budget)
            own = Choice(best=True, budget=self.budget, metric=self.metric)
            columns: dict[str, Any] = {}
            if isinstance(recipe, TableRecipe):
                columns["columns"] = recipe.columns
            if own != self or recipe != type(recipe)(**columns):
                raise UsageError(
                    "--best chooses kind, recipe and settings itself, but for --columns of tables; "
                    "leave them out."
                )
            return
        for name, kinds in (("cost", LINEAR), ("class_weight", LINEAR), ("neighbours", ("knn",))):
            if getattr(self, name) != getattr(Choice, name) and self.model not in kinds:
                typed = f"--{name.replace('_', '-')}"
                raise UsageError(f"{typed} is for --model {' or '.join(kinds)}; leave it out.")
        if self.rules is None and self.time_limit != Choice.time_limit:
            raise UsageError("--time-limit is for --rules; leave it out.")
        for name in ("budget", "metric"):
            if getattr(self, name) != getattr(Choice, name):
                raise UsageError(f"--{name} is for --best; leave it out.")

    def made(self, recipe: Recipe, threads: int | None) -> Any:
        """Return a model that has learned nothing yet; refuse bad options."""
        if self.model == "nb":
            return recipe.classifier(threads)
        self._check_recipe(recipe)
        parameters = {**recipe.parameters(), "threads": threads}
        if self.model in LINEAR:
            from nabi.models.linear.classifier import LinearClassifier

            kind: Any = partial(LinearClassifier, self.model)
            alpha = parameters["alpha"]
            parameters |= {"C": self.cost, "class_weight": self.class_weight}
            parameters |= {"alpha": 1.0 if isinstance(alpha, str) else alpha}
        else:
            from nabi.models.neighbours import NeighboursClassifier

            kind, k = NeighboursClassifier, self.neighbours
            if k != AUTO and not k.isdigit():
                raise UsageError(f"--neighbours {k}: expected auto, or a number such as 20.")
            parameters["k"] = k if k == AUTO else int(k)
        accepted = inspect.signature(kind).parameters
        model = kind(**{name: value for name, value in parameters.items() if name in accepted})
        model.check()
        return model

    def _check_recipe(self, recipe: Recipe) -> None:
        """Refuse options of counting models, where the model does not count."""
        given, default = vars(recipe), vars(type(recipe)())
        alpha = [] if self.model.startswith("nb") else ["alpha"]
        for name in ("event", "prior", "ledger", "no_ledger", "keep", *alpha, "columns"):
            if given.get(name) != default.get(name):
                option = f"--{name.replace('_', '-')}"
                raise UsageError(f"{option} is for --model nb, not for {self.model}; leave it out.")


@dataclass(frozen=True)
class Kind:
    """The kind of model that is judged."""

    PANEL: ClassVar[str] = PANEL
    model: str = option(
        f"Kind of model: {', '.join(KINDS[:-1])}; see `nabi train`.",
        "KIND",
        default="nb",
        first=True,
    )
    cost: float | None = COST
    class_weight: str | None = CLASS_WEIGHT
    neighbours: str = NEIGHBOURS

    @classmethod
    def of(cls, choice: Choice) -> "Kind":
        """Return the kind of model of `nabi train`."""
        return cls(choice.model, choice.cost, choice.class_weight, choice.neighbours)

    def made(self, recipe: Recipe, threads: int | None) -> Any:
        """Return a model that has learned nothing, or None for nb; refuse bad options."""
        if self.model == "rules":
            raise UsageError("--model rules learns nothing; judge rules by nabi evaluate.")
        choice = Choice(**vars(self))
        choice.check(recipe)
        return None if self.model == "nb" else choice.made(recipe, threads)


def as_seconds(typed: str) -> float:
    """'60s' -> 60.0, '1.5m' -> 90.0, '20' -> 20.0"""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", typed.strip())
    if not found or not float(found[1]):
        raise UsageError(f"--budget {typed}: expected a time such as 60s, 5m or 90.")
    return float(found[1]) * UNITS[found[2]]


def read_rules(path: str, time_limit: float) -> "RuleSet":
    """Read the rules of a file, which must look at the text alone."""
    from nabi.rules import RuleSet

    rules = RuleSet.read(path, time_limit=time_limit)
    if rules.fields:
        names = ", ".join(sorted(rules.fields))
        raise InputError(
            f"{path} asks for the fields {names}, and a model of texts has none; see nabi.rules"
        )
    return rules


def with_rules(model: Any, rules: "RuleSet | None") -> Any:
    """Return the model with rules that decide before it, where there are some."""
    if rules is None:
        return model
    from nabi.rules import RuledClassifier

    if model.is_table:
        raise UsageError("--rules is for texts, and these are rows of a table; leave it out.")
    return RuledClassifier(model, rules)

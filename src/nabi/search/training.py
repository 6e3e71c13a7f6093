"""Train models on files: what `nabi train` and `nabi tune` do, as functions of Python."""

import inspect
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from nabi.base.checks import one_of
from nabi.base.labels import CodedLabels, encode
from nabi.errors import InputError, InputTypeError
from nabi.features.columns import Columns
from nabi.features.frame import is_table
from nabi.judging.learned import leave_one_out
from nabi.models import streaming
from nabi.models.counting import CountingModel
from nabi.models.linear.hyperparameters import COSTS
from nabi.models.sample import DocumentSample
from nabi.models.text import TextClassifier
from nabi.readers import Reader, read
from nabi.scoring.prior import probabilities
from nabi.scoring.unseen import LEAST
from nabi.search.best import best as best_model
from nabi.search.best import search

Path = str | os.PathLike[str]
KINDS = ("nb", *COSTS, "knn", "rules")
READING = tuple(
    name
    for name, parameter in inspect.signature(read).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name not in ("labelled", "keep", "table")
)


def train(
    paths: Path | Iterable[Path] = (),
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    model: str = "nb",
    best: bool = False,
    metric: str = "accuracy",
    budget: float = 60.0,
    cost: float | None = None,
    neighbours: int | str = 20,
    rules: Any = None,
    time_limit: float = 1.0,
    columns: Columns = None,
    ddof: int = 0,
    missing: str = "skip",
    calibrate: bool = True,
    rejects: Path | None = None,
    threads: int | None = None,
    **options: Any,
) -> Any:
    r"""Train a model on the labelled texts, or on the table, of files; as `nabi train` does.

    Parameters
    ----------
    paths : path, or several
        Files of any format that `nabi.read` knows, folders, patterns, or `-`.
    text, label : str, optional
        The columns of the texts and the labels; by default those called `text` and `label`. A file
        with other columns and none called `text` is a table: all its columns are learned from.
        Several columns are joined to one text: ["subject", "body"], or "subject,body".
    model : {"nb", "nbsvm", "nblr", "svm", "logistic", "knn", "rules"}
        The kind of model. "nb" counts, part by part: a file may be larger than the memory.
        "rules" applies `rules` alone; where none holds, the most frequent label is given.
    best : bool
        Search for the kind, the recipe and the settings that do best on held-out texts, or rows.
    metric : {"accuracy", "macro_f1", "log_loss", "balanced"}
        What they are best at, with `best`.
    budget : float
        Seconds to search, with `best`.
    cost : float, optional
        C of a linear model.
    neighbours : int or "auto"
        The number of texts that vote, with "knn".
    rules : path or nabi.rules.RuleSet, optional
        Rules that decide before the model.
    time_limit : float
        Seconds that one regular expression of a file of rules may take on one text.
    columns : dict, optional
        Learn from all columns of a table; what they hold, as `TableClassifier` has it. With
        `best`, these are taken as they are, and event models of other columns are searched for.
    ddof, missing
        Of tables, as `TableClassifier` has them.
    calibrate : bool
        Calibrate the probabilities of a counting model, where there are enough texts.
    rejects : path, optional
        A CSV file for the rows that `skip_bad=True` sets aside.
    threads : int, optional
        How many threads to use; by default all that the process may.
    **options
        Options of `nabi.read` (`skip_bad`, `sql`, `format`, `encoding`, `delimiter`, ...) and of
        the model (`ngrams`, `alpha`, `prior`, `min_count`, ...).

    Returns
    -------
    TextClassifier, TableClassifier, LinearClassifier, NeighboursClassifier or one with rules
        Fitted. `rows_` tells how many rows were `read`, `used` and `rejected`. A counting model
        has `held_out_`, the confusion matrix of learned texts, each predicted by the model
        without it: of all, or of a sample where they are many.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mail.csv")
    ...     _ = path.write_text("folder,body\nspam,win a prize\nham,lunch at noon\n")
    ...     model = train(path, text="body", label="folder")
    >>> model.predict(["a prize"]).tolist(), model.rows_
    (['spam'], {'read': 2, 'used': 2, 'rejected': 0})
    """
    one_of("model", model, KINDS)
    reading = {name: options.pop(name) for name in READING if name in options}
    reading |= {"text": text, "label": label, "threads": threads}
    table = {"columns": columns, "ddof": ddof, "missing": missing}
    own: dict[str, Any] = {"cost": cost, "neighbours": neighbours}
    _check_together(model, best, options, **own, **table, rules=rules, budget=budget, metric=metric)
    given = None if rules is None else _rule_set(rules, time_limit)
    fitted: Any = None
    if not best and model != "rules":
        fitted = unfitted_model(model, options, **own, threads=threads)
    counts = model == "nb" and not best and given is None
    whole = True if columns is not None else None if counts or best else False
    with closing(read(*_listed(paths), **reading, table=whole)) as reader:
        reader.rejects_file = None if rejects is None else os.fspath(rejects)
        if counts:
            fitted = _counting_model(fitted, reader, text, **table)
            sample: DocumentSample | None = _learned(fitted, reader)
        elif best:
            wanted = {"columns": columns, "metric": metric, "budget": budget}
            fitted, sample = _searched(reader, threads, **wanted), None
        else:
            documents, labels = _read_all(reader)
            fitted = fitted_model(fitted, given, documents, labels, threads=threads)
            sample = _sample(fitted, documents, labels)
        _finish(fitted, reader, rejects)
    if sample is not None:
        _judge(fitted, sample, calibrate=calibrate)
    return fitted


def tune(documents: Any, labels: Any, **options: Any) -> Any:
    """Search for the counting model that does best on documents it never saw; train it on all.

    Documents are texts or a table. The options are those of `nabi.best`: metric, budget, seed,
    threads and watch. `nabi.best` tries linear models of texts as well.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> tune(texts, labels, budget=1).predict(["bad"]).tolist()
    ['-']
    """
    return search(documents, labels, kinds="counting", **options).model


# ---- models that have learned nothing yet ----


def unfitted_model(
    kind: str,
    options: Mapping[str, Any],
    *,
    cost: float | None = None,
    neighbours: int | str = 20,
    threads: int | None = None,
) -> Any:
    """Return a model of texts with these options, which are checked."""
    own: dict[str, Any] = {"threads": threads}
    make: Any = TextClassifier
    if kind in COSTS:
        from nabi.models.linear.classifier import LinearClassifier

        make, own = LinearClassifier, {**own, "model": kind, "C": cost}
    elif kind == "knn":
        from nabi.models.neighbours import NeighboursClassifier

        make, own = NeighboursClassifier, {**own, "k": neighbours}
    accepted = [name for name in inspect.signature(make).parameters if name not in own]
    for name in options:
        if name not in accepted:
            raise InputError(f"{name}={options[name]!r}; {kind} has {', '.join(accepted)}")
    model = make(**options, **own)
    model.check()
    return model


def table_model(
    texts: TextClassifier, columns: Columns, *, ddof: int = 0, missing: str = "skip"
) -> CountingModel:
    """Return a classifier of tables whose columns of text are counted as a model of texts says."""
    from nabi.models.table import TableClassifier

    if texts.event not in ("multinomial", "binary"):
        raise InputError(f"event {texts.event!r} is for texts alone; of a table, name columns")
    model = TableClassifier(
        columns,
        features=texts.recipe,
        alpha=1.0 if isinstance(texts.alpha, str) else texts.alpha,
        ddof=ddof,
        missing=missing,
        prior=texts.prior,
        ledger=texts.ledger,
        threads=texts.threads,
    )
    model.check()
    return model


def _counting_model(
    texts: TextClassifier,
    reader: Reader,
    text: str | Sequence[str] | None,
    *,
    columns: Columns,
    ddof: int,
    missing: str,
) -> CountingModel:
    """Return a classifier of texts or of tables, as the data are."""
    if not reader.is_table:
        for name, value, default in (("ddof", ddof, 0), ("missing", missing, "skip")):
            if value != default:
                raise InputError(f"{name} is for tables, and these are texts; leave it out")
        return texts
    if text is not None:
        raise InputError("text names the one column to learn from, columns several; give one")
    if reader.label in (columns or {}):
        raise InputError(f"columns names {reader.label!r}, the column of the labels; leave it out")
    return table_model(texts, columns, ddof=ddof, missing=missing)


# ---- learning ----


def _learned(model: CountingModel, reader: Reader) -> DocumentSample:
    """Train a counting model part by part; return a sample of what it has learned."""
    sample = DocumentSample(model)
    streaming.learn(model, reader, sample=sample)
    probabilities(model.prior, model.classes_.tolist(), model.class_count_)  # or refuse the prior
    return sample


def _searched(reader: Reader, threads: int | None, **options: Any) -> Any:
    """Return the best model of all documents of a reader; it is calibrated."""
    documents, labels = _read_all(reader, options["columns"])
    if options["columns"] is not None:  # without those that are ignored, which are not read
        options["columns"] = {n: m for n, m in options["columns"].items() if n in documents.columns}
    model = best_model(documents, labels, threads=threads, **options)
    if model.is_table:  # also columns that were left out while they were read
        model.leave_out({*reader.names} - {reader.label})
    return model


def _finish(model: Any, reader: Reader, rejects: Path | None) -> None:
    """Let a model remember its columns and rows; write the rows that were set aside."""
    model.source_columns = reader.columns
    model.rows_ = {name: getattr(reader, name) for name in ("read", "used", "rejected")}
    if rejects is not None and reader.rejected:
        reader.write_rejects(rejects)


def _read_all(reader: Reader, columns: Columns = None) -> tuple[Any, list[str]]:
    """Return all documents of a reader, texts or a table, and their labels."""
    if not reader.is_table:
        return streaming.read_texts(reader)
    return streaming.read_rows(reader, columns=columns)


def _sample(model: Any, documents: Any, labels: list[str]) -> DocumentSample | None:
    """Return a sample of what a counting model has learned."""
    if not isinstance(model, CountingModel):
        return None
    sample = DocumentSample(model)
    sample.add(documents, CodedLabels(*encode(labels)))
    return sample


def _judge(model: Any, sample: DocumentSample, *, calibrate: bool) -> None:
    """Judge a model by documents that it has learned, each left out, and calibrate it."""
    sample.shrink(len(model.classes_))
    if not len(sample):  # copies of a few
        return
    try:
        found = leave_one_out(model, sample.documents, sample.labels)
    except InputError:  # words that are chosen by the counts
        return
    model.held_out_ = found.matrix()
    if calibrate and len(model.classes_) > 1 and found.unseen.usable >= LEAST:
        model.calibrate_with(found.unseen.fitted())


def fitted_model(
    model: Any, rules: Any, texts: Any, labels: list[str], *, threads: int | None = None
) -> Any:
    """Fit a model to all texts, with rules before it where there are some; or make it of rules."""
    if rules is None:
        return model.fit(texts, labels)
    from nabi.rules import RuledClassifier, RulesClassifier

    if model is not None:
        return RuledClassifier(model, rules).fit(texts.to_list(), labels)
    # Where no rule holds, the most frequent label is the best guess.
    most = min(Counter(labels).items(), key=lambda item: (-item[1], item[0]))[0]
    return RulesClassifier(replace(rules, default=most), threads=threads)


def _rule_set(rules: Any, time_limit: float) -> Any:
    """Return the rules of a file, or those given, which must look at the text alone."""
    from nabi.rules import RuleSet

    found = rules if isinstance(rules, RuleSet) else RuleSet.read(rules, time_limit=time_limit)
    if found.fields:
        names = ", ".join(sorted(found.fields))
        raise InputError(f"the rules ask for the fields {names}, and a model of texts has none")
    return found


def _check_together(kind: str, best: bool, options: Mapping[str, Any], **given: Any) -> None:
    """Refuse settings that a kind of model does not have, and with `best` all of them."""
    defaults = {n: p.default for n, p in inspect.signature(train).parameters.items()}
    named = [name for name, value in given.items() if value != defaults[name]]
    if best:
        chosen = [
            *options,
            *(name for name in named if name not in ("budget", "metric", "columns")),
        ]
        if chosen or kind != defaults["model"]:
            name = [*chosen, "model"][0]
            raise InputError(f"best=True chooses kind and settings itself; leave out {name}")
        return
    own = "cost" if kind in COSTS else "neighbours" if kind == "knn" else ""
    if kind == "rules" and (options or "rules" not in named):
        what = f"has no option {next(iter(options))}" if options else "needs rules: name their file"
        raise InputError(f"model='rules' {what}")
    for name in (name for name in named if name != "rules"):
        if name in ("budget", "metric"):
            raise InputError(f"{name} is for best=True; leave it out")
        if name != own and not (kind == "nb" and name in ("columns", "ddof", "missing")):
            raise InputError(f"{name} is not for model={kind!r}; leave it out")


def _listed(paths: Any) -> list[Path]:
    """Return one path or several as a list."""
    if isinstance(paths, str | os.PathLike):
        return [paths]
    listed = isinstance(paths, Iterable) and not is_table(paths)
    found = list(paths) if listed else [paths]
    for path in found:
        if not isinstance(path, str | os.PathLike):
            raise InputTypeError(
                f"paths is {type(paths).__name__}, expected the name of a file, or several; for "
                f"data in memory: nabi.TextClassifier().fit(texts, labels), "
                f"nabi.TableClassifier().fit(table, label) or nabi.best(table, label)"
            )
    return found

"""`nabi train` of models that see all texts at once: linear ones, neighbours, rules, the best."""

import os
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nabi.cli.labelled import texts_and_labels
from nabi.cli.options import common as o
from nabi.cli.options.model import (
    LINEAR,
    Choice,
    as_seconds,
    read_rules,
)
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.written import writing

if TYPE_CHECKING:
    from nabi.search import Trial

SHOWN = 10  # trials


def train_whole(
    choice: Choice,
    recipe: TableRecipe,
    source: LabelledTexts,
    output: str,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Read all texts, fit the model that the options describe or the best, and save it."""
    rules = None if choice.rules is None else read_rules(choice.rules)
    if not choice.best and choice.model != "rules":
        choice.made(recipe, source.threads)  # refuses bad options before anything is read
    rules_file = [choice.rules] if choice.rules else []
    reader = source.reader(beside=output, reads=rules_file, writes=[output], table=False)
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels = texts_and_labels(parts)
    start = time.perf_counter()
    if choice.best:
        model = _best(texts, labels, choice, source.threads, quiet=quiet)
    else:
        with screen.steps(f"fitting {choice.model}", quiet=quiet) as step:
            if step:
                step(f"fitting {choice.model}", 0, 1)
            model = _fitted(choice, recipe, rules, texts, labels, source.threads)
    seconds = time.perf_counter() - start
    with writing(output):
        model.save(output)
    result = {
        "rows": screen.rows(reader),
        "rejects": source.write_rejects(reader),
        "classes": o.class_counts(model),
        **facts(model),
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        "model": output,
        "model_bytes": os.path.getsize(output),
    }
    trials = getattr(model, "trials_", [])
    if trials:
        result["trials"] = [trial.to_dict() for trial in trials]
    if json:
        screen.print_json(result)
    elif not quiet:
        _show(result, trials)


def _best(
    texts: Any, labels: list[str], choice: Choice, threads: int | None, *, quiet: bool
) -> Any:
    from nabi.search.best import best

    with screen.steps("trying", quiet=quiet) as step:
        return best(
            texts,
            labels,
            budget=as_seconds(choice.budget),
            threads=threads,
            watch=step and (lambda trial, done, total: step(trial_line(trial), done, total)),
        )


def _fitted(
    choice: Choice,
    recipe: TableRecipe,
    rules: Any,
    texts: Any,
    labels: list[str],
    threads: int | None,
) -> Any:
    if choice.model == "rules":
        from nabi.rules import RulesClassifier

        # Where no rule holds, the most frequent label is the best guess.
        most = min(Counter(labels).items(), key=lambda item: (-item[1], item[0]))[0]
        return RulesClassifier(replace(rules, default=most), threads=threads)
    model = choice.made(recipe, threads)
    if rules is None:
        return model.fit(texts, labels)
    from nabi.rules import RuledClassifier

    return RuledClassifier(model, rules).fit(texts.to_list(), labels)


def facts(model: Any) -> dict[str, Any]:
    """What a model is, for a program."""
    from nabi.models.counting import CountingModel

    if not isinstance(model, CountingModel):
        return {"kind": model.kind, **model.facts}
    return {"kind": model.kind, **model.extent, "alpha": model.alpha_}


def trial_line(trial: "Trial") -> str:
    """A trial in a line."""
    return f"{trial.texts:,} texts: {trial.accuracy:.4f} by {way_line(trial.params)}"


def way_line(params: Any) -> str:
    """The parameters of a trial: 'nbsvm C 1, words 1-2'."""
    from nabi.cli.commands.tune import recipe_line

    recipe = recipe_line(params)
    if params["model"] in LINEAR:
        plain = "" if params.get("unit_length", True) else ", not normalised"
        often = ", how often" if params.get("binary") is False else ""
        return f"{params['model']} C {params['C']:g}{plain}, {recipe}{often}"
    return f"nb {params['event']} alpha {params['alpha']:g}, {recipe}"


def _show(result: dict[str, Any], trials: "list[Trial]") -> None:
    print(screen.rows_line(result["rows"], result["rejects"]))
    print(screen.classes_line(result["classes"]))
    if trials:
        _show_trials(trials, result["seconds"])
    else:
        known = [f"{n} {v:,}" for n, v in result.items() if n in ("vocabulary", "neighbours")]
        print(", ".join([result["kind"], *known]))
        print(f"trained in {screen.as_time(result['seconds'], result['bytes'])}")
    path = screen.quoted(result["model"])
    print(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    print(f'\nNext:\n  nabi explain {path} "a text of yours"\n  nabi evaluate {path} test.csv')


def _show_trials(trials: "list[Trial]", seconds: float) -> None:
    """What was tried, what was chosen, and why."""
    print(f"{len(trials)} ways tried in {seconds:.1f} s, each on texts it never saw:\n")
    columns = [("way", "left"), ("accuracy", "right"), ("log loss", "right")]
    rows = [
        [way_line(t.params), f"{t.accuracy:.4f}", f"{t.log_loss:.4f}", f"{t.texts:,}"]
        for t in trials[:SHOWN]
    ]
    screen.print_table([*columns, ("texts", "right")], rows)
    first = trials[0]
    print(f"\nchosen: {way_line(first.params)}, right on {first.accuracy:.2%} of texts left out")
    same = [t for t in trials[1:] if t.texts == first.texts]
    if same:
        second = min(same, key=lambda t: t.rank)
        print(f"{_lead(first, second)} (the best of many: expect a little less)")
    others = [t for t in trials if _kind(t) != _kind(first)]
    if others:
        other = max(others, key=lambda t: (t.texts, t.accuracy))
        kind = "counting model" if _kind(other) == "nb" else "linear model"
        print(f"the best {kind}: {other.accuracy:.4f} on {other.texts:,} texts")


def _lead(first: "Trial", second: "Trial") -> str:
    ahead = (first.accuracy - second.accuracy) * 100
    if second.rank < first.rank:
        much = f"{second.accuracy:.4f} by {way_line(second.params)}"
        return f"as good as the best ({much}), as far as the texts can tell, and smaller"
    if ahead == 0:
        return "level with the next, and surer of what is right"
    return f"{ahead:.2f} points ahead of the next"


def _kind(trial: "Trial") -> str:
    return "nb" if trial.params["model"] == "nb" else "linear"

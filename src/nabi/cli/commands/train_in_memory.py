"""`nabi train` of models that need all texts in memory: linear, neighbours, rules, the best."""

import os
import time
from collections import Counter
from dataclasses import replace
from typing import Any

from nabi.cli.data.labelled import read_texts
from nabi.cli.options import common as o
from nabi.cli.options.model import Choice, as_seconds, read_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import save_model
from nabi.cli.show import screen
from nabi.cli.show.trials import show_trials, trial_line


def train_in_memory(
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
    texts, labels = read_texts(reader, quiet=quiet)
    start = time.perf_counter()
    if choice.best:
        model = _best(texts, labels, choice, source.threads, quiet=quiet)
    else:
        with screen.steps(f"fitting {choice.model}", quiet=quiet) as step:
            if step:
                step(f"fitting {choice.model}", 0, 1)
            model = _fitted(choice, recipe, rules, texts, labels, source.threads)
    seconds = time.perf_counter() - start
    save_model(model, output)
    trials = getattr(model, "trials_", [])
    result = {
        "rows": screen.rows(reader),
        "rejects": source.write_rejects(reader),
        "classes": o.class_counts(model),
        **o.facts(model),
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        "model": output,
        "model_bytes": os.path.getsize(output),
        **({"trials": [trial.to_dict() for trial in trials]} if trials else {}),
    }
    screen.print_result(result, lambda result: _show(result, trials), json=json, quiet=quiet)


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


def _show(result: dict[str, Any], trials: list[Any]) -> None:
    print(screen.rows_line(result["rows"], result["rejects"]))
    print(screen.classes_line(result["classes"]))
    if trials:
        show_trials(trials, result["seconds"])
    else:
        known = [f"{n} {v:,}" for n, v in result.items() if n in ("vocabulary", "neighbours")]
        print(", ".join([result["kind"], *known]))
        print(f"trained in {screen.as_time(result['seconds'], result['bytes'])}")
    path = screen.quoted(result["model"])
    print(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    print(f'\nNext:\n  nabi explain {path} "a text of yours"\n  nabi evaluate {path} test.csv')

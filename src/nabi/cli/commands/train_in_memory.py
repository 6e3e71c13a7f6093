"""`nabi train` of models that need all texts in memory: linear, neighbours, rules, the best."""

import time
from collections import Counter
from dataclasses import replace
from typing import Any

from nabi.cli.data.labelled import read_texts
from nabi.cli.options.model import Choice, as_seconds, read_rules
from nabi.cli.options.output import Summary
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import save_model
from nabi.cli.show.trials import settings_line, trial_watch
from nabi.readers import Reader


def train_in_memory(
    choice: Choice, recipe: TableRecipe, source: LabelledTexts, output: str, out: Summary
) -> tuple[Any, Reader, float]:
    """Fit the model that the options describe or the best; return it, its reader and seconds."""
    rules = None if choice.rules is None else read_rules(choice.rules)
    model: Any = None
    if not choice.best and choice.model != "rules":
        model = choice.made(recipe, source.threads)  # refuses bad options before anything is read
    rules_file = [choice.rules] if choice.rules else []
    reader = source.reader(beside=output, reads=rules_file, writes=[output], table=False)
    texts, labels = read_texts(reader, out)
    start = time.perf_counter()
    if choice.best:
        model = _best(texts, labels, choice, source.threads, out)
    else:
        with out.steps(f"fitting {choice.model}") as step:
            if step:
                step(f"fitting {choice.model}", 0, 1)
            model = _fitted(model, rules, texts, labels, source.threads)
    seconds = time.perf_counter() - start
    save_model(model, output)
    return model, reader, seconds


def _best(texts: Any, labels: list[str], choice: Choice, threads: int | None, out: Summary) -> Any:
    from nabi.search.best import best

    with out.steps("trying") as step:
        watch = trial_watch(step, settings_line)
        budget = as_seconds(choice.budget)
        return best(texts, labels, budget=budget, threads=threads, watch=watch)


def _fitted(model: Any, rules: Any, texts: Any, labels: list[str], threads: int | None) -> Any:
    """Fit the model, with rules before it where there are some, or make one of rules alone."""
    if rules is None:
        return model.fit(texts, labels)
    from nabi.rules import RuledClassifier, RulesClassifier

    if model is not None:
        return RuledClassifier(model, rules).fit(texts.to_list(), labels)
    # Where no rule holds, the most frequent label is the best guess.
    most = min(Counter(labels).items(), key=lambda item: (-item[1], item[0]))[0]
    return RulesClassifier(replace(rules, default=most), threads=threads)

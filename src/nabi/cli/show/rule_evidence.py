"""The explanation of a decision by rules, alone or beside a model, on the screen."""

from typing import TYPE_CHECKING, Any

from nabi.cli.show.explanations import shown_by
from nabi.cli.show.text_evidence import by_name
from nabi.rules import Rule, RuledExplanation, RuleExplanation

if TYPE_CHECKING:
    from rich.console import Console

UNNAMED = "(no label)"


def show(console: "Console", explanation: RuleExplanation | RuledExplanation, top: int) -> None:
    """Print it all."""
    if isinstance(explanation, RuleExplanation):
        _show_rules(console, explanation)
    elif explanation.terms:
        _show_terms(console, explanation, top)
    elif explanation.rules.rule is None:
        console.print("no rule holds; the model decides:\n")
        shown_by(explanation.model).show(console, explanation.model, top)
    else:
        _show_rules(console, explanation.rules)
        alone = explanation.model.label
        proba = explanation.model.proba[alone]
        console.print(
            f"\na rule decides; the model alone: {alone}  (probability {proba:.4f})", markup=False
        )


def _show_rules(console: "Console", explanation: RuleExplanation) -> None:
    from rich.text import Text

    head, *lines = str(explanation).split("\n")
    label = str(explanation.label) if explanation.label else UNNAMED
    where = head.removeprefix(str(explanation.label))
    console.print(Text.assemble((label, "bold"), where))
    for line in lines:
        console.print(Text(line))


def _show_terms(console: "Console", explanation: RuledExplanation, top: int) -> None:
    from rich.text import Text

    proba = explanation.proba[explanation.label]
    head = f"  (probability {proba:.4f}, with the evidence of rules)\n"
    console.print(Text.assemble((str(explanation.label), "bold"), head))
    for term in explanation.terms:
        console.print(Text(str(term)))
    console.print("\nthe model alone:\n")
    shown_by(explanation.model).show(console, explanation.model, top)


def as_json(explanation: RuleExplanation | RuledExplanation) -> dict[str, Any]:
    """All of it, for a program."""
    if isinstance(explanation, RuleExplanation):
        return {
            "label": explanation.label,
            "labels": list(explanation.labels),
            "rule": explanation.rule and _rule(explanation.rule),
            "hits": [vars(hit) for hit in explanation.hits],
            "others": [_rule(rule) for rule in explanation.others],
            "file": explanation.file,
        }
    return {
        "label": explanation.label,
        "proba": by_name(explanation.proba),
        "joint": by_name(explanation.joint),
        "rules": as_json(explanation.rules),
        "terms": [
            {
                **_rule(term.rule),
                "holds": term.holds,
                "weights": by_name(term.weights),
                "counts": by_name(term.counts),
            }
            for term in explanation.terms
        ],
        "model": shown_by(explanation.model).as_json(explanation.model),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {"line": rule.line, "rule": str(rule), "labels": list(rule.labels)}

"""Rules written by hand, as a classifier of their own or beside one that learns.

The language needs lark and regex: `pip install 'nabi[rules]'`. docs/rules.md has all of it.

>>> from nabi.rules import RuleSet
>>> rules = RuleSet.parse('"dollars" and "have been selected" -> spam')
>>> print(rules.explain("You have been selected to get 500 dollars"))
spam  (line 1)
<BLANKLINE>
  "dollars" and "have been selected" -> spam
  text[4:22]  'have been selected'
  text[34:41]  'dollars'
"""

from nabi.rules.checking import CheckedRule, RulesCheck
from nabi.rules.classifier import RulesClassifier
from nabi.rules.documents import Hit
from nabi.rules.evidence import RuledExplanation, RuleExplanation, RuleTerm
from nabi.rules.language import Definition, Rule
from nabi.rules.ruled import RuledClassifier
from nabi.rules.ruleset import RuleSet, UnknownLabel

__all__ = [
    "CheckedRule",
    "Definition",
    "Hit",
    "Rule",
    "RuleExplanation",
    "RuleSet",
    "RuleTerm",
    "RuledClassifier",
    "RuledExplanation",
    "RulesCheck",
    "RulesClassifier",
    "UnknownLabel",
]

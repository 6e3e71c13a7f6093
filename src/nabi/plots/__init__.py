"""Pictures of models and of their decisions, by matplotlib: `pip install 'nabi[plots]'`.

Each function draws on the axes that it is given, or on a figure of its own, and returns them. None
opens a window, and nothing is left behind in pyplot. On screens without a notebook,
`.figure.savefig("picture.png")` writes what was drawn.

>>> import nabi
>>> from nabi import plots
>>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
>>> plots.explanation(model.explain("a good film")).get_title()
'pos (0.67)'
"""

from nabi.plots import paper as paper  # first: where matplotlib is missing, it says so
from nabi.plots.densities import densities
from nabi.plots.margins import margins
from nabi.plots.regions import decision_regions
from nabi.plots.sums import explanation
from nabi.plots.weights import word_weights

__all__ = ["decision_regions", "densities", "explanation", "margins", "word_weights"]

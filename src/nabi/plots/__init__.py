"""Pictures of models and of their decisions, by matplotlib: `pip install 'nabi[plots]'`.

Each function draws on the given axes, or on a new figure, and returns them. None opens a window or
changes pyplot's state. A notebook shows what a cell returns: the new figure, once, also where
pyplot is not imported. Elsewhere, `.figure.savefig("picture.png")` writes the picture.

>>> import nabi
>>> from nabi import plots
>>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
>>> plots.explanation(model.explain("a good film")).get_title()
'pos (0.67)'
"""

from nabi.plots import drawing as drawing  # first: its error says that matplotlib is missing
from nabi.plots.densities import densities
from nabi.plots.explanations import explanation
from nabi.plots.margins import margins
from nabi.plots.regions import decision_regions
from nabi.plots.weights import word_weights

__all__ = ["decision_regions", "densities", "explanation", "margins", "word_weights"]

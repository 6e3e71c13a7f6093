"""The k nearest neighbours of a text: those learned texts whose words are most like its own.

>>> from nabi.models.neighbours import NeighboursClassifier
>>> model = NeighboursClassifier(k=1).fit(["good film", "bad film"], ["pos", "neg"])
>>> model.predict(["a good one"]).tolist()
['pos']
"""

from nabi.explain.neighbours import Neighbour, NeighboursExplanation, SharedWord
from nabi.models.neighbours.classifier import NeighboursClassifier

__all__ = ["Neighbour", "NeighboursClassifier", "NeighboursExplanation", "SharedWord"]

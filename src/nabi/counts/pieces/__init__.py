"""Pieces of counts: what one worker sends of its share of the data, and how pieces add up.

    counts --cut--> pieces --merged, range by range--> pieces --assembled--> counts of all shares

A range holds the features from one name to another, or the documents of a ledger from one
fingerprint to another. A piece has counts of one range, in the container of a model file, and takes
a bounded number of bytes. Ranges are merged apart from each other; put end to end they are the
counts of everything, in memory that does not grow with them.

Every range is sent by every worker, with the documents that the worker has counted and a mark of
all its counts. Sums that differ from range to range show that a share was counted twice, with
another result: its rows changed between two attempts.
"""

from nabi.counts.pieces.assembling import assembled
from nabi.counts.pieces.cutting import MOST, Cuts, Piece, cut
from nabi.counts.pieces.summing import merged_pieces

__all__ = ["MOST", "Cuts", "Piece", "assembled", "cut", "merged_pieces"]

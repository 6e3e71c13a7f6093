"""Choose between weighing the whole vocabulary and only the features of a batch.

Both give the same bits: a weight depends on its counts alone, a sum on the text alone.
"""

import nabi._native as _native
from nabi.features.recipe import Features

# The cost of looking up a batch's own features, in features of the vocabulary weighed
# (docs/experiments/004-python-side.md). A word comes again and again, a longer n-gram seldom twice.
CALL, WORD, NGRAM, CHARS = 2000, 1 / 6, 4 / 6, 5 / 6  # a batch; a byte of it, by kind and length


class LookupBudget:
    """Allows batches to be looked up until they have cost as much as the whole vocabulary."""

    def __init__(self, features: Features, n_features: int, *, in_memory: bool = True) -> None:
        self.left = n_features * (1.0 if in_memory else 2.0)
        _, longest = features.ngrams or (0, 0)
        least, most = features.chars or (1, 0)
        words = WORD + NGRAM * (longest - 1) if longest else 0.0
        self._a_byte = words + CHARS * (most - least + 1)
        least, most = features.hangul or (1, 0)
        self._a_wide_byte = CHARS * (most - least + 1)  # where Hangul may be

    def expect(self, n_bytes: int) -> None:
        """Allow none where texts of so many bytes are to come that they would use up all."""
        if n_bytes * self._a_byte > self.left:
            self.left = 0.0

    def allows(self, batch: _native.Batch) -> bool:
        """Whether looking up a batch is less work than weighing everything; if so, count it."""
        left = self.left - batch.bytes * self._a_byte - batch.wide_bytes * self._a_wide_byte
        if left < 0 or not self.left:
            return False
        self.left = left - CALL
        return True

"""Counts to scores: weighed by an event model, summed to log joints, calibrated.

`text` and `table` score documents by counts, with a `prior` and a `smoothing`; `lookup` decides
how much of the vocabulary to weigh, `selection` which words to keep. `held_out` scores learned
documents without themselves; `calibration` makes probabilities of scores. `word_scores` is any
model that is a sum of word weights.
"""

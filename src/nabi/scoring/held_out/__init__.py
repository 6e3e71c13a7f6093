"""Held-out scores: each document by the model without its group, from counts alone.

A group is one document (leave-one-out), a fold or an author. `text` scores texts and draws folds;
`table` scores rows, with the `groups` to hold out. Columns without the rows of a group: `values`
(words, categories, truth values, bins), `numbers` (densities and rates) by `moments`, which needs
the digits of `double_double`.
"""

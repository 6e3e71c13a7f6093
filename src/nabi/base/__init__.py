"""Parts that all rooms use and that know nothing of text.

`arrays` (types), `fixed_point` (weights and counts as exact integers), `labels` (labels and their
codes), `checks` (arguments), `parameters` (scikit-learn's conventions), `softmax`, `threads`,
`locking` (one thread at a time) and `interrupts` (changes that Ctrl-C cannot cut in two).
"""

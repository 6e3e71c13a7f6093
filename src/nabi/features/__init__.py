"""Text and tables to features: the first step after reading.

Texts: a `recipe` says what counts as a feature (with `stop_words`, `stems`, `normal_form`), `batch`
hands texts to the kernel, `names` reads the names of features back. Tables: `frame` converts a
table to columns, `columns` gives each an event model, `values` makes numbers or tokens of it.
"""

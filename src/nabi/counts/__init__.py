"""The learned state: counts of features by class. They add and subtract exactly.

`batch` and `table_batch` count documents; `text` and `table` keep the counts of all that was
learned, on one `base`. `sparse` holds counts above zero, `moments` exact sums of numbers, `ledger`
which documents were learned, `file_backed` counts that lie in a file. `relabel` changes classes.
"""

"""Which model is best: tune, best, compare."""

"""How good a model is: cross-validation, suspect labels, duplicates."""

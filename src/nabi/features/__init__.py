"""Text and tables to features: the recipe, batches of texts, columns."""

"""Scores of documents by the model without them, from counts alone."""

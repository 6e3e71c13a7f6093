"""A small model: the best words of another, with rounded weights."""

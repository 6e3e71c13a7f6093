"""How training is split, and merged again."""

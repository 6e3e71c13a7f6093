"""Replay of a journal: from its entries alone, from a snapshot on, and as others write."""

"""The evidence of a decision."""

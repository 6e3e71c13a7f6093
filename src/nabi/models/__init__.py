"""The models that a user holds in the hand."""

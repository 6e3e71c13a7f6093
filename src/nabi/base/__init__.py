"""What every room uses and that knows nothing of text: array types, labels, parameters, locking."""

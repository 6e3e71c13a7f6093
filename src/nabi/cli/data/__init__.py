"""Read the data of a command: as documents for a model, or all at once with their labels."""

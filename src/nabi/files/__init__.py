"""Files out, and the container of model files."""

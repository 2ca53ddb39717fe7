"""HTML report of a model."""

"""HTML report of a model: page, data for its script, and SVG pictures."""

"""Knowledge files: YAML and JSON."""

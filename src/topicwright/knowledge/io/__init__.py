"""Knowledge files in YAML and JSON."""

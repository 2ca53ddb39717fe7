"""Smaller measurements, each run on its own: ``python -m benchmarks.scripts.tokenizer``."""

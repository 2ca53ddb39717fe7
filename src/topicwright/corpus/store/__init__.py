"""Corpora on disk: arrays that are memory-mapped."""

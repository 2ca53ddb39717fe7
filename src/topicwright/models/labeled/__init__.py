"""Labeled LDA."""

"""Corpora to try things on."""

from .docstrings import load_docstrings

__all__ = ["load_docstrings"]

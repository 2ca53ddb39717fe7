"""Corpora for examples and tests."""

from .docstrings import load_docstrings
from .newsgroups import fetch_20newsgroups

__all__ = ["fetch_20newsgroups", "load_docstrings"]

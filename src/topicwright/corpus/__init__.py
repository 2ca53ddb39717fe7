"""Texts, tables, matrices and files as a corpus."""

from .coerce import as_corpus
from .core import Corpus
from .texts import Encoded, align, encode
from .tokenizer import Tokenizer
from .vocabulary import WordIndex

__all__ = ["Corpus", "Encoded", "Tokenizer", "WordIndex", "align", "as_corpus", "encode"]

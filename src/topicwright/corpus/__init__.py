"""Texts, tables, matrices and files as a corpus."""

from .coerce import as_corpus
from .core import Corpus
from .documents import Document
from .formats import FORMATS, iter_documents, read_corpus
from .texts import Encoded, align, encode
from .tokenizer import Tokenizer
from .vocabulary import WordIndex
from .writers import write_corpus

__all__ = [
    "FORMATS",
    "Corpus",
    "Document",
    "Encoded",
    "Tokenizer",
    "WordIndex",
    "align",
    "as_corpus",
    "encode",
    "iter_documents",
    "read_corpus",
    "write_corpus",
]

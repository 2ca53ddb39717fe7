"""Texts, tables, matrices and files as a corpus."""

from .build import Encoded, align, encode
from .corpus import Corpus
from .documents import Document
from .formats.registry import FORMATS, iter_documents, read_corpus
from .formats.writers import write_corpus
from .inputs import as_corpus
from .tokenizer import Tokenizer
from .vocabulary import WordIndex

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

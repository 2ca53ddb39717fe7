"""Texts, tables, matrices and files as a corpus."""

from .build import Encoded, align, encode
from .corpus import Corpus, corpus_digest
from .documents import Document
from .formats.dispatch import iter_documents, read_corpus, write_corpus
from .formats.registry import format_names
from .inputs import as_corpus
from .tokenizer import Tokenizer
from .vocabulary import WordIndex

FORMATS = format_names()
"""Names of the file formats that ``read_corpus`` can read."""

__all__ = [
    "FORMATS",
    "Corpus",
    "Document",
    "Encoded",
    "Tokenizer",
    "WordIndex",
    "align",
    "as_corpus",
    "corpus_digest",
    "encode",
    "iter_documents",
    "read_corpus",
    "write_corpus",
]

"""Sources of word links: word vectors, WordNet, and the corpus itself."""

from .corpus_links import links_from_corpus, vectors_from_corpus
from .similarity import links_from_vectors
from .vector_files import load_vectors
from .vectors import Vectors
from .wordnet import links_from_wordnet

__all__ = [
    "Vectors",
    "links_from_corpus",
    "links_from_vectors",
    "links_from_wordnet",
    "load_vectors",
    "vectors_from_corpus",
]

from .core import Corpus
__all__ = ["Corpus"]

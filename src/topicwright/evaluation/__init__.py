"""Evaluation of topics: coherence and diversity. Likelihood and perplexity are methods of the models."""

from .coherence import coherence
from .diversity import diversity

__all__ = ["coherence", "diversity"]

"""Evaluation of topics and probabilities. Likelihood, perplexity and accuracy are methods of the models."""

from .coherence import coherence
from .diversity import diversity
from .reliability import Reliability, reliability

__all__ = ["Reliability", "coherence", "diversity", "reliability"]

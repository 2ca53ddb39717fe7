"""The scikit-learn estimators."""

from .lda import LDA
from .training import Sweep

__all__ = ["LDA", "Sweep"]

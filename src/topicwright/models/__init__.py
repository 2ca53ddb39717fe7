"""The scikit-learn estimators."""

from .classifier import MedLDAClassifier
from .lda import LDA
from .regressor import MedLDARegressor
from .training import Sweep

__all__ = ["LDA", "MedLDAClassifier", "MedLDARegressor", "Sweep"]

"""The scikit-learn estimators."""

from .classifier import MedLDAClassifier
from .labeled import LabeledLDA
from .lda import LDA
from .online import OnlineLabeledLDA
from .progress import show_progress
from .regressor import MedLDARegressor
from .training import Sweep

__all__ = ["LDA", "LabeledLDA", "MedLDAClassifier", "MedLDARegressor", "OnlineLabeledLDA", "Sweep", "show_progress"]

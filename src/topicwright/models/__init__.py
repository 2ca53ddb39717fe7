"""The scikit-learn estimators."""

from ._training import Sweep, show_progress
from .labeled.model import LabeledLDA
from .lda import LDA
from .medlda.classifier import MedLDAClassifier
from .medlda.regressor import MedLDARegressor
from .online.model import OnlineLabeledLDA

__all__ = ["LDA", "LabeledLDA", "MedLDAClassifier", "MedLDARegressor", "OnlineLabeledLDA", "Sweep", "show_progress"]

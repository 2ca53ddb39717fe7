"""Topic models as scikit-learn estimators.

:class:`LDA`, :class:`LabeledLDA`, :class:`MedLDAClassifier`, :class:`MedLDARegressor`, :class:`OnlineLDA` and
:class:`OnlineLabeledLDA` stand side by side under :class:`TopicModel`.
"""

from ._training import Sweep, show_progress
from .base import TopicModel
from .labeled.model import LabeledLDA
from .lda import LDA
from .manifest import Manifest, TrainingRun
from .medlda.classifier import MedLDAClassifier
from .medlda.regressor import MedLDARegressor
from .online.lda import OnlineLDA
from .online.model import OnlineLabeledLDA
from .update.report import MergeSuggestion, SplitSuggestion, TopicDrift, UnexplainedDocument, UpdateReport

__all__ = [
    "LDA",
    "LabeledLDA",
    "Manifest",
    "MedLDAClassifier",
    "MedLDARegressor",
    "MergeSuggestion",
    "OnlineLDA",
    "OnlineLabeledLDA",
    "SplitSuggestion",
    "Sweep",
    "TopicDrift",
    "TopicModel",
    "TrainingRun",
    "UnexplainedDocument",
    "UpdateReport",
    "show_progress",
]

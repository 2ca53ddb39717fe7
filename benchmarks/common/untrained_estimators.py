"""Our estimators without training: ``fit`` only prepares, and the benchmark runs and times the sweeps."""

from __future__ import annotations

from typing import Any

from topicwright.models.labeled.model import LabeledLDA
from topicwright.models.lda import LDA
from topicwright.models.medlda.classifier import MedLDAClassifier
from topicwright.models.medlda.regressor import MedLDARegressor


class _WithoutTraining:
    def _train(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""


class UntrainedClassifier(_WithoutTraining, MedLDAClassifier):
    """``MedLDAClassifier`` before its first sweep."""


class UntrainedRegressor(_WithoutTraining, MedLDARegressor):
    """``MedLDARegressor`` before its first sweep."""


class UntrainedLDA(_WithoutTraining, LDA):
    """``LDA`` before its first sweep."""


class UntrainedLabeledLDA(_WithoutTraining, LabeledLDA):
    """``LabeledLDA`` before its first sweep."""

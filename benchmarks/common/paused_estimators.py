"""Our estimators without training: ``fit`` only prepares, and the benchmark runs and times the sweeps."""

from __future__ import annotations

from typing import Any

from topicwright.models.labeled.model import LabeledLDA
from topicwright.models.lda import LDA
from topicwright.models.medlda.classifier import MedLDAClassifier
from topicwright.models.medlda.regressor import MedLDARegressor


class _Held:
    def _train(self, n_sweeps: int, on_sweep: Any, where: Any = None) -> Any:
        return self


class HeldClassifier(_Held, MedLDAClassifier):
    """A classifier that waits."""


class HeldRegressor(_Held, MedLDARegressor):
    """A regressor that waits."""


class HeldLDA(_Held, LDA):
    """Plain LDA that waits."""


class HeldLabeledLDA(_Held, LabeledLDA):
    """Labeled LDA that waits."""

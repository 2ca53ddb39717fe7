"""tomotopy's Labeled LDA, behind the same methods as ours."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from topicwright.corpus.corpus import Corpus
from topicwright.models.fit_state import count_assignments
from topicwright.models.labeled.model import LabeledLDA

from ..common.schedule import Contestant
from ..common.tomotopy_adapter import TheirModel, missing
from ..common.untrained_estimators import UntrainedLabeledLDA
from .batches import Batch
from .context import OnlineContext

MOST_TOPICS = 32_767  # tomotopy's


class TomotopyLLDA(TheirModel):
    """tomotopy's Labeled LDA; it is done when it has had as many sweeps as the batch that it runs beside."""

    name = "tomotopy LLDA"

    def __init__(self, corpus: Corpus, seed: int, beside: Batch, *, alpha: float, beta: float) -> None:
        self._beside, self._n_sweeps, labels = beside, 0, corpus.labels or ()
        self._prior: dict[str, Any] = {"alpha": alpha, "beta": beta, "random_state": seed}
        known: dict[str, Any] = {"k": 1, "alpha": alpha, "eta": beta, "seed": seed}
        super().__init__("LLDAModel", corpus, lambda row: {"labels": list(labels[row])}, **known)

    @staticmethod
    def why_not(corpus: Corpus) -> str | None:
        """Why it can not run here, or None where it can."""
        if (reason := missing()) is not None:
            return f"tomotopy is {reason}: its LLDA is left out"
        n_labels = len(corpus.label_names())
        return f"tomotopy's LLDA is left out: it can not have {n_labels:,} labels" if n_labels > MOST_TOPICS else None

    def sweep(self) -> None:
        """One iteration."""
        super().sweep()
        self._n_sweeps += 1

    def look(self) -> None:
        """It does not say when it has converged."""

    @property
    def is_done(self) -> bool:
        """Whether to stop."""
        return self._beside.is_done and self._n_sweeps >= self._beside.engine.sweep_number

    def settle(self) -> LabeledLDA:
        """Its counts as a model of ours, so that one and the same code looks at both."""
        model = UntrainedLabeledLDA(**self._prior).fit(self.corpus)
        number = {name: k for k, name in enumerate(model.classes_.tolist())}
        topics = self.model.topic_label_dict
        ours = np.array([number[topics[k]] for k in range(len(topics))], dtype=np.uint32)
        model.assignments_ = ours[self.assignments()]
        count_assignments(model)
        return model


def peers_beside(context: OnlineContext, batch: Batch, seed: int) -> list[Contestant]:
    """Requested and installed programs, on the documents of a batch."""
    if not context.options.peers:
        return []
    if (reason := TomotopyLLDA.why_not(context.corpus)) is not None:
        context.note(reason)
        return []
    corpus: Corpus = batch.model.corpus_
    return [Contestant(TomotopyLLDA.name, partial(TomotopyLLDA, corpus, seed, batch, **context.prior))]

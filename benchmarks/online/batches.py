"""Our batch Labeled LDA, trained sweep by sweep until it has converged."""

from __future__ import annotations

from typing import Any

from topicwright.corpus.corpus import Corpus
from topicwright.models._training import Sweep
from topicwright.models.fit_state import build_engine, store_results
from topicwright.models.labeled.model import ConvergenceMonitor, LabeledLDA

from ..common.untrained_estimators import UntrainedLabeledLDA


class Batch:
    """A model and the engine that its ``fit`` would run, on one thread, until it has converged by the model's rule."""

    def __init__(
        self, corpus: Corpus, seed: int, *, most: int, tol: float | None = None, check_every: int = 10, **prior: Any
    ) -> None:
        self.model = UntrainedLabeledLDA(random_state=seed, **prior).fit(corpus)
        self.engine = build_engine(self.model)
        self._most, self._check_every = most, check_every
        self._watch = ConvergenceMonitor(0.0, tol, None, None)

    def prepare(self) -> None:
        """Compile the sampler."""
        self.engine.prepare()

    def sweep(self) -> None:
        """Draw all labels."""
        self.engine.sweep()

    def look(self) -> None:
        """Check convergence every few sweeps, outside of the timed part."""
        number = self.engine.sweep_number
        if number % self._check_every == 0:
            self._watch(Sweep(number, self._most, self.engine.log_likelihood() / self.engine.n_tokens, 0.0, 0.0))

    @property
    def has_converged(self) -> bool:
        """Whether the likelihood had stopped to rise."""
        return self._watch.converged

    @property
    def is_done(self) -> bool:
        """Whether to stop."""
        return self.has_converged or self.engine.sweep_number >= self._most

    def settle(self) -> LabeledLDA:
        """The model as it stands."""
        store_results(self.model, self.engine)
        return self.model

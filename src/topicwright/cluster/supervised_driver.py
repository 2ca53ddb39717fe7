"""The driver of topics that predict something: it draws the weights, from sums over the documents of all shards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..samplers.job import Job
from ..samplers.refitting import Weights
from ..samplers.supervised_engine import PLAIN_SWEEPS, WEIGHTS, rng_of, share_in_mean
from ..samplers.weights import Posterior, Statistics, draw_by_coordinates, draw_from_statistics
from .cutting import Run
from .driver import ShardedEngine
from .workers import Workers

Floats = NDArray[np.float64]
_KEPT = ("eta", "average", "feature_eta", "feature_average")


class SupervisedShardedEngine(ShardedEngine):
    """Sweeps over shards, and in each a draw of the weights."""

    def __init__(self, job: Job, run: Run, workers: Workers) -> None:
        assert job.supervision is not None
        self._how = job.supervision
        how, n_tasks = job.supervision, job.supervision.targets.shape[1]
        none = np.zeros((n_tasks, job.n_topics))
        self.eta: Floats = none if how.eta is None else how.eta
        self.average: Floats = none if how.average is None else how.average
        none = np.zeros((n_tasks, 0 if how.features is None else len(how.features.start) - 1))
        self.feature_eta: Floats = none if how.feature_eta is None else how.feature_eta
        self.feature_average: Floats = none if how.feature_average is None else how.feature_average
        super().__init__(job, run, workers)

    def sweep(self) -> None:
        """Draw weights and the topic of every token."""
        super().sweep()
        share = share_in_mean(self.sweep_number, self._how.late)
        self.average = self.average + share * (self.eta - self.average)
        self.feature_average = self.feature_average + share * (self.feature_eta - self.feature_average)

    def _prepare_sweep(self) -> Any:
        """Draw the weights; shards are given those of the sweep before too, on which auxiliary variables depend."""
        if self.sweep_number < PLAIN_SWEEPS:
            return None
        before = Weights(self.eta, self.feature_eta)
        parts: list[Statistics] = self._call_all("statistics", self.sweep_number, before)
        total = Statistics(*(sum(columns[1:], start=columns[0]) for columns in zip(*parts)))
        rng = rng_of(self.seed, self.sweep_number, WEIGHTS)
        self.eta = draw_from_statistics(before.topics, total, self._how.nu, self._how.weight_sweeps, rng)
        if self._how.features is not None:
            self._draw_features(self._call_all("margins", self.sweep_number, before, self.eta), rng)
        return before, Weights(self.eta, self.feature_eta)

    def _draw_features(self, margins: Sequence[tuple[Floats, Floats, Floats]], rng: np.random.Generator) -> None:
        """Draw the weights of words, here and not from sums: those would be a table of words × words."""
        assert self._how.features is not None
        linear, quadratic, scores = (np.ascontiguousarray(np.concatenate(parts).T) for parts in zip(*margins))
        posterior = Posterior(linear, quadratic, scores, self._how.features, self._how.feature_nu)
        self.feature_eta = self.feature_eta.copy()
        for call in draw_by_coordinates(self.feature_eta, posterior, 1, rng):
            call()

    def _state(self) -> dict[str, Floats]:
        return {**super()._state(), **{name: getattr(self, name) for name in _KEPT}}

    def _take_state(self, arrays: dict[str, Floats]) -> None:
        super()._take_state(arrays)
        for name in _KEPT:
            setattr(self, name, arrays[name])

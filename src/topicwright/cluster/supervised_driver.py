"""The driver of topics that predict something: it draws the weights, from sums over the documents of all shards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..samplers.supervised_engine import PLAIN_SWEEPS
from ..samplers.weights import Statistics, draw_from_statistics
from .cutting import Job, Run
from .driver import ShardedEngine
from .workers import Workers

_WEIGHTS = 2  # the stream that SupervisedEngine draws weights from


class SupervisedShardedEngine(ShardedEngine):
    """Sweeps over shards, and in each a draw of the weights."""

    def __init__(self, job: Job, run: Run, workers: Workers) -> None:
        assert job.supervision is not None
        self._how = job.supervision
        none = np.zeros((self._how.targets.shape[1], job.n_topics))
        self.eta: NDArray[np.float64] = none if self._how.eta is None else self._how.eta
        self.average: NDArray[np.float64] = none if self._how.average is None else self._how.average
        self.feature_eta = self.feature_average = np.zeros((len(none), 0))
        super().__init__(job, run, workers)

    def sweep(self) -> None:
        """Draw weights and the topic of every token."""
        super().sweep()
        n_draws = self.sweep_number - PLAIN_SWEEPS
        if n_draws > 0:
            share = self._how.late / (n_draws - 1 + self._how.late)
            self.average = self.average + share * (self.eta - self.average)

    def _prepare_step(self, shards: Sequence[int], step: int) -> Any:
        """Draw the weights; shards are given those of the sweep before too, on which auxiliary variables depend."""
        if self.sweep_number < PLAIN_SWEEPS:
            return None
        n, before = len(shards), self.eta
        parts: list[Statistics] = self._workers.call(
            shards, "statistics", [step - 1] * n, [self.sweep_number] * n, [before] * n
        )
        total = Statistics(*(sum(columns[1:], start=columns[0]) for columns in zip(*parts)))
        key = np.random.SeedSequence(self.seed, spawn_key=(self.sweep_number, _WEIGHTS))
        rng = np.random.default_rng(key)
        self.eta = draw_from_statistics(before, total, self._how.nu, self._how.weight_sweeps, rng)
        return before, self.eta

    def _state(self) -> dict[str, NDArray[np.float64]]:
        return {**super()._state(), "eta": self.eta, "average": self.average}

    def _take_state(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        super()._take_state(arrays)
        self.eta, self.average = arrays["eta"], arrays["average"]

"""Gibbs sweeps over a corpus on a grid, with results that do not depend on the number of threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .engine import CountStatisticsMixin, SamplingProblem
from .grid import Cell, CellResult, Grid, merge_sizes, new_pool, sample_in_parallel
from .priors import Beta, with_word_priors
from .random import streams


class GridEngine(CountStatisticsMixin, ABC):
    """Base class of engines that sample a corpus cell by cell.

    The draws of a cell depend on (seed, sweep, cell) and the counts, never on the thread, and counts are brought into a
    canonical order after each sweep. So results are the same on any number of threads, and a run that is stopped, saved
    and resumed equals one that was not.
    """

    def __init__(self, problem: SamplingProblem, grid: Grid, n_jobs: int) -> None:
        self.n_tokens = len(problem.tokens)
        self.doc_lengths = np.diff(problem.offsets)
        self.n_words = problem.n_words
        self.n_topics = problem.n_topics
        self.alpha = problem.alpha
        self.beta: Beta = with_word_priors(problem.beta, problem.knowledge.word_priors)
        self.seed = problem.seed
        self.sweep_number = problem.sweep_number
        self.n_moved = 0
        self._earlier = problem.earlier
        self._sizes: NDArray[np.int64] = np.zeros(problem.n_topics, np.int64)
        self._grid = grid
        self._n_jobs = n_jobs
        self._pool = new_pool(n_jobs)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        return self._sizes

    @property
    @abstractmethod
    def assignments(self) -> NDArray[np.uint32]:
        """Topic of each token, in corpus order."""

    @abstractmethod
    def doc_topics(self) -> Any:
        """Document–topic counts, as CSR of shape (n_docs, n_topics)."""

    @abstractmethod
    def topic_words(self) -> Any:
        """Topic–word counts, as CSR of shape (n_topics, n_words)."""

    @abstractmethod
    def _sample(self, cell: Cell, random: NDArray[np.uint64], sizes: NDArray[np.int64]) -> CellResult:
        """Draw the topics of the tokens of a cell."""

    @abstractmethod
    def _canonicalize(self) -> None:
        """Bring the counts into an order that depends on them alone."""

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def prepare(self) -> None:
        """Compile the sampler, or load it from the cache, by sampling an empty cell."""
        self._begin_sweep()
        empty = Cell(0, 0, 0, np.zeros(1, np.uint64))
        self._sample(empty, streams(0, 1)[0], self._sizes)

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        self._begin_sweep()
        random = streams(self.seed, len(self._grid.cells) ** 2, *self._key())
        if self.sweep_number == 0:
            # Cells one after the other while topics form: in parallel, each cell would form its own.
            results = self._sample_sequential(random)
        else:
            results = sample_in_parallel(self._grid.cells, self._sample, random, self._sizes, self._pool, self._n_jobs)
            self._sizes = merge_sizes(self._sizes, results)
        self.n_moved = sum(moved for _, moved in results)
        self._canonicalize()
        self.sweep_number += 1

    def _begin_sweep(self) -> None:
        """Compute what stays the same during a sweep."""

    def _key(self) -> tuple[int, ...]:
        """Key of the random streams of a sweep."""
        return (self.sweep_number,)

    # ------------------------------------------------------------------ cells

    def _sample_sequential(self, random: NDArray[np.uint64]) -> list[CellResult]:
        results = []
        for cell in (cell for row in self._grid.cells for cell in row):
            results.append(self._sample(cell, random[cell.number], self._sizes))
            self._sizes = results[-1].sizes
        return results

"""Gibbs sweeps over a corpus on a grid, with results that do not depend on the number of threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .engine import CountStatisticsMixin, SamplingProblem
from .grid import Cell, Grid, ThreadTask, new_pool, run
from .priors import Beta, with_word_priors
from .random import streams


class CellResult(NamedTuple):
    """Result of sampling a cell: the topic sizes as the cell sees them, and the number of moved tokens."""

    sizes: NDArray[np.int64]
    n_moved: int


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
            results = self._sample_parallel(random)
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

    def _sample_parallel(self, random: NDArray[np.uint64]) -> list[CellResult]:
        """Sample all cells: every block of documents passes through the blocks of words, each starting at another.

        A cell waits for its predecessor in the row, whose topic sizes it continues, and for the row that had its block
        of words before. Rows see each other's changes of topic sizes after the sweep.
        """
        n_blocks = len(self._grid.cells)
        results: dict[int, CellResult] = {}

        def sample(cell: Cell, before: Cell | None) -> CellResult:
            sizes = self._sizes if before is None else results[before.number].sizes
            results[cell.number] = self._sample(cell, random[cell.number], sizes)
            return results[cell.number]

        tasks = []
        for turn in range(n_blocks):
            for p, row in enumerate(self._grid.cells):
                cell, before = row[(p + turn) % n_blocks], row[(p + turn - 1) % n_blocks] if turn else None
                own = (turn - 1) * n_blocks + p
                needs = (own, (turn - 1) * n_blocks + (p + 1) % n_blocks) if turn else ()
                tasks.append(ThreadTask(partial(sample, cell, before), needs))
        sampled: list[CellResult] = run(tasks, self._pool, self._n_jobs)
        last_of_each_row = sampled[-n_blocks:]
        self._sizes = self._sizes + sum(result.sizes - self._sizes for result in last_of_each_row)
        return sampled

"""Engine of the Dirichlet-multinomial mixture, with any knowledge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...knowledge.factors import kernel_with, no_multipliers
from ..dirichlet import count_histogram, documents_log_likelihood, learn_alpha
from ..engine import SamplingProblem
from ..grid import Cell, CellResult, Grid, make_grid
from ..inference import TopicSnapshot
from ..sparse_lda.engine import SparseEngine
from .kernel import new_scratch, sweep_mixture


class MixtureEngine(SparseEngine):
    """Gibbs sampler of a model in which every document has one topic. It runs on one thread.

    Documents whose tokens have different topics start with the most frequent of them.
    """

    def __init__(self, problem: SamplingProblem, *, n_jobs: int = 1) -> None:
        if problem.assignments is not None:
            problem = problem._replace(assignments=_one_topic_each(problem))
        super().__init__(problem, n_jobs=n_jobs, n_blocks=1)
        self._kernel = kernel_with(sweep_mixture, self.factors)
        self._allowed = problem.knowledge.allowed_topics  # by position in the corpus
        self._starts = problem.offsets.view(np.uint64)

    def _make_grid(self, problem: SamplingProblem, n_blocks: int) -> Grid:
        """One cell, with the tokens of each document sorted by word."""
        docs = np.repeat(np.arange(len(problem.offsets) - 1), np.diff(problem.offsets))
        order = np.lexsort((problem.tokens, docs))
        grid = make_grid(problem.tokens, problem.offsets, problem.n_words, 1)
        return grid._replace(tokens=problem.tokens.view(np.uint32)[order], order=order)

    def _documents_by_topic(self) -> Any:
        """Number of documents of each topic, earlier ones included, as CSR with one row."""
        from scipy.sparse import csr_array

        filled = np.flatnonzero(self.doc_lengths > 0)
        topics = self._assignments[self._starts.view(np.int64)[filled]]
        counts = np.bincount(topics, minlength=self.n_topics + 1)[: self.n_topics]
        return csr_array((counts if self._earlier is None else counts + self._earlier.documents)[None, :])

    def _sample(self, cell: Cell, random: NDArray[np.uint64], sizes: NDArray[np.int64]) -> CellResult:
        sizes = sizes.copy()
        moved = self._kernel(
            self._grid.tokens,
            self._starts,
            self._positions,
            self._assignments,
            self.words,
            self.docs,
            sizes,
            self._documents_by_topic().toarray()[0].astype(np.float64),
            self.alpha,
            self._sweep_beta,
            self._beta_sum,
            self.factors,
            no_multipliers(self.n_topics),
            self._allowed,
            self._pseudo_counts,
            new_scratch(self.n_topics),
            random,
            np.uint64(cell.first),
            np.uint64(cell.last),
        )
        return CellResult(sizes, moved)

    def _first_smoothing(self) -> float:
        return 1.0

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus, where z is one topic for each document, given earlier counts if there are any."""
        total = documents_log_likelihood(self._documents_by_topic(), self.alpha)
        if self._earlier is not None:
            from scipy.sparse import csr_array

            total -= documents_log_likelihood(csr_array(self._earlier.documents[None, :]), self.alpha)
        return total + self._words_log_likelihood()

    def learn_alpha(self) -> None:
        """Fit α to the numbers of documents by topic."""
        counts = self._documents_by_topic()
        self.alpha = learn_alpha(self.alpha, count_histogram(counts, np.array([counts.sum()])))

    def _snapshot(self) -> TopicSnapshot:
        return super()._snapshot()._replace(is_mixture=True)


def _one_topic_each(problem: SamplingProblem) -> NDArray[np.uint32]:
    """Assignments in which all tokens of a document have its most frequent topic, the lowest number of equals.

    Documents in which no token has a topic yet stay without one.
    """
    from ..medlda.weights import count_documents

    assert problem.assignments is not None
    counts = count_documents(problem.assignments, problem.offsets, problem.n_topics + 1)[:, : problem.n_topics].tocsr()
    order = np.lexsort((counts.indices, -counts.data, np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))))
    best = np.full(counts.shape[0], problem.n_topics, np.uint32)
    filled = np.diff(counts.indptr) > 0
    best[filled] = counts.indices[order][counts.indptr[:-1][filled]]
    return np.repeat(best, np.diff(problem.offsets))

"""The engine: a corpus's topic assignments, and the sweeps that improve them on any number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import without_cache
from ..counts import count_tokens, empty_rows, rows_to_csr, sort_rows
from ..knowledge.compiling import Compiled, TopicNumbers
from ..knowledge.factors import nothing_touched
from .grid import Cell, cut, default_blocks
from .prior import BetaSum, scaled, sum_of_prior, with_seeds
from .random import streams
from .sparse import sweep_documents
from .threads import Task, run
from .topics import new_topics


def first_smoothing(n_topics: int) -> float:
    """How much larger β is in the first sweep, where tokens are placed one by one given those before.

    With few topics and the plain β the first documents found topics too firmly: 2 % more perplexity on 20 Newsgroups
    with 100 topics, still after 200 sweeps. With 1,000 there is no difference, and with more it only costs time.
    """
    return float(np.clip(3000 / n_topics, 1.0, 30.0))


class Sampled(NamedTuple):
    """What comes of a cell: the sizes of all topics as it sees them, and how many tokens moved."""

    sizes: NDArray[np.int64]
    n_moved: int


class SparseEngine:
    """Topic assignments of a corpus, and the sweeps that improve them.

    What a cell of the grid draws depends on (seed, sweep, cell) and the counts, never on the thread that runs it,
    and counts are brought into one canonical order after each sweep. So the answer is the same on any number of
    threads, and a run that is stopped, saved and resumed ends like one that was not.

    Parameters
    ----------
    assignments
        A state to go on from, in the corpus's order; ``n_topics`` means "not assigned yet".
    sweep_number
        How many sweeps led to that state.
    knowledge
        What restricts or favours topics.
    """

    def __init__(
        self,
        tokens: NDArray[np.int32],
        offsets: NDArray[np.int64],
        n_words: int,
        n_topics: int,
        *,
        alpha: NDArray[np.float64],
        beta: float | NDArray[np.float64],
        seed: int,
        n_blocks: int | None = None,
        n_jobs: int = 1,
        assignments: NDArray[np.uint32] | None = None,
        sweep_number: int = 0,
        knowledge: Compiled | None = None,
    ) -> None:
        self.n_tokens = len(tokens)
        self.doc_lengths = np.diff(offsets)
        self.n_words = n_words
        self.n_topics = n_topics
        knowledge = knowledge or Compiled(TopicNumbers(n_topics))
        self.alpha = alpha
        self.beta = with_seeds(beta, knowledge.seeds)
        self.seed = seed
        self.factors = knowledge.factors
        self.sweep_number = sweep_number
        self.n_moved = 0
        self.sizes: NDArray[np.int64] = np.zeros(n_topics, np.int64)
        are_ours = all(type(factor).__module__.startswith("topicwright.") for factor in self.factors)
        self._kernel = sweep_documents if are_ours else without_cache(sweep_documents)
        if n_blocks is None:
            n_blocks = 1 if knowledge.one_block else default_blocks(len(tokens))
        self._grid = cut(tokens, offsets, n_words, n_blocks, knowledge.linked)
        self._limits = knowledge.limits and knowledge.limits._replace(sets=knowledge.limits.sets[self._grid.order])
        self._n_jobs = n_jobs
        self._pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="topicwright") if n_jobs > 1 else None
        self._count(tokens, assignments)

    @property
    def beta_sum(self) -> BetaSum:
        """Σ_w b_w over the vocabulary; with seeds one of each topic."""
        return sum_of_prior(self.beta, self.n_words, self.n_topics)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token, in the corpus's order."""
        result = np.empty_like(self._assignments)
        result[self._grid.order] = self._assignments
        return result

    def doc_topics(self) -> Any:
        """Counts of topics in documents, as CSR of shape (n_docs, n_topics)."""
        return rows_to_csr(self.docs, self.n_topics)

    def topic_words(self) -> Any:
        """Counts of words in topics, as CSR of shape (n_topics, n_words)."""
        return rows_to_csr(self.words, self.n_topics).T.tocsr()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()

    def prepare(self) -> None:
        """Compile the sampler, or load it from the cache, by a sweep over no documents."""
        nowhere = Cell(0, 0, 0, np.zeros(1, np.uint64))
        self._sample(nowhere, streams(0, 1)[0], self.sizes)

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        random = streams(self.seed, len(self._grid.cells) ** 2, self.sweep_number)
        if self.sweep_number == 0:
            # One cell after the other while topics are being found, or each would find its own.
            results = self._sample_in_turn(random)
        else:
            results = self._sample_side_by_side(random)
        self.n_moved = sum(moved for _, moved in results)
        self._sort_rows()
        self.sweep_number += 1

    # ------------------------------------------------------------------ inside a sweep

    def _sample_in_turn(self, random: NDArray[np.uint64]) -> list[Sampled]:
        results = []
        for cell in (cell for row in self._grid.cells for cell in row):
            results.append(self._sample(cell, random[cell.number], self.sizes))
            self.sizes = results[-1].sizes
        return results

    def _sample_side_by_side(self, random: NDArray[np.uint64]) -> list[Sampled]:
        """Every block of documents goes through the blocks of words, each starting at another.

        A cell waits for the one before it in its row, whose sizes of topics it takes over, and for the row that had its
        block of words before. What other rows do to the sizes it learns after the sweep.
        """
        n_blocks = len(self._grid.cells)
        results: dict[int, Sampled] = {}

        def sample(cell: Cell, before: Cell | None) -> Sampled:
            sizes = self.sizes if before is None else results[before.number].sizes
            results[cell.number] = self._sample(cell, random[cell.number], sizes)
            return results[cell.number]

        tasks = []
        for turn in range(n_blocks):
            for p, row in enumerate(self._grid.cells):
                cell, before = row[(p + turn) % n_blocks], row[(p + turn - 1) % n_blocks] if turn else None
                own = (turn - 1) * n_blocks + p
                needs = (own, (turn - 1) * n_blocks + (p + 1) % n_blocks) if turn else ()
                tasks.append(Task(partial(sample, cell, before), needs))
        sampled: list[Sampled] = run(tasks, self._pool, self._n_jobs)
        last_of_each_row = sampled[-n_blocks:]
        self.sizes = self.sizes + sum(result.sizes - self.sizes for result in last_of_each_row)
        return sampled

    def _sort_rows(self) -> None:
        """Bring all rows into their canonical order."""
        parts = [
            Task(partial(sort_rows, rows, np.uint64(first), np.uint64(last)))
            for rows in (self.words, self.docs)
            for first, last in pairwise(np.linspace(0, len(rows.start), self._n_jobs + 1, dtype=int).tolist())
        ]
        run(parts, self._pool, self._n_jobs)

    def _sample(self, cell: Cell, random: NDArray[np.uint64], sizes: NDArray[np.int64]) -> Sampled:
        scale = first_smoothing(self.n_topics) if self.sweep_number == 0 else 1.0
        beta = scaled(self.beta, scale)
        beta_sum = sum_of_prior(beta, self.n_words, self.n_topics)
        topics = new_topics(sizes, self.alpha, beta_sum)
        limits = self._limits and self._limits._replace(weight=np.zeros(self.n_topics + 1))
        moved = self._kernel(
            self._grid.tokens,
            cell.starts,
            self._grid.order,
            self._assignments,
            self.words,
            self.docs,
            topics,
            beta,
            beta_sum,
            self.factors,
            nothing_touched(self.n_topics),
            limits,
            random,
            np.uint64(cell.first),
            np.uint64(cell.last),
        )
        return Sampled(topics.size[:-1], moved)

    def _count(self, tokens: NDArray[np.int32], assignments: NDArray[np.uint32] | None) -> None:
        """All counts from the assignments."""
        lengths = self.doc_lengths
        self.words = empty_rows(np.bincount(tokens, minlength=self.n_words), self.n_topics, self._grid.word_order)
        self.docs = empty_rows(lengths, self.n_topics)
        if assignments is None:
            self._assignments = np.full(len(tokens), self.n_topics, np.uint32)
            return
        self._assignments = assignments[self._grid.order]
        doc_of_token = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
        for rows, owners in (self.words, tokens.view(np.uint32)), (self.docs, doc_of_token):
            count_tokens(rows, owners, assignments, np.uint64(self.n_topics))
        self._sort_rows()
        self.sizes[:] = np.bincount(assignments, minlength=self.n_topics + 1)[: self.n_topics]

"""Engine of fully labeled corpora."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...knowledge.compiler import CompiledKnowledge
from ..engine import SamplingProblem
from ..grid import Cell, CellResult, default_n_blocks, make_grid
from ..grid_engine import GridEngine
from .kernel import LabeledState, find_slots, sweep_labeled


def is_fully_labeled(knowledge: CompiledKnowledge, offsets: NDArray[np.int64]) -> bool:
    """Whether every document has a set of allowed topics, and there is no other knowledge."""
    additions = (
        knowledge.word_priors,
        knowledge.seeds,
        knowledge.shared_word_counts,
        knowledge.shared_document_counts,
    )
    if knowledge.allowed_topics is None or knowledge.factors or any(addition is not None for addition in additions):
        return False
    sets = knowledge.allowed_topics.sets
    changes = np.flatnonzero(sets[1:] != sets[:-1]) + 1
    return bool(len(sets) and sets.min() > 0 and np.isin(changes, offsets).all())


class LabeledEngine(GridEngine):
    """Assignments of a corpus where every document has labels."""

    def __init__(self, problem: SamplingProblem, *, n_jobs: int = 1, n_blocks: int | None = None) -> None:
        grid = make_grid(
            problem.tokens, problem.offsets, problem.n_words, n_blocks or default_n_blocks(len(problem.tokens))
        )
        super().__init__(problem, grid, n_jobs)
        assert problem.knowledge.allowed_topics is not None
        start, topics = _document_labels(problem.knowledge.allowed_topics, problem.offsets)
        self._topics, labels = _used_topics(topics)
        self._sizes = np.zeros(len(self._topics), np.int64)
        self._widths = np.diff(start)
        self._first_slot, slots = self._make_slots(start, labels)
        self._corpus = LabeledState(
            start.astype(np.uint64),
            labels,
            np.zeros(len(labels), np.int64),
            np.append(slots, np.zeros(int(self._widths.max(initial=0)), np.uint32)),  # room for prefetching
            np.zeros(len(self._label_of_slot), np.int32),
            np.empty(self.n_tokens, np.uint32),
        )
        self._cached_alpha = (problem.alpha, problem.alpha[topics])
        self._doc_of_token = np.repeat(np.arange(len(self.doc_lengths)), self.doc_lengths)[grid.order]
        self._count(problem.assignments)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        sizes = np.zeros(self.n_topics, np.int64) if self._earlier is None else _row_sums(self._earlier.words)
        sizes[self._topics] = self._sizes
        return sizes

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """Topic of each token, in corpus order."""
        corpus = self._corpus
        none = corpus.choices >= self._widths[self._doc_of_token]
        label = corpus.start.astype(np.int64)[self._doc_of_token] + np.where(none, 0, corpus.choices)
        result = np.empty(self.n_tokens, np.uint32)
        result[self._grid.order] = np.where(none, np.uint32(self.n_topics), self._topics[corpus.labels[label]])
        return result

    def doc_topics(self) -> Any:
        """Document–topic counts, as CSR of shape (n_docs, n_topics)."""
        from scipy.sparse import csr_array

        corpus = self._corpus
        shape = (len(self.doc_lengths), self.n_topics)
        topics = self._topics[corpus.labels].astype(np.int64)
        matrix = csr_array((corpus.in_doc.copy(), topics, corpus.start.astype(np.int64)), shape)
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix

    def topic_words(self) -> Any:
        """Topic–word counts, as CSR of shape (n_topics, n_words)."""
        from scipy.sparse import coo_array

        counts = self._corpus.counts - self._earlier_of_slots()
        used = counts > 0
        where = (self._topics[self._label_of_slot[used]].astype(np.int64), self._word_of_slot[used].astype(np.int64))
        own = coo_array((counts[used], where), shape=(self.n_topics, self.n_words)).tocsr()
        return own if self._earlier is None else own + self._earlier.words

    def _sample(self, cell: Cell, random: NDArray[np.uint64], sizes: NDArray[np.int64]) -> CellResult:
        if sizes is self._sizes:  # sizes that a row of cells passes on are its own copy
            sizes = sizes.copy()
        block = cell.number % len(self._grid.cells)
        moved = sweep_labeled(
            self._grid.tokens,
            cell.starts,
            self._first_slot[block, cell.first : cell.last].view(np.uint64),
            self._corpus,
            sizes,
            self._alpha_of_labels(),
            self.beta,
            self.beta_sum,
            np.empty(int(self._widths.max(initial=1))),
            random,
            np.uint64(cell.first),
            np.uint64(cell.last),
        )
        return CellResult(sizes, moved)

    def _alpha_of_labels(self) -> NDArray[np.float64]:
        if self._cached_alpha[0] is not self.alpha:
            self._cached_alpha = (self.alpha, self.alpha[self._topics[self._corpus.labels]])
        return self._cached_alpha[1]

    def _canonicalize(self) -> None:
        """Nothing: slots have a fixed order."""

    def _make_slots(
        self, start: NDArray[np.int64], labels: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """First slot of the tokens of each document by block of words, and all slots."""
        n_blocks, n_docs = len(self._grid.cells), len(self.doc_lengths)
        first = np.empty((n_blocks, n_docs), np.int64)
        last = np.empty((n_blocks, n_docs), np.int64)
        for row in self._grid.cells:
            for b, cell in enumerate(row):
                starts = cell.starts.astype(np.int64)
                first[b, cell.first : cell.last], last[b, cell.first : cell.last] = starts[:-1], starts[1:]
        width_of_token = self._widths[np.repeat(np.arange(n_docs), self.doc_lengths)][self._grid.order]
        slots_before = np.concatenate([[0], np.cumsum(width_of_token)])
        first_slot = slots_before[first]
        order = np.argsort(labels, kind="stable")
        label_start = np.searchsorted(labels[order], np.arange(len(self._topics) + 1))
        docs = np.repeat(np.arange(n_docs), self._widths)[order]
        places = (np.arange(len(labels)) - np.repeat(start[:-1], self._widths))[order]
        slots, self._label_of_slot, self._word_of_slot = find_slots(
            self._grid.tokens, (first, last, first_slot), start, (label_start, docs, places), self.n_words
        )
        return first_slot, slots

    def _earlier_of_slots(self) -> NDArray[np.int64]:
        """Earlier count of the label and word of each slot."""
        if self._earlier is None:
            return np.zeros(len(self._label_of_slot), np.int64)
        labels = self._topics[self._label_of_slot].astype(np.int64)
        return np.asarray(self._earlier.words[labels, self._word_of_slot.astype(np.int64)], np.int64).ravel()

    def _count(self, assignments: NDArray[np.uint32] | None) -> None:
        """Compute all counts from the assignments; a topic that is not a label of its document counts as none."""
        corpus, docs = self._corpus, self._doc_of_token
        corpus.choices[:] = self._widths[docs]
        if self._earlier is not None:
            corpus.counts[:] = self._earlier_of_slots()
            self._sizes += _row_sums(self._earlier.words)[self._topics]
        if assignments is None:
            return
        wanted = assignments[self._grid.order]
        places = corpus.start.astype(np.int64)[docs]
        for j in range(int(self._widths.max(initial=0))):
            has = np.flatnonzero(self._widths[docs] > j)
            found = has[self._topics[corpus.labels[places[has] + j]] == wanted[has]]
            corpus.choices[found] = j
        known = np.flatnonzero(corpus.choices < self._widths[docs])
        np.add.at(corpus.in_doc, places[known] + corpus.choices[known], 1)
        slots_before = np.concatenate([[0], np.cumsum(self._widths[docs])])[:-1]
        np.add.at(corpus.counts, corpus.slots[slots_before[known] + corpus.choices[known]], 1)
        self._sizes += np.bincount(wanted[known], minlength=self.n_topics)[self._topics]


def _row_sums(matrix: Any) -> NDArray[np.int64]:
    return np.asarray(matrix.sum(axis=1), np.int64)


def _document_labels(limits: Any, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Labels of all documents, one document after the other; a document without words has none."""
    lengths = np.diff(offsets)
    set_of_doc = np.zeros(len(lengths), np.int64)
    set_of_doc[lengths > 0] = limits.sets[offsets[:-1][lengths > 0]]
    set_start = limits.start.astype(np.int64)
    widths = np.diff(set_start)[set_of_doc]
    start = np.concatenate([[0], np.cumsum(widths)])
    labels = limits.topics[np.repeat(set_start[set_of_doc] - start[:-1], widths) + np.arange(start[-1])]
    return start, np.asarray(labels)


def _used_topics(topics: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Topics that occur, most frequent first, and the index of each entry among them: used topics are adjacent."""
    found, where, counts = np.unique(topics, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order))
    return found[order], place[where]

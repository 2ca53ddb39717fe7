"""Engines of a shard: the samplers of one machine, on counts that are those of all shards and its own changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._compile import kernel
from ..counts import count_tokens, empty_rows, topic_bits
from ..knowledge.compiling import Compiled
from ..samplers.labelled_engine import LabelledEngine
from ..samplers.sparse_engine import SparseEngine
from .table import Table, rows_of


class SparsePart(SparseEngine):
    """The sparse sampler on the documents of a shard; ``word_counts`` are those of the whole corpus."""

    def __init__(self, *arguments: Any, word_counts: NDArray[np.int64], knowledge: Compiled, **options: Any) -> None:
        self._largest = int(word_counts.max(initial=0))
        super().__init__(*arguments, knowledge=knowledge, **options)
        self._needed = self._own > 0
        self._needed[knowledge.linked.ravel()] = True  # rows that tokens of other words look at

    def take(self, table: Table) -> None:
        """Start from the counts of all shards."""
        self.words = rows_of(table, self._own, self._needed, self._grid.word_order, self._largest)
        self._sizes = table.sizes.copy()

    def _tidy(self) -> None:
        """Rows of words are given anew for each sweep."""
        self._sort(self.docs)

    def _count(self, tokens: NDArray[np.int32], assignments: NDArray[np.uint32] | None) -> None:
        """The counts of the documents; those of words are given."""
        self._own = np.bincount(tokens, minlength=self.n_words)
        self.words = empty_rows(np.zeros(self.n_words, np.int64), self.n_topics, None, self._largest)
        self.docs = empty_rows(self.doc_lengths, self.n_topics)
        if assignments is None:
            self._assignments = np.full(len(tokens), self.n_topics, np.uint32)
            return
        self._assignments = assignments[self._grid.order]
        doc_of_token = np.repeat(np.arange(len(self.doc_lengths), dtype=np.uint32), self.doc_lengths)
        count_tokens(self.docs, doc_of_token, assignments, np.uint64(self.n_topics))
        self._tidy()


class LabelledPart(LabelledEngine):
    """The sampler of fully labelled documents, likewise."""

    def __init__(self, *arguments: Any, word_counts: NDArray[np.int64], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._by_word = np.argsort(self._word_of_slot, kind="stable")

    def take(self, table: Table) -> None:
        """Start from the counts of all shards."""
        order = self._by_word
        topics = self._topics[self._label_of_slot[order]]
        start = np.searchsorted(self._word_of_slot[order], np.arange(self.n_words + 1))
        counts = np.zeros(len(order), np.int32)
        shift = np.uint64(topic_bits(self.n_topics))
        _look_up(table.start, table.entries, start, topics, counts, self.n_topics, shift)
        self._corpus.counts[order] = counts
        self._sizes = table.sizes[self._topics]


Part = SparsePart | LabelledPart


def new_part(*arguments: Any, knowledge: Compiled, labelled: bool, **options: Any) -> Part:
    """The engine that suits the run, which is the same for all shards."""
    kind = LabelledPart if labelled else SparsePart
    return kind(*arguments, knowledge=knowledge, **options)


@kernel
def _look_up(start: Any, entries: Any, slot_start: Any, topics: Any, counts: Any, n_topics: Any, shift: Any) -> None:
    """The counts of some topics of each word."""
    mask = (np.uint64(1) << shift) - np.uint64(1)
    of_word = np.zeros(n_topics, np.int64)
    for w in range(start.shape[0] - 1):
        if slot_start[w] == slot_start[w + 1]:
            continue
        for j in range(start[w], start[w + 1]):
            of_word[np.uint64(entries[j]) & mask] = np.uint64(entries[j]) >> shift
        for slot in range(slot_start[w], slot_start[w + 1]):
            counts[slot] = of_word[topics[slot]]
        for j in range(start[w], start[w + 1]):
            of_word[np.uint64(entries[j]) & mask] = 0

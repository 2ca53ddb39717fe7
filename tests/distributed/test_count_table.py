"""Count changes: sums of deltas equal the counts, in every encoding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from topicwright import ClusterError
from topicwright._utils.count_rows import rows_from_csr, rows_to_csr
from topicwright.distributed.count_table import (
    CountDelta,
    WordCountTable,
    apply_deltas,
    count_delta,
    pack_delta,
    shard_rows,
    tables_to_csr,
)
from topicwright.distributed.count_table import empty_table as empty_table_of


def empty_table(n_words: int, n_topics: int, largest: int) -> WordCountTable:
    return empty_table_of(np.arange(n_words), n_topics, largest)


def table_to_csr(table: WordCountTable) -> csr_array:
    return tables_to_csr([table], len(table.words)).T.tocsr()


def counts_of(tokens: np.ndarray, topics: np.ndarray, n_words: int, n_topics: int) -> np.ndarray:
    counts = np.zeros((n_words, n_topics + 1), np.int64)
    np.add.at(counts, (tokens, topics), 1)
    return counts[:, :n_topics]


@given(
    seed=st.integers(0, 10_000),
    n_tokens=st.integers(0, 200),
    n_words=st.integers(1, 20),
    n_topics=st.integers(1, 300),
    n_shards=st.integers(1, 4),
)
@settings(max_examples=60, deadline=None)
def test_a_table_with_all_changes_holds_the_counts(
    seed: int, n_tokens: int, n_words: int, n_topics: int, n_shards: int
) -> None:
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, n_words, n_tokens).astype(np.int32)
    states = rng.integers(0, n_topics, (3, n_tokens)).astype(np.uint32)
    states[0] = n_topics  # no topic yet
    table = empty_table(n_words, n_topics, n_tokens)
    shards = np.array_split(np.arange(n_tokens), n_shards)
    for before, after in pairwise(states):
        deltas = [count_delta(tokens[own], before[own], after[own], n_words, n_topics) for own in shards]
        table = apply_deltas(table, deltas)
        expected = counts_of(tokens, after, n_words, n_topics)
        np.testing.assert_array_equal(table_to_csr(table).toarray(), expected)
        np.testing.assert_array_equal(table.sizes, expected.sum(axis=0))


def test_rows_are_in_canonical_order() -> None:
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 5, 400).astype(np.int32)
    before, after = (rng.integers(0, 30, 400).astype(np.uint32) for _ in range(2))
    table = empty_table(5, 30, 400)
    nothing = np.full(400, 30, np.uint32)
    for old, new in ((nothing, before), (before, after)):
        table = apply_deltas(table, [count_delta(tokens, old, new, 5, 30)])
    rows = rows_from_csr(csr_array(counts_of(tokens, after, 5, 30)))
    starts = rows.start.astype(int)
    in_order = np.concatenate([rows.entries[s + 1 : s + 1 + int(rows.entries[s])] for s in starts])
    np.testing.assert_array_equal(table.entries, in_order)


def test_shard_receives_the_rows_it_needs() -> None:
    tokens, topics = np.array([0, 0, 1, 2, 2], np.int32), np.array([3, 3, 1, 0, 2], np.uint32)
    table = apply_deltas(empty_table(3, 4, 5), [count_delta(tokens, np.full(5, 4, np.uint32), topics, 3, 4)])
    needed = np.array([True, False, True])
    rows = shard_rows(table, np.array([1, 0, 2]), needed, np.array([2, 0, 1]), 5)
    expected = counts_of(tokens, topics, 3, 4) * needed[:, None]
    np.testing.assert_array_equal(rows_to_csr(rows, 4).toarray(), expected)


def test_tables_of_some_words_are_the_counts_together() -> None:
    tables = []
    for words in ([0, 3], [1, 2]):
        empty = empty_table_of(np.array(words), 3, 9)
        rows = np.array([0, 0, 1], np.int32)
        topics = np.array([words[0] % 3, 1, 2], np.uint32)
        tables.append(apply_deltas(empty, [count_delta(rows, np.full(3, 3, np.uint32), topics, 2, 3)]))
    assert tables_to_csr(tables, 4).toarray().T.tolist() == [[1, 1, 0], [0, 2, 0], [0, 0, 1], [0, 0, 1]]
    needed = np.ones(4, bool)
    rows = shard_rows(tables[1], np.array([0, 2, 1, 0]), needed, np.arange(4), 9)
    assert rows_to_csr(rows, 3).toarray().tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("most", "kind"), [(127, np.int8), (128, np.int16), (2**15, np.int32), (2**31 - 1, np.int32), (2**31, np.int64)]
)
def test_changes_use_the_smallest_type(most: int, kind: type) -> None:
    for sign in (1, -1):
        delta = pack_delta(np.array([1, 0], np.uint32), np.array([900], np.uint32), np.array([sign * most]), 1000)
        assert delta.changes.dtype == kind
        assert delta.changes.tolist() == [sign * most]
        assert delta.topics.dtype == np.uint16


def test_changes_above_two_thirds_density_are_dense() -> None:
    """With 16 bits for a topic and 32 for a change."""
    n_topics, n_words = 1000, 10
    for share, is_dense in ((0.6, False), (0.7, True)):
        n = int(share * n_topics)
        topics = np.tile(np.arange(n, dtype=np.uint32), n_words)
        changes = np.full(len(topics), 40_000)
        delta = pack_delta(np.full(n_words, n, np.uint32), topics, changes, n_topics)
        assert delta.is_dense == is_dense
        table = apply_deltas(empty_table(n_words, n_topics, 2**30), [delta])
        assert table_to_csr(table).toarray().sum(axis=1).tolist() == [n * 40_000] * n_words


def test_dense_and_sparse_changes_add_up() -> None:
    sparse = CountDelta(np.array([1, 0], np.uint8), np.array([2], np.uint8), np.array([5], np.int8))
    dense = CountDelta(np.zeros(0, np.uint8), np.zeros(0, np.uint8), np.array([[1, 0, 2], [0, 3, 0]], np.int8))
    table = apply_deltas(empty_table(2, 3, 10), [dense, sparse, dense])
    assert table_to_csr(table).toarray().tolist() == [[2, 0, 9], [0, 6, 0]]


def test_rejects_negative_counts() -> None:
    delta = CountDelta(np.array([1], np.uint8), np.array([0], np.uint8), np.array([-1], np.int8))
    with pytest.raises(ClusterError, match="below zero"):
        apply_deltas(empty_table(1, 1, 1), [delta])

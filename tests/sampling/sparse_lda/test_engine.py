"""Invariants after every sweep, for any corpus, grid and number of threads."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicwright._sampling.engine import SamplingProblem
from topicwright._sampling.grid import default_n_blocks, make_grid
from topicwright._sampling.sparse_lda.engine import SparseEngine
from topicwright._utils.count_rows import (
    CountRows,
    count_tokens,
    empty_rows,
    floored_count,
    move_in_row,
    row_bounds,
    rows_from_csr,
    rows_to_csr,
)
from topicwright.knowledge import CompiledKnowledge, TopicNumbers


def random_corpus(seed: int, n_docs: int, n_words: int, longest: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, n_docs)
    tokens = rng.integers(0, n_words, lengths.sum()).astype(np.int32)
    return tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def engine_of(tokens: np.ndarray, offsets: np.ndarray, n_words: int, n_topics: int, **options: object) -> SparseEngine:
    how = {name: options.pop(name) for name in ("n_jobs", "n_blocks") if name in options}
    start = {
        "alpha": np.full(n_topics, 0.2),
        "beta": 0.05,
        "seed": 3,
        "knowledge": CompiledKnowledge(TopicNumbers(n_topics)),
    }
    return SparseEngine(SamplingProblem(tokens, offsets, n_words, n_topics, **{**start, **options}), **how)  # type: ignore[arg-type]


def assert_counts_are_those_of_the_assignments(engine: SparseEngine, tokens: np.ndarray, offsets: np.ndarray) -> None:
    z = engine.assignments.astype(np.int64)
    doc_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    words = np.zeros((engine.n_words, engine.n_topics), np.int64)
    docs = np.zeros((len(offsets) - 1, engine.n_topics), np.int64)
    np.add.at(words, (tokens, z), 1)
    np.add.at(docs, (doc_of, z), 1)
    np.testing.assert_array_equal(rows_to_csr(engine.words, engine.n_topics).toarray(), words)
    np.testing.assert_array_equal(rows_to_csr(engine.docs, engine.n_topics).toarray(), docs)
    np.testing.assert_array_equal(engine.sizes, words.sum(axis=0))
    for rows in (engine.words, engine.docs):
        assert_canonical(rows)


def assert_canonical(rows: CountRows) -> None:
    for start in rows.start.astype(int):
        row = rows.entries[start + 1 : start + 1 + int(rows.entries[start])].astype(np.int64)
        assert (np.diff(row) < 0).all()
        assert (row >> int(rows.shift) > 0).all()


@given(
    seed=st.integers(0, 10_000),
    n_docs=st.integers(1, 30),
    n_words=st.integers(1, 40),
    n_topics=st.integers(1, 20),
    n_blocks=st.integers(1, 6),
    n_jobs=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_counts_follow_the_assignments(
    seed: int, n_docs: int, n_words: int, n_topics: int, n_blocks: int, n_jobs: int
) -> None:
    tokens, offsets = random_corpus(seed, n_docs, n_words, 20)
    engine = engine_of(tokens, offsets, n_words, n_topics, n_blocks=n_blocks, n_jobs=n_jobs)
    for _ in range(3):
        engine.sweep()
        assert_counts_are_those_of_the_assignments(engine, tokens, offsets)
    engine.close()


@pytest.mark.parametrize("n_blocks", [1, 4])
def test_result_does_not_depend_on_threads(n_blocks: int) -> None:
    tokens, offsets = random_corpus(1, 200, 300, 60)
    results = []
    for n_jobs in (1, 2, 5):
        engine = engine_of(tokens, offsets, 300, 25, n_blocks=n_blocks, n_jobs=n_jobs)
        for _ in range(8):
            engine.sweep()
        engine.close()
        results.append(engine.assignments.tobytes())
    assert results[0] == results[1] == results[2]


def test_different_seeds_give_different_results() -> None:
    tokens, offsets = random_corpus(1, 50, 30, 20)
    answers = []
    for seed in (1, 2):
        engine = engine_of(tokens, offsets, 30, 5, seed=seed)
        engine.sweep()
        answers.append(engine.assignments.tobytes())
    assert answers[0] != answers[1]


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_resumed_run_equals_uninterrupted_run(n_blocks: int) -> None:
    tokens, offsets = random_corpus(2, 80, 60, 40)
    whole = engine_of(tokens, offsets, 60, 12, n_blocks=n_blocks)
    for _ in range(10):
        whole.sweep()
    first = engine_of(tokens, offsets, 60, 12, n_blocks=n_blocks)
    for _ in range(6):
        first.sweep()
    second = engine_of(
        tokens,
        offsets,
        60,
        12,
        n_blocks=n_blocks,
        assignments=first.assignments,
        sweep_number=first.sweep_number,
    )
    for _ in range(4):
        second.sweep()
    assert second.assignments.tobytes() == whole.assignments.tobytes()


def test_large_counts_use_64_bits() -> None:
    """70,000 topics need 17 bits: 15 are left for a count, and this word has 40,000 tokens."""
    tokens, offsets = np.zeros(40_000, np.int32), np.array([0, 20_000, 40_000])
    engine = engine_of(tokens, offsets, 1, 70_000)
    assert engine.words.entries.dtype == np.uint64
    for _ in range(2):
        engine.sweep()
    z = engine.assignments
    found, counts = np.unique(z, return_counts=True)
    row = rows_to_csr(engine.words, 70_000)
    np.testing.assert_array_equal(row.indices, found)
    np.testing.assert_array_equal(row.data, counts)


def test_row_capacity_is_at_most_one_entry_per_token() -> None:
    rows = empty_rows(np.array([5, 0, 1000]), 100_000)
    assert len(rows.entries) == 8 + 0 + 1000 + 3  # by fours, and the lengths
    assert len(empty_rows(np.array([5, 0, 1000]), 10).entries) == 8 + 0 + 12 + 3


@given(seed=st.integers(0, 1000), n_words=st.integers(1, 20), n_topics=st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_rows_and_matrices_are_equal(seed: int, n_words: int, n_topics: int) -> None:
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 4, (n_words, n_topics)) * rng.integers(0, 2, (n_words, n_topics))
    rows = rows_from_csr(csr_array(matrix))
    assert_canonical(rows)
    np.testing.assert_array_equal(rows_to_csr(rows, n_topics).toarray(), matrix)


@pytest.mark.parametrize("largest", [30, 2**40])
def test_floored_count(largest: int) -> None:
    """Rows of every length, in which a token has left its topic, so that its entry beyond the end is still there."""
    counts = np.tril(np.arange(1, 14)[None, ::-1] * np.ones((14, 1), int))[:, :13]
    rows = empty_rows(np.maximum(counts.sum(axis=1), 1) + 1, 13, largest=largest)
    owners, topics = counts.nonzero()
    repeats = counts[owners, topics]
    count_tokens(rows, np.repeat(owners, repeats), np.repeat(topics, repeats).astype(np.uint32), np.uint64(13))
    leave_last_topic(rows, counts)
    for floor in (0.5, 1.0, 2.5, 6.0, 20.0):
        assert np.array_equal(floored_counts(rows, *counts.shape, floor), np.maximum(counts, floor))


@numba.njit
def floored_counts(rows: Any, n_words: int, n_topics: int, floor: float) -> Any:
    result = np.empty((n_words, n_topics))
    for w in range(n_words):
        for k in range(n_topics):
            result[w, k] = floored_count(rows, w, np.uint64(k), floor)
    return result


@numba.njit
def move(rows: Any, w: int, old: Any, new: Any, none: Any) -> None:
    _, end = row_bounds(rows, w)
    move_in_row(rows, w, old, new, end, none)


def leave_last_topic(rows: CountRows, counts: np.ndarray) -> None:
    """Move the token of the rarest topic to the most frequent one where it is alone in its topic."""
    for w, row in enumerate(counts):
        if row[-1] == 1:
            move(rows, w, np.uint64(12), np.uint64(0), np.uint64(13))
            row[-1] -= 1
            row[0] += 1


def test_grid_covers_tokens_once_and_diagonals_are_disjoint() -> None:
    tokens, offsets = random_corpus(5, 100, 50, 30)
    grid = make_grid(tokens, offsets, 50, 4)
    np.testing.assert_array_equal(np.sort(grid.order), np.arange(len(tokens)))
    np.testing.assert_array_equal(grid.tokens, tokens[grid.order])
    doc_of = np.repeat(np.arange(100), np.diff(offsets))[grid.order]
    for turn in range(4):
        cells = [row[(p + turn) % 4] for p, row in enumerate(grid.cells)]
        ranges = [(int(cell.starts[0]), int(cell.starts[-1])) for cell in cells]
        for get in (lambda a, b: set(doc_of[a:b]), lambda a, b: set(grid.tokens[a:b])):
            groups = [get(a, b) for a, b in ranges]
            assert sum(map(len, groups)) == len(set().union(*groups))
        for cell, (a, b) in zip(cells, ranges):
            starts = cell.starts.astype(int)
            assert all(
                set(doc_of[starts[j] : starts[j + 1]]) <= {cell.first + j} for j in range(cell.last - cell.first)
            )
            assert a == starts[0]
            assert b == starts[-1]


def test_small_corpora_use_one_cell() -> None:
    assert default_n_blocks(100_000) == 1
    assert default_n_blocks(2_000_000) > 1

"""The grid of documents × words, whose cells threads sample without sharing counts.

Documents and words are each split into P blocks (Yan, Xu & Qi 2009). Cells in different rows and columns have neither a
document nor a word in common, so that results do not depend on the number of threads. P depends on the corpus only. A
small corpus is one cell, and then the sampler is exact.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit
from ..knowledge.compiler import components

TOKENS_PER_BLOCK = 400_000
MOST_BLOCKS = 16


class Cell(NamedTuple):
    """Tokens of one block of documents and one block of words."""

    number: int
    first: int  # first document
    last: int  # end of the documents
    starts: NDArray[np.uint64]  # first token of each of these documents in the cell


class Grid(NamedTuple):
    """Tokens of a corpus in the order of the cells."""

    tokens: NDArray[np.uint32]
    order: NDArray[np.int64]  # position in the corpus of each token
    word_order: NDArray[np.int64]  # words by block, most frequent first
    cells: list[list[Cell]]  # by block of documents, then by block of words


def default_n_blocks(n_tokens: int) -> int:
    """Number of blocks of documents and of words; one for a small corpus."""
    return int(np.clip(n_tokens // TOKENS_PER_BLOCK, 1, MOST_BLOCKS))


def make_grid(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    n_blocks: int,
    linked: NDArray[np.int64] | None = None,
) -> Grid:
    """Arrange a corpus in cells; connected words of the pairs ``linked`` share a block."""
    doc_edges = even_ranges(offsets, n_blocks)
    n_blocks = len(doc_edges) - 1
    counts = np.bincount(tokens, minlength=n_words)
    block_of_word = assign_word_blocks(counts, n_blocks, linked)
    order, starts = order_by_cell(tokens.view(np.uint32), offsets, block_of_word, doc_edges)
    cells = []
    for p in range(n_blocks):
        first, last = int(doc_edges[p]), int(doc_edges[p + 1])
        width = last - first + 1
        base = n_blocks * (first + p)  # P runs of (documents + 1) starts for each block before
        cells.append(
            [
                Cell(p * n_blocks + b, first, last, starts[base + b * width : base + (b + 1) * width])
                for b in range(n_blocks)
            ]
        )
    return Grid(tokens.view(np.uint32)[order], order, np.lexsort((-counts, block_of_word)), cells)


def assign_word_blocks(
    counts: NDArray[np.int64], n_blocks: int, linked: NDArray[np.int64] | None = None
) -> NDArray[np.uint8]:
    """Block of each word, so that blocks have about equally many tokens; linked words share a block."""
    block_of_word = _even_blocks(counts, n_blocks)
    if linked is not None and len(linked) and n_blocks > 1:
        _merge_linked(block_of_word, counts, n_blocks, linked)
    return block_of_word


def even_ranges(offsets: NDArray[np.int64], n_parts: int) -> NDArray[np.int64]:
    """Edges of consecutive ranges of documents with about equally many tokens."""
    wanted = np.linspace(0, offsets[-1], n_parts + 1)[1:-1]
    edges = np.concatenate([[0], np.searchsorted(offsets, wanted), [len(offsets) - 1]])
    return np.unique(edges) if len(offsets) > 1 else np.array([0, 0])


def _even_blocks(counts: NDArray[np.int64], n_blocks: int) -> NDArray[np.uint8]:
    """Block of each word, dealt out in zigzag order from the most frequent word to the rarest."""
    turn = np.arange(len(counts)) % (2 * n_blocks)
    block = np.empty(len(counts), np.uint8)
    block[np.argsort(-counts, kind="stable")] = np.minimum(turn, 2 * n_blocks - 1 - turn)
    return block


def _merge_linked(
    block: NDArray[np.uint8], counts: NDArray[np.int64], n_blocks: int, linked: NDArray[np.int64]
) -> None:
    """Put each connected group of words into one block: largest group first, each into the block with fewest tokens."""
    group = components(linked, len(counts))
    members = np.flatnonzero(np.bincount(group)[group] > 1)
    load = np.bincount(block, weights=counts, minlength=n_blocks)
    load -= np.bincount(block[members], weights=counts[members], minlength=n_blocks)
    names, own = np.unique(group[members], return_inverse=True)
    sizes = np.bincount(own, weights=counts[members])
    block_of_group = np.empty(len(names), np.uint8)
    for n in np.argsort(-sizes, kind="stable"):
        block_of_group[n] = load.argmin()
        load[block_of_group[n]] += sizes[n]
    block[members] = block_of_group[own]


@jit
def order_by_cell(tokens: Any, offsets: Any, block_of_word: Any, doc_edges: Any) -> Any:
    """Order of tokens by block of documents, block of words and document, and starts of documents in each cell."""
    n_blocks = doc_edges.shape[0] - 1
    order = np.empty(tokens.shape[0], np.int64)
    starts = np.empty(n_blocks * (offsets.shape[0] - 1 + n_blocks), np.uint64)
    n = 0
    s = 0
    for p in range(n_blocks):
        for b in range(n_blocks):
            for d in range(doc_edges[p], doc_edges[p + 1]):
                starts[s] = n
                s += 1
                for i in range(offsets[d], offsets[d + 1]):
                    if block_of_word[tokens[i]] == b:
                        order[n] = i
                        n += 1
            starts[s] = n
            s += 1
    return order, starts


class ThreadTask(NamedTuple):
    """A call, and the numbers of earlier tasks that must be done before it."""

    call: Callable[[], Any]
    needs: tuple[int, ...] = ()


def new_pool(n_threads: int) -> ThreadPoolExecutor | None:
    """Pool of threads; None for one thread, that of the caller."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright") if n_threads > 1 else None


def run(tasks: Sequence[ThreadTask], pool: ThreadPoolExecutor | None, n_threads: int) -> list[Any]:
    """Results of all tasks. Threads take tasks in order, so those that a task waits for have been started."""
    if pool is None or len(tasks) == 1:
        return [task.call() for task in tasks]
    results: list[Any] = [None] * len(tasks)
    done = [threading.Event() for _ in tasks]
    failed = threading.Event()
    numbers = itertools.count()

    def work() -> None:
        while (number := next(numbers)) < len(tasks):
            for needed in tasks[number].needs:
                done[needed].wait()
            try:
                if not failed.is_set():
                    results[number] = tasks[number].call()
            except BaseException:
                failed.set()
                raise
            finally:
                done[number].set()

    for future in [pool.submit(work) for _ in range(min(n_threads, len(tasks)))]:
        future.result()
    return results


# ---------------------------------------------------------------------- sampling


class CellResult(NamedTuple):
    """Result of sampling a cell: the topic sizes as the cell sees them, and the number of moved tokens."""

    sizes: NDArray[np.int64]
    n_moved: int


SampleCell = Callable[[Cell, NDArray[np.uint64], NDArray[np.int64]], CellResult]


def sample_in_parallel(
    cells: list[list[Cell]],
    sample_cell: SampleCell,
    random: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    pool: ThreadPoolExecutor | None,
    n_threads: int,
) -> list[CellResult]:
    """Sample all cells: every block of documents passes through the blocks of words, each starting at another.

    A cell waits for its predecessor in the row, whose topic sizes it continues, and for the row that had its block of
    words before. Rows see each other's changes of topic sizes after the sweep. The last results are those with which
    the rows end.
    """
    n_blocks = len(cells)
    results: dict[int, CellResult] = {}

    def sample(cell: Cell, before: Cell | None) -> CellResult:
        seen = sizes if before is None else results[before.number].sizes
        results[cell.number] = sample_cell(cell, random[cell.number], seen)
        return results[cell.number]

    tasks = []
    for turn in range(n_blocks):
        for p, row in enumerate(cells):
            cell, before = row[(p + turn) % n_blocks], row[(p + turn - 1) % n_blocks] if turn else None
            own = (turn - 1) * n_blocks + p
            needs = (own, (turn - 1) * n_blocks + (p + 1) % n_blocks) if turn else ()
            tasks.append(ThreadTask(partial(sample, cell, before), needs))
    return run(tasks, pool, n_threads)


def merge_sizes(sizes: NDArray[np.int64], results: list[CellResult]) -> NDArray[np.int64]:
    """Topic sizes after a parallel sweep: each row of cells has added its own changes."""
    n_blocks = int(np.sqrt(len(results)))
    merged: NDArray[np.int64] = sizes + sum(result.sizes - sizes for result in results[-n_blocks:])
    return merged

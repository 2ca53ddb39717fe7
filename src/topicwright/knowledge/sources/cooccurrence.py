"""A corpus's own word vectors: what occurs together, as positive PMI, in a few dimensions; nothing to download.

Words are rows and the most frequent words are columns ("contexts"), so that memory grows with the vocabulary
and not with its square; the table of counts is made in blocks, and only what is above chance is kept, sparse.

- Whole documents: a word weighs the square root of its count in a document, so that one long document that
  repeats two words does not outweigh many that mention them.
- A window: two words that are d places apart weigh (window + 1 - d) / window.

The counts of contexts are raised to the power 0.75 before they are made probabilities, which keeps rare ones from
seeming remarkable, and the singular vectors are multiplied by the square roots of the singular values (Levy,
Goldberg and Dagan 2015, sections 3.2 and 3.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...corpus import Corpus
from ...errors import InputError
from .checks import checked_count, checked_words
from .vectors import Vectors

MAX_CONTEXTS = 5_000
DEFAULT_WINDOW = 10
_SMOOTHING = 0.75
_POWER = 0.5
_ITERATIONS = 4
_NOISE = 1e-5
_BLOCK_CELLS = 1 << 22  # counts that are in memory at one time, if all were above 0
_BLOCK_TOKENS = 1 << 21

Window = int | None | Literal["auto"]
Ids = NDArray[np.int64]


def vectors_from_corpus(
    corpus: Corpus,
    *,
    n_dimensions: int = 100,
    window: Window = "auto",
    min_count: int = 5,
    vocabulary: Iterable[str] | None = None,
    random_state: int = 0,
) -> Vectors:
    """Word vectors from what occurs together in a corpus: positive PMI, then a truncated SVD.

    The contexts of a word are the 5,000 most frequent words.

    Parameters
    ----------
    corpus : Corpus
        The texts; some hundred documents are needed before the vectors mean much.
    n_dimensions : int
        Numbers in a vector; fewer where the corpus has fewer words.
    window : int, None or "auto"
        Words count as together that are at most so many places apart; None: that are in the same document.
        "auto" is 10, or None where the order of words is lost: where each document has all occurrences of a word
        side by side, as the rows of a count matrix do.
    min_count : int
        Leave out words that occur less often.
    vocabulary : list of str, optional
        Make vectors of these words only; all words are still contexts.
    random_state : int
        The SVD is randomised; the same number gives the same vectors.

    Examples
    --------
    >>> import topicwright as tw
    >>> from topicwright import vectors_from_corpus
    >>> texts = ["red apple pie", "red cherry pie", "green apple tart", "green cherry tart", "fast car", "fast train"]
    >>> vectors = vectors_from_corpus(tw.Corpus.from_texts(texts), n_dimensions=3, min_count=1)
    >>> vectors.most_similar("apple", 1)[0][0], round(abs(vectors.similarity("apple", "car")), 3)
    ('cherry', 0.0)
    """
    if not isinstance(corpus, Corpus):
        raise InputError(f"corpus must be a Corpus: got {type(corpus).__name__}")
    n_dimensions, random_state = (
        checked_count("n_dimensions", n_dimensions),
        checked_count("random_state", random_state, 0),
    )
    span = _checked_window(corpus, window)
    counts = corpus.word_counts()
    frequent = np.flatnonzero(counts >= checked_count("min_count", min_count))
    contexts = np.sort(frequent[np.argsort(-counts[frequent], kind="stable")[:MAX_CONTEXTS]])
    rows = frequent if vocabulary is None else _only(corpus, frequent, checked_words(vocabulary))
    pairs = _count_documents(corpus, rows, contexts) if span is None else _count_window(corpus, rows, contexts, span)
    table = _positive_pmi(pairs)
    return Vectors(tuple(corpus.vocabulary[rows]), _reduced(table, n_dimensions, random_state))


def _only(corpus: Corpus, ids: Ids, words: list[str]) -> Ids:
    wanted = set(words)
    return np.array([i for i in ids.tolist() if corpus.vocabulary[i] in wanted], dtype=np.int64)


# ---------------------------------------------------------------------- counts


def _checked_window(corpus: Corpus, window: Any) -> int | None:
    if window == "auto" and isinstance(window, str):
        return None if _order_is_lost(corpus) else DEFAULT_WINDOW
    return None if window is None else checked_count("window", window)


def _order_is_lost(corpus: Corpus) -> bool:
    """Whether each document has all occurrences of a word side by side; texts repeat words at a distance."""
    tokens, starts = corpus.tokens, corpus.offsets[:-1][corpus.doc_lengths() > 0]
    begins_run = np.ones(len(tokens), dtype=bool)
    begins_run[1:] = tokens[1:] != tokens[:-1]
    begins_run[starts] = True
    return bool(np.count_nonzero(begins_run) == corpus.to_matrix().nnz)


class _Counts(NamedTuple):
    """How often rows and contexts occur together: totals, and the table itself in blocks of rows."""

    of_rows: NDArray[np.float64]
    of_contexts: NDArray[np.float64]
    blocks: Iterator[Any]


def _count_documents(corpus: Corpus, rows: Ids, contexts: Ids) -> _Counts:
    """Together in a document. The totals are known before the table is, so that it can be made in blocks."""
    weights = corpus.to_matrix().astype(np.float32).tocsc()
    np.sqrt(weights.data, out=weights.data)
    left, right = weights[:, rows], weights[:, contexts]
    of_rows = left.T @ right.sum(axis=1, dtype=np.float64)
    of_contexts = right.T @ left.sum(axis=1, dtype=np.float64)
    size = max(_BLOCK_CELLS // max(len(contexts), 1), 1)
    blocks = (left[:, start : start + size].T @ right for start in range(0, len(rows), size))
    return _Counts(of_rows, of_contexts, blocks)


def _count_window(corpus: Corpus, rows: Ids, contexts: Ids, window: int) -> _Counts:
    """Together within a window."""
    from scipy.sparse import coo_array, csr_array

    row_of, context_of = _numbers_of(rows, corpus), _numbers_of(contexts, corpus)
    table = csr_array((len(rows), len(contexts)), dtype=np.float32)
    for distance in range(1, min(window, int(corpus.doc_lengths().max(initial=0)) - 1) + 1):
        for one, other in _places_apart(corpus, distance):
            i = np.concatenate([row_of[one], row_of[other]])
            j = np.concatenate([context_of[other], context_of[one]])
            keep = (i >= 0) & (j >= 0)
            weights = np.full(np.count_nonzero(keep), (window + 1 - distance) / window, dtype=np.float32)
            table = table + coo_array((weights, (i[keep], j[keep])), shape=table.shape).tocsr()
    return _Counts(table.sum(axis=1, dtype=np.float64), table.sum(axis=0, dtype=np.float64), iter([table]))


def _places_apart(corpus: Corpus, distance: int) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """The words of one document that are so many places apart, a block of tokens at a time."""
    document = np.repeat(np.arange(corpus.n_docs, dtype=np.int32), corpus.doc_lengths())
    for start in range(0, corpus.n_tokens - distance, _BLOCK_TOKENS):
        end = min(start + _BLOCK_TOKENS, corpus.n_tokens - distance)
        same = document[start:end] == document[start + distance : end + distance]
        yield corpus.tokens[start:end][same], corpus.tokens[start + distance : end + distance][same]


def _numbers_of(words: Ids, corpus: Corpus) -> NDArray[np.int32]:
    """The place of each word among some words; -1 for the others."""
    numbers = np.full(corpus.n_words, -1, dtype=np.int32)
    numbers[words] = np.arange(len(words))
    return numbers


# ---------------------------------------------------------------------- from counts to vectors


def _positive_pmi(counts: _Counts) -> Any:
    """log P(word, context) / (P(word) P'(context)) where it is above 0, P' being smoothed; a sparse table."""
    from scipy.sparse import csr_array, vstack

    smoothed = counts.of_contexts**_SMOOTHING
    smoothed /= max(smoothed.sum(), np.finfo(float).tiny)
    parts, start = [csr_array((0, len(smoothed)), dtype=np.float32)], 0
    for block in counts.blocks:
        table = block.tocoo()
        pmi = np.log(table.data / (counts.of_rows[start + table.row] * smoothed[table.col])).astype(np.float32)
        above = pmi > 0
        parts.append(csr_array((pmi[above], (table.row[above], table.col[above])), shape=table.shape))
        start += table.shape[0]
    return vstack(parts, format="csr")


def _reduced(table: Any, n_dimensions: int, seed: int) -> NDArray[np.float32]:
    """The left singular vectors that belong to the largest singular values, each times its value to a power."""
    from sklearn.utils.extmath import randomized_svd

    n = min(n_dimensions, *table.shape)
    if n == 0 or table.nnz == 0:
        return np.zeros((table.shape[0], n), dtype=np.float32)
    if n < min(table.shape) // 2:
        left, values, _ = randomized_svd(table, n, n_iter=_ITERATIONS, random_state=seed)
    else:
        left, values, _ = np.linalg.svd(table.toarray(), full_matrices=False)
    real = values[:n] > values[0] * _NOISE  # directions below are rounding errors
    return np.asarray(left[:, :n][:, real] * values[:n][real] ** _POWER, dtype=np.float32)

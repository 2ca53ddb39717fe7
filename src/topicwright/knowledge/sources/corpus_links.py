"""Word vectors and links from the corpus itself: positive PMI and a truncated SVD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.validation import check_in_range, check_integer, check_positive
from ...corpus import Corpus
from ...errors import InputError
from .similarity import Link, check_maximum, similar_pairs
from .vectors import Vectors, check_vocabulary

MAX_CONTEXTS = 5_000
DEFAULT_WINDOW = 10
_SMOOTHING = 0.75  # exponent of context frequencies (Levy et al. 2015)
_POWER = 0.5  # exponent of singular values
_ITERATIONS = 4  # of the randomized SVD
_NOISE = 1e-5  # relative size of singular values that are rounding errors
_BLOCK_CELLS = 1 << 22  # counts in memory at a time
_BLOCK_TOKENS = 1 << 21
_MAX_OVERLAP = 0.55  # of the occurrences of two words that are not parts of one name

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
    """Word vectors from co-occurrence in a corpus: positive PMI, reduced by a truncated SVD.

    The contexts of a word are the 5,000 most frequent words.

    Parameters
    ----------
    corpus : Corpus
        Corpus of at least some hundred documents.
    n_dimensions : int
        Number of dimensions; fewer if the corpus has fewer words.
    window : int, None or "auto"
        Maximum distance of words that co-occur; None for words in the same document. "auto" is 10, or None if the
        corpus has no word order, that is, if all occurrences of a word in a document are adjacent, as in a count
        matrix.
    min_count : int
        Minimum frequency of a word.
    vocabulary : list of str, optional
        Words that get a vector; all words are still contexts.
    random_state : int
        Seed of the randomized SVD.

    Examples
    --------
    >>> import topicwright as tw
    >>> from topicwright import vectors_from_corpus
    >>> texts = ["red apple pie", "red cherry pie", "green apple tart", "green cherry tart", "fast car", "fast train"]
    >>> vectors = vectors_from_corpus(tw.Corpus.from_texts(texts), n_dimensions=3, min_count=1)
    >>> vectors.most_similar("apple", 1)[0][0], round(abs(vectors.similarity("apple", "car")), 3)
    ('cherry', 0.0)
    """
    _check_corpus(corpus)
    n_dimensions = check_integer("n_dimensions", n_dimensions, 1)
    random_state = check_integer("random_state", random_state, 0)
    distance = _check_window(corpus, window)
    counts = corpus.word_counts()
    frequent = np.flatnonzero(counts >= check_integer("min_count", min_count, 1))
    contexts = np.sort(frequent[np.argsort(-counts[frequent], kind="stable")[:MAX_CONTEXTS]])
    rows = frequent if vocabulary is None else _restrict(corpus, frequent, check_vocabulary(vocabulary))
    if distance is None:
        cooccurrences = _count_documents(corpus, rows, contexts)
    else:
        cooccurrences = _count_window(corpus, rows, contexts, distance)
    return Vectors(tuple(corpus.vocabulary[rows]), _reduce(_positive_pmi(cooccurrences), n_dimensions, random_state))


def _check_corpus(corpus: Any) -> None:
    if not isinstance(corpus, Corpus):
        raise InputError(parameter="corpus", expected="a Corpus", got=type(corpus))


def _restrict(corpus: Corpus, ids: Ids, words: list[str]) -> Ids:
    wanted = set(words)
    return np.array([i for i in ids.tolist() if corpus.vocabulary[i] in wanted], dtype=np.int64)


# ---------------------------------------------------------------------- counts


def _check_window(corpus: Corpus, window: Any) -> int | None:
    if window == "auto" and isinstance(window, str):
        return None if _is_unordered(corpus) else DEFAULT_WINDOW
    return None if window is None else check_integer("window", window, 1)


def _is_unordered(corpus: Corpus) -> bool:
    """Whether all occurrences of a word in a document are adjacent, as in a corpus from a count matrix."""
    tokens, starts = corpus.tokens, corpus.offsets[:-1][corpus.doc_lengths() > 0]
    begins_run = np.ones(len(tokens), dtype=bool)
    begins_run[1:] = tokens[1:] != tokens[:-1]
    begins_run[starts] = True
    return bool(np.count_nonzero(begins_run) == corpus.to_matrix().nnz)


class _Cooccurrences(NamedTuple):
    """Co-occurrence counts of rows and contexts: totals, and the table in blocks of rows."""

    row_totals: NDArray[np.float64]
    context_totals: NDArray[np.float64]
    blocks: Iterator[Any]


def _count_documents(corpus: Corpus, rows: Ids, contexts: Ids) -> _Cooccurrences:
    """Co-occurrence in documents. The totals do not need the table, which is computed in blocks."""
    weights = corpus.to_matrix().astype(np.float32).tocsc()
    np.sqrt(weights.data, out=weights.data)
    left, right = weights[:, rows], weights[:, contexts]
    row_totals = left.T @ right.sum(axis=1, dtype=np.float64)
    context_totals = right.T @ left.sum(axis=1, dtype=np.float64)
    size = max(_BLOCK_CELLS // max(len(contexts), 1), 1)
    blocks = (left[:, start : start + size].T @ right for start in range(0, len(rows), size))
    return _Cooccurrences(row_totals, context_totals, blocks)


def _count_window(corpus: Corpus, rows: Ids, contexts: Ids, window: int) -> _Cooccurrences:
    """Co-occurrence within a window; the weight decreases linearly with the distance."""
    from scipy.sparse import coo_array, csr_array

    row_of, context_of = _positions(rows, corpus), _positions(contexts, corpus)
    table = csr_array((len(rows), len(contexts)), dtype=np.float32)
    for distance in range(1, min(window, int(corpus.doc_lengths().max(initial=0)) - 1) + 1):
        for one, other in _words_at_distance(corpus, distance):
            i = np.concatenate([row_of[one], row_of[other]])
            j = np.concatenate([context_of[other], context_of[one]])
            keep = (i >= 0) & (j >= 0)
            weights = np.full(np.count_nonzero(keep), (window + 1 - distance) / window, dtype=np.float32)
            table = table + coo_array((weights, (i[keep], j[keep])), shape=table.shape).tocsr()
    return _Cooccurrences(table.sum(axis=1, dtype=np.float64), table.sum(axis=0, dtype=np.float64), iter([table]))


def _words_at_distance(corpus: Corpus, distance: int) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Pairs of words in the same document at a given distance, a block of tokens at a time."""
    document = np.repeat(np.arange(corpus.n_docs, dtype=np.int32), corpus.doc_lengths())
    for start in range(0, corpus.n_tokens - distance, _BLOCK_TOKENS):
        end = min(start + _BLOCK_TOKENS, corpus.n_tokens - distance)
        same = document[start:end] == document[start + distance : end + distance]
        yield corpus.tokens[start:end][same], corpus.tokens[start + distance : end + distance][same]


def _positions(words: Ids, corpus: Corpus) -> NDArray[np.int32]:
    """Position of each word of the vocabulary in ``words``; -1 for words that are not in it."""
    positions = np.full(corpus.n_words, -1, dtype=np.int32)
    positions[words] = np.arange(len(words))
    return positions


# ---------------------------------------------------------------------- from counts to vectors


def _positive_pmi(counts: _Cooccurrences) -> Any:
    """Sparse table of max(0, log P(word, context) / (P(word) P'(context))) with a smoothed P'."""
    from scipy.sparse import csr_array, vstack

    smoothed = counts.context_totals**_SMOOTHING
    smoothed /= max(smoothed.sum(), np.finfo(float).tiny)
    parts, start = [csr_array((0, len(smoothed)), dtype=np.float32)], 0
    for block in counts.blocks:
        table = block.tocoo()
        pmi = np.log(table.data / (counts.row_totals[start + table.row] * smoothed[table.col])).astype(np.float32)
        above = pmi > 0
        parts.append(csr_array((pmi[above], (table.row[above], table.col[above])), shape=table.shape))
        start += table.shape[0]
    return vstack(parts, format="csr")


def _reduce(table: Any, n_dimensions: int, seed: int) -> NDArray[np.float32]:
    """Left singular vectors of the largest singular values, each times a power of its value."""
    from sklearn.utils.extmath import randomized_svd

    n = min(n_dimensions, *table.shape)
    if n == 0 or table.nnz == 0:
        return np.zeros((table.shape[0], n), dtype=np.float32)
    if n < min(table.shape) // 2:
        left, values, _ = randomized_svd(table, n, n_iter=_ITERATIONS, random_state=seed)
    else:
        left, values, _ = np.linalg.svd(table.toarray(), full_matrices=False)
    real = values[:n] > values[0] * _NOISE
    return np.asarray(left[:, :n][:, real] * values[:n][real] ** _POWER, dtype=np.float32)


def links_from_corpus(
    corpus: Corpus,
    threshold: float = 0.5,
    *,
    most: int | None = 100,
    per_word: int | None = 3,
    min_docs: int | None = None,
    share: float = 0.5,
    min_count: int = 5,
    n_dimensions: int = 100,
    window: Window = "auto",
    random_state: int = 0,
) -> list[Link]:
    """Links between words that have similar contexts in a corpus.

    The vectors are those of ``vectors_from_corpus``. Three sorts of words are not linked:

    - rare words (``min_docs``), whose links affect few documents;
    - words that are evenly distributed over documents, as in "see section two" (``share``);
    - parts of one name, such as "Monte" and "Carlo": two words that occur equally often in the same documents share
      their topics without a link.

    Parameters
    ----------
    corpus : Corpus
        Corpus to find links in.
    threshold, most, per_word
        As in ``links_from_vectors``.
    min_docs : int, optional
        Minimum number of documents of a word; by default the square root of the number of documents.
    share : float
        Share of these words that are linked: those with the largest residual idf, the log ratio of the number of
        documents that a word would occur in by chance to the number that it occurs in. 1 links all words.
    min_count, n_dimensions, window, random_state
        As in ``vectors_from_corpus``.

    Examples
    --------
    >>> import random
    >>> import topicwright as tw
    >>> from topicwright import links_from_corpus
    >>> themes = ["ship sea sail wave tide".split(), "oven bread salt flour dough".split()] * 20
    >>> texts = [" ".join(random.Random(i).choices(theme, k=8)) for i, theme in enumerate(themes)]
    >>> links_from_corpus(tw.Corpus.from_texts(texts), most=3, share=1)
    [('ship', 'wave'), ('flour', 'oven'), ('bread', 'dough')]
    """
    _check_corpus(corpus)
    threshold = check_in_range("threshold", threshold, -1, 1)
    share = check_in_range("share", check_positive("share", share), 0, 1)
    most, per_word = check_maximum("most", most), check_maximum("per_word", per_word)
    min_docs = isqrt(corpus.n_docs) if min_docs is None else check_integer("min_docs", min_docs, 1)
    counts = corpus.to_matrix().tocsc()
    words = corpus.vocabulary[_uneven_words(corpus, counts, min_docs, share)]
    vectors = vectors_from_corpus(
        corpus,
        n_dimensions=n_dimensions,
        window=window,
        min_count=min_count,
        vocabulary=words,
        random_state=random_state,
    ).select(sorted(words))
    pairs = similar_pairs(vectors, threshold, None, per_word)
    column = {word: number for number, word in enumerate(corpus.vocabulary)}
    links: list[Link] = []
    for i, j in zip(pairs.first, pairs.second):
        if len(links) == most:
            break
        a, b = vectors.words[i], vectors.words[j]
        if occurrence_overlap(counts, column[a], column[b]) < _MAX_OVERLAP:
            links.append((a, b))
    return links


def _uneven_words(corpus: Corpus, counts: Any, min_docs: int, share: float) -> NDArray[np.int64]:
    """Words in at least ``min_docs`` documents, restricted to the given share with the largest residual idf."""
    n_docs = np.diff(counts.indptr)
    words = np.flatnonzero(n_docs >= max(min_docs, 1))
    if len(words) == 0:
        return words
    score = np.log(_expected_documents(corpus)[words] / n_docs[words])
    least = np.quantile(score, 1 - share)
    return np.asarray(words[score >= least])


def _expected_documents(corpus: Corpus) -> NDArray[np.float64]:
    """Number of documents that each word would occur in if its occurrences were random (Poisson)."""
    rate = corpus.word_counts() / max(corpus.n_tokens, 1)
    lengths, n_docs = np.unique(corpus.doc_lengths(), return_counts=True)
    expected = np.zeros(corpus.n_words)
    for length, n in zip(lengths, n_docs):
        expected -= n * np.expm1(-length * rate)
    return expected


def occurrence_overlap(counts: Any, a: int, b: int) -> float:
    """Overlap of the occurrences of two words: Σ min / Σ max of their counts over documents.

    >>> from scipy.sparse import csc_array
    >>> occurrence_overlap(csc_array([[2, 2, 0], [1, 1, 0], [0, 1, 1]]), 0, 1)
    0.75
    """
    docs_a, count_a = _column(counts, a)
    docs_b, count_b = _column(counts, b)
    _, at_a, at_b = np.intersect1d(docs_a, docs_b, assume_unique=True, return_indices=True)
    matched = int(np.minimum(count_a[at_a], count_b[at_b]).sum())
    return matched / (int(count_a.sum()) + int(count_b.sum()) - matched)


def _column(counts: Any, word: int) -> tuple[NDArray[Any], NDArray[Any]]:
    cells = slice(counts.indptr[word], counts.indptr[word + 1])
    return counts.indices[cells], counts.data[cells]

"""Links between words from nothing but the corpus that is to be modelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...corpus import Corpus
from ...errors import InputError
from .similarity import Link, similar_pairs
from .vectors import Vectors, checked_count, checked_limit, checked_share, checked_threshold, checked_words

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


_PHRASE = 0.55


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
    """Link the words that keep the same company in a corpus; no other source is needed.

    Vectors are those of ``vectors_from_corpus``. Not all words are worth a link, so three sorts are left out:

    - rare words (``min_docs``), whose links would matter to few documents;
    - words that are spread evenly, as in "see section two" (``share``);
    - the parts of one name, such as "Monte" and "Carlo": two words that occur equally often in the same
      documents are in the same topics anyway.

    Parameters
    ----------
    corpus : Corpus
        The texts.
    threshold, most, per_word
        As in ``links_from_vectors``.
    min_docs : int, optional
        Link words that occur in at least so many documents; by default the square root of their number.
    share : float
        Link this share of those words, the ones that are most unevenly spread: by their residual idf, the
        logarithm of how many documents a word would be in by chance, to how many it is in. 1 links all.
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
    if not isinstance(corpus, Corpus):
        raise InputError(f"corpus must be a Corpus: got {type(corpus).__name__}")
    threshold, share = checked_threshold(threshold), checked_share("share", share)
    most, per_word = checked_limit("most", most), checked_limit("per_word", per_word)
    least = isqrt(corpus.n_docs) if min_docs is None else checked_count("min_docs", min_docs)
    counts = corpus.to_matrix().tocsc()
    words = corpus.vocabulary[_uneven(corpus, counts, least, share)]
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
        if together(counts, column[a], column[b]) < _PHRASE:
            links.append((a, b))
    return links


def _uneven(corpus: Corpus, counts: Any, min_docs: int, share: float) -> NDArray[np.int64]:
    """The words in enough documents whose residual idf is among the given share of the largest."""
    n_docs = np.diff(counts.indptr)
    words = np.flatnonzero(n_docs >= max(min_docs, 1))
    if len(words) == 0:
        return words
    score = np.log(_documents_by_chance(corpus)[words] / n_docs[words])
    least = np.quantile(score, 1 - share)
    return np.asarray(words[score >= least])


def _documents_by_chance(corpus: Corpus) -> NDArray[np.float64]:
    """In how many documents each word would be, were its occurrences thrown at random (a Poisson law)."""
    rate = corpus.word_counts() / max(corpus.n_tokens, 1)
    lengths, how_often = np.unique(corpus.doc_lengths(), return_counts=True)
    expected = np.zeros(corpus.n_words)
    for length, times in zip(lengths, how_often):
        expected -= times * np.expm1(-length * rate)
    return expected


def together(counts: Any, a: int, b: int) -> float:
    """The share of two words' occurrences that are matched, document by document: Σ min / Σ max of the counts.

    >>> from scipy.sparse import csc_array
    >>> together(csc_array([[2, 2, 0], [1, 1, 0], [0, 1, 1]]), 0, 1)
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

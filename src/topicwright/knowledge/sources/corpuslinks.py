"""Links between words from nothing but the corpus that is to be modelled."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...corpus import Corpus
from ...errors import InputError
from .checks import checked_count, checked_limit, checked_share, checked_threshold
from .cooccurrence import Window, vectors_from_corpus
from .similarity import Link, similar_pairs

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

"""Labels that the words of an unlabeled document predict, from the labeled documents of the same corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.numba import jit
from ..corpus.corpus import Corpus
from ..corpus.vocabulary import take_documents

_PRIOR = 0.1  # of the share of each label, in tokens
_SMOOTHING = 0.01  # of the words of a label
_STEPS = 20  # fixed-point iterations
_LEAST_SHARE = 0.05  # smaller shares are set to zero
_MOST_LABELS = 20  # of a document, which is 1 / _LEAST_SHARE
_DOUBT = 3  # power of the part of all labels, by which shares are multiplied


def predicted_shares(corpus: Corpus, labels: Sequence[Sequence[str]], numbers: Mapping[str, int], n_topics: int) -> Any:
    """Expected share of each label in each unlabeled document, with doubts, as CSR of shape (n_docs, n_topics).

    The words of a label are those of the documents that have it; a token of a document with several labels counts for
    each of them in equal parts. The distribution of words in the whole corpus competes with the labels. So the labels
    have a small part of a document that is about none of them, and shares are multiplied by a power of this part.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    labels : sequence of sequences of str
        Labels of each document; empty if it has none.
    numbers : mapping
        Topic of each label.
    n_topics : int
        Number of topics.
    """
    from scipy.sparse import coo_array, csr_array

    is_labeled = np.array([bool(own) for own in labels], dtype=bool)
    topics = np.array(sorted({numbers[label] for own in labels for label in own}), dtype=np.int64)
    row_of_topic = {topic: row for row, topic in enumerate(topics.tolist())}
    pairs = np.array(
        [(d, row_of_topic[numbers[label]], 1.0 / len(own)) for d, own in enumerate(labels) for label in own]
    ).reshape(-1, 3)
    of_label = coo_array((pairs[:, 2], (pairs[:, 1].astype(int), pairs[:, 0].astype(int))), (len(topics), len(labels)))
    labeled, unlabeled = np.flatnonzero(is_labeled), np.flatnonzero(~is_labeled)
    tokens, offsets = take_documents(corpus.tokens, corpus.offsets, labeled)
    words = csr_array((np.ones(len(tokens)), tokens, offsets), shape=(len(labeled), corpus.n_words))
    counts = (of_label.tocsc()[:, labeled] @ words).tocsc()
    found, share = np.zeros((len(unlabeled), _MOST_LABELS), np.int64), np.zeros((len(unlabeled), _MOST_LABELS))
    predict_shares(
        corpus.tokens,
        corpus.offsets,
        unlabeled,
        (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data),
        np.asarray(counts.sum(axis=1), np.float64).ravel() + _SMOOTHING * corpus.n_words,
        corpus.word_counts() / max(1, corpus.n_tokens),
        found,
        share,
    )
    share *= share.sum(axis=1, keepdims=True) ** _DOUBT
    rows, columns = np.nonzero(share)
    entries = (share[rows, columns], (unlabeled[rows], topics[found[rows, columns]]))
    return coo_array(entries, shape=(corpus.n_docs, n_topics)).tocsr()


@jit
def predict_shares(
    tokens: Any, offsets: Any, docs: Any, counts: Any, totals: Any, in_corpus: Any, found: Any, share: Any
) -> None:
    """Set the labels with the largest expected shares in some documents, and these shares.

    ``counts`` are those of the labels by word, and ``totals`` their sums, smoothed. The last entry of ``expected`` is
    the share of the whole corpus.
    """
    start, label_of, count_of = counts
    n_labels = totals.shape[0]
    expected, weight = np.zeros(n_labels + 1), np.zeros(n_labels + 1)
    for row in range(docs.shape[0]):
        first, last = offsets[docs[row]], offsets[docs[row] + 1]
        n = last - first
        expected[:] = n / (n_labels + 1)
        for _ in range(_STEPS):
            smooth = 0.0
            for k in range(n_labels):
                weight[k] = (expected[k] + _PRIOR) / totals[k]
                smooth += weight[k]
            weight[n_labels] = expected[n_labels] + _PRIOR
            expected[:] = 0.0
            inverse_sum = 0.0
            for i in range(first, last):
                w = tokens[i]
                rest = weight[n_labels] * in_corpus[w]
                mass = _SMOOTHING * smooth + rest
                for j in range(start[w], start[w + 1]):
                    mass += weight[label_of[j]] * count_of[j]
                for j in range(start[w], start[w + 1]):
                    expected[label_of[j]] += weight[label_of[j]] * count_of[j] / mass
                expected[n_labels] += rest / mass
                inverse_sum += 1.0 / mass
            for k in range(n_labels):
                expected[k] += _SMOOTHING * weight[k] * inverse_sum
        n_found = 0
        for k in range(n_labels):
            if expected[k] > _LEAST_SHARE * n and n_found < _MOST_LABELS:
                found[row, n_found], share[row, n_found] = k, expected[k] / n
                n_found += 1

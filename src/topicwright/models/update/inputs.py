"""What an update starts from: new documents in a vocabulary that grows, and the counts of the past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.engine import EarlierCounts
from ..._utils.validation import check_integer
from ...corpus import Corpus, align, as_corpus
from ...corpus.inputs import input_kind
from ...corpus.vocabulary import Pruning, TokenStream
from ...errors import InputError
from .._inputs import encode_all, tokenizer_of

if TYPE_CHECKING:
    from ..batch import BatchTopicModel


def grow_vocabulary(model: BatchTopicModel, X: Any, pruning: Pruning) -> Corpus:
    """New documents as a corpus, in the vocabulary of a model and, after it, new words that are frequent enough."""
    corpus = _own_corpus(model, X)
    if corpus.n_docs == 0:
        raise InputError("there are no new documents", parameter="X")
    known = set(model.vocabulary_.tolist())
    is_new = np.array([word not in known for word in corpus.vocabulary], dtype=bool)
    stream = TokenStream(corpus.tokens, corpus.offsets, corpus.vocabulary)
    frequency = stream.document_frequencies()
    least, most = (
        share if isinstance(share, int) else share * corpus.n_docs for share in (pruning.min_df, pruning.max_df)
    )
    chosen = corpus.vocabulary[is_new & (frequency >= max(1, least)) & (frequency <= most)]
    if not len(chosen):
        return align(corpus, model.vocabulary_).corpus
    return align(corpus, [*model.vocabulary_.tolist(), *sorted(chosen.tolist())]).corpus


def _own_corpus(model: BatchTopicModel, X: Any) -> Corpus:
    """New documents with all of their words; counts have the words of the model."""
    if isinstance(X, Corpus):
        return X
    kind, X = input_kind(X)
    if kind == "texts":
        return as_corpus(X, tokenizer=tokenizer_of(model))
    if kind == "words":
        return as_corpus(X)
    return encode_all(model, X).corpus


def check_memory(memory: Any) -> float | int:
    """Validate ``memory``: a share from 0.0 to 1.0, or a number of documents."""
    if isinstance(memory, (float, np.floating)) and 0.0 <= memory <= 1.0:
        return float(memory)
    if isinstance(memory, (int, np.integer)) and not isinstance(memory, bool):
        return check_integer("memory", memory, 1)
    expected = "a share of the past from 0.0 to 1.0 (with a point), or a number of documents"
    raise InputError(parameter="memory", expected=expected, got=memory)


def earlier_counts(model: BatchTopicModel, memory: float | int, n_words: int) -> EarlierCounts:
    """All counts of a model so far, with the weight that ``memory`` gives them, for a vocabulary of ``n_words``."""
    documents = documents_by_topic(model)
    weight = memory if isinstance(memory, float) else min(1.0, memory / max(1, documents.sum()))
    counts = weighted_counts(model.topic_word_counts_, weight)
    counts.resize((counts.shape[0], n_words))
    return EarlierCounts(counts, np.rint(documents * weight).astype(np.int64))


def documents_by_topic(model: BatchTopicModel) -> NDArray[np.int64]:
    """Number of documents, earlier ones included, by their largest topic."""
    n_topics = len(model.alpha_)
    earlier = np.zeros(n_topics, np.int64) if model.earlier_ is None else model.earlier_.documents
    if model.assignments_ is None:
        return earlier
    counts = model.doc_topic_counts_
    filled = np.flatnonzero(np.diff(counts.indptr) > 0)
    order = np.lexsort((counts.indices, -counts.data, np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))))
    largest = counts.indices[order][counts.indptr[:-1][filled]]
    return earlier + np.bincount(largest, minlength=n_topics)


def weighted_counts(counts: Any, weight: float) -> Any:
    """Counts multiplied by a weight and rounded so that the sum over the words of a topic stays right.

    Each topic is rounded as a running sum, so that of many words that occur once every second stays at a weight of a
    half.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> weighted_counts(csr_array([[1, 1, 1, 1, 10]]), 0.5).toarray().tolist()
    [[1, 0, 1, 0, 5]]
    """
    from scipy.sparse import csr_array

    if weight == 1.0:
        return counts.copy()
    ends = np.floor(np.concatenate([[0.0], np.cumsum(counts.data * weight)]) + 0.5)
    result = csr_array((np.diff(ends).astype(np.int64), counts.indices, counts.indptr), shape=counts.shape, copy=True)
    result.eliminate_zeros()
    return result

"""What an update starts from: new documents in a vocabulary that grows, past counts, and knowledge that stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.engine import EarlierCounts
from ..._utils.validation import check_integer
from ...corpus import Corpus, align, as_corpus
from ...corpus.corpus import with_earlier_word_counts
from ...corpus.inputs import input_kind
from ...corpus.vocabulary import TokenStream
from ...errors import InputError
from ...knowledge import TopicNames
from ...knowledge.base import Knowledge
from .._inputs import encode_all, tokenizer_of
from .._persistence import documents_by_topic

if TYPE_CHECKING:
    from ..batch import BatchTopicModel

_FREQUENT = 0.5  # of the documents: a new word that is in more was left out of the vocabulary on purpose

# ---------------------------------------------------------------------- documents


def new_documents(model: BatchTopicModel, X: Any, min_df: int) -> Corpus:
    """New documents as a corpus, in the vocabulary of a model and, after it, new words in alphabetical order.

    A new word is in at least ``min_df`` documents, and in no more than half of them.
    """
    check_integer("min_df", min_df, 1)
    own = _own_words(model, X)
    known = set(model.vocabulary_.tolist())
    is_new = np.array([word not in known for word in own.vocabulary], dtype=bool)
    frequency = TokenStream(own.tokens, own.offsets, own.vocabulary).document_frequencies()
    chosen = own.vocabulary[is_new & (frequency >= min_df) & (frequency <= max(1, _FREQUENT * own.n_docs))]
    words = [*model.vocabulary_.tolist(), *sorted(chosen.tolist())] if len(chosen) else model.vocabulary_
    corpus = replace(align(own, words).corpus, tokenizer=model.corpus_.tokenizer)
    if corpus.n_tokens == 0:
        raise InputError(
            f"there is nothing to learn from: got {corpus.n_docs:,} documents without a word that the model knows "
            f"and without new words in `min_df` documents or more",
            parameter="X",
        )
    return corpus


def _own_words(model: BatchTopicModel, X: Any) -> Corpus:
    """New documents with all of their words; counts have the words of the model."""
    if isinstance(X, Corpus):
        return X
    kind, X = input_kind(X)
    if kind == "texts":
        return as_corpus(X, tokenizer=tokenizer_of(model))
    return as_corpus(X) if kind == "words" else encode_all(model, X).corpus


# ---------------------------------------------------------------------- the past


def check_memory(memory: Any) -> float | int:
    """Validate ``memory``: a share from 0.0 to 1.0, or a number of documents."""
    if isinstance(memory, (float, np.floating)) and 0.0 <= memory <= 1.0:
        return float(memory)
    if isinstance(memory, (int, np.integer)) and not isinstance(memory, bool):
        return check_integer("memory", memory, 1)
    expected = "a share of the past from 0.0 to 1.0 (with a point), or a number of documents"
    raise InputError(parameter="memory", expected=expected, got=memory)


def weight_of_past(model: BatchTopicModel, memory: float | int) -> float:
    """Weight of the counts of a model so far."""
    if isinstance(memory, float):
        return memory
    n_docs = int(documents_by_topic(model).sum())
    if n_docs == 0:
        raise InputError(
            parameter="memory",
            expected="a share of the past, such as 1.0",
            got=memory,
            hint="the file of this model does not say how many documents it was trained on",
        )
    return min(1.0, memory / n_docs)


def forget(model: BatchTopicModel, weight: float) -> None:
    """Multiply the earlier counts of a model by a weight."""
    assert model.earlier_ is not None
    words = weighted_counts(model.earlier_.words, weight)
    model.earlier_ = EarlierCounts(words, np.rint(model.earlier_.documents * weight).astype(np.int64))
    model.corpus_ = with_earlier_word_counts(model.corpus_, np.asarray(words.sum(axis=0), np.int64))


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
    before = np.concatenate([[0], np.cumsum(counts.data, dtype=np.int64)])
    start = np.repeat(before[counts.indptr[:-1]], np.diff(counts.indptr))  # each topic has a running sum of its own
    ends, starts = (np.floor((part - start) * weight + 0.5) for part in (before[1:], before[:-1]))
    kept = (ends - starts).astype(np.int64)
    result = csr_array((kept, counts.indices, counts.indptr), shape=counts.shape, copy=True)
    result.eliminate_zeros()
    return result


# ---------------------------------------------------------------------- the model


def replace_documents(model: BatchTopicModel, corpus: Corpus) -> None:
    """Make a fitted model one of other documents, before their first sweep; its counts so far stay fixed.

    New words follow the others; their β is the mean of the others.
    """
    words = model.topic_word_counts_.copy()
    words.resize((words.shape[0], corpus.n_words))
    model.earlier_ = EarlierCounts(words, documents_by_topic(model))
    if np.ndim(model.beta_):
        beta = np.asarray(model.beta_)
        model.beta_ = np.concatenate([beta, np.full(corpus.n_words - len(beta), beta.mean())])
        if not isinstance(model.beta, str):
            model.beta = model.beta_
    model.corpus_ = with_earlier_word_counts(corpus, np.asarray(words.sum(axis=0), np.int64))
    model.vocabulary_, model.n_features_in_ = corpus.vocabulary, corpus.n_words
    model.__dict__.pop("feature_names_in_", None)
    model.assignments_ = None
    model.log_likelihood_ = []


def insert_topics(model: BatchTopicModel, n_new: int, at: int | None = None) -> None:
    """Add topics without earlier counts, after the others or at a number; their α is the mean of the others.

    The assignments and the knowledge of the model must follow.
    """
    at = len(model.alpha_) if at is None else at
    assert model.earlier_ is not None
    words, documents = model.earlier_
    model.earlier_ = EarlierCounts(_with_rows(words, at, n_new), np.insert(documents, at, np.zeros(n_new, np.int64)))
    model.alpha_ = np.insert(model.alpha_, at, np.full(n_new, model.alpha_.mean()))
    if np.ndim(model.alpha) and not isinstance(model.alpha, str):
        model.alpha = model.alpha_


def merge_earlier(earlier: EarlierCounts, into: int, others: Sequence[int]) -> EarlierCounts:
    """Earlier counts in which some topics are part of another."""
    from scipy.sparse import csr_array

    n_topics = len(earlier.documents)
    target = np.arange(n_topics)
    target[list(others)] = into
    ones = np.ones(n_topics, np.int64)
    moves = csr_array((ones, (target, np.arange(n_topics))), shape=(n_topics, n_topics))
    documents = np.zeros_like(earlier.documents)
    np.add.at(documents, target, earlier.documents)
    return EarlierCounts((moves @ earlier.words).tocsr(), documents)


def split_earlier(earlier: EarlierCounts, topic: int, new: int, shares: NDArray[np.float64]) -> EarlierCounts:
    """Earlier counts in which a new topic has a share of a topic, given for each word."""
    from scipy.sparse import lil_array

    n_topics = max(new + 1, len(earlier.documents))
    words = earlier.words.copy()
    words.resize((n_topics, words.shape[1]))
    row = words[[topic], :].toarray().ravel()
    moved = np.rint(row * shares).astype(np.int64)
    documents = np.append(earlier.documents, np.zeros(n_topics - len(earlier.documents), np.int64))
    documents[new] = round(documents[topic] * moved.sum() / max(1, row.sum()))
    documents[topic] -= documents[new]
    change = lil_array(words.shape, dtype=np.int64)
    change[topic], change[new] = -moved, moved
    words = (words + change.tocsr()).tocsr()
    words.eliminate_zeros()
    return EarlierCounts(words, documents)


def _with_rows(matrix: Any, at: int, n_new: int) -> Any:
    """CSR with empty rows from a number on."""
    from scipy.sparse import csr_array

    indptr = np.insert(matrix.indptr, at, np.full(n_new, matrix.indptr[at]))
    return csr_array((matrix.data, matrix.indices, indptr), shape=(matrix.shape[0] + n_new, matrix.shape[1]))


def kept_knowledge(items: Iterable[Any], corpus: Corpus) -> list[Any]:
    """Knowledge that holds for new documents too, without mere names of topics."""
    others = [item for item in items if not isinstance(item, TopicNames)]
    kept = [item.for_new_documents(corpus) if isinstance(item, Knowledge) else item for item in others]
    return [item for item in kept if item is not None]


def most_similar(counts: Any, topic: int) -> int:
    """Topic whose words are most like those of another, by Σ_w √(p_w q_w)."""
    rows = counts.astype(np.float64)
    sizes = np.maximum(np.asarray(rows.sum(axis=1)).ravel(), 1.0)
    overlap = np.asarray((np.sqrt(rows) @ np.sqrt(rows[[topic], :]).T).toarray()).ravel() / np.sqrt(sizes)
    overlap[topic] = -1.0
    return int(overlap.argmax())

"""A stand-in for a fitted model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from topicwright.corpus.corpus import Corpus

WORDS = ["apple", "new york", "grass", 'say "hi", all', "naïve", "unseen"]


@dataclass
class FakeLDA:
    """Counts and probabilities computed plainly from a corpus and the topics of its tokens."""

    corpus_: Corpus | None
    assignments_: np.ndarray | None
    counts: np.ndarray
    doc_counts: np.ndarray
    vocabulary_: np.ndarray
    alpha_: np.ndarray
    beta_: Any = 0.1
    topic_names_: list[str] | None = None

    @property
    def n_topics(self) -> int:
        return len(self.alpha_)

    @property
    def topic_word_counts_(self) -> Any:
        return csr_array(self.counts)

    @property
    def topic_word_(self) -> np.ndarray:
        return shares(self.counts + self.beta_)

    @property
    def doc_topic_(self) -> np.ndarray:
        return shares(self.doc_counts + self.alpha_)


def shares(weights: np.ndarray) -> np.ndarray:
    result: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return result


def fake_lda(corpus: Corpus, assignments: list[int], n_topics: int, **changes: Any) -> FakeLDA:
    counts = np.zeros((n_topics, corpus.n_words), dtype=np.int64)
    for topic, word in zip(assignments, corpus.tokens):
        counts[topic, word] += 1
    doc_counts = np.zeros((corpus.n_docs, n_topics), dtype=np.int64)
    for topic, doc in zip(assignments, np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths())):
        doc_counts[doc, topic] += 1
    alpha = np.linspace(0.1, 0.123456789, n_topics)
    fields: dict[str, Any] = {
        "corpus_": corpus,
        "assignments_": np.array(assignments, dtype=np.uint32),
        "counts": counts,
        "doc_counts": doc_counts,
        "vocabulary_": corpus.vocabulary,
        "alpha_": alpha,
    }
    return FakeLDA(**(fields | changes))

"""A tiny corpus with everything in it, and a stand-in for a fitted model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from topicwright.corpus.core import Corpus
from topicwright.corpus.tokenizer import Tokenizer

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
        smoothed = self.counts + self.beta_
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    @property
    def doc_topic_(self) -> np.ndarray:
        smoothed = self.doc_counts + self.alpha_
        return smoothed / smoothed.sum(axis=1, keepdims=True)


def fake_lda(corpus: Corpus, assignments: list[int], n_topics: int, **changes: Any) -> FakeLDA:
    counts = np.zeros((n_topics, corpus.n_words), dtype=np.int64)
    np.add.at(counts, (assignments, corpus.tokens), 1)
    doc_counts = np.zeros((corpus.n_docs, n_topics), dtype=np.int64)
    np.add.at(doc_counts, (np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths()), assignments), 1)
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


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(
        tokens=np.array([0, 1, 0, 2, 3, 3, 4, 0]),
        offsets=np.array([0, 3, 3, 6, 8]),
        vocabulary=np.array(WORDS, dtype=object),
        ids=("first doc", "", "third", "ünï"),
        labels=(("fruit", "city"), (), ("fruit",), ("lawn",)),
        targets=np.array([1.5, np.nan, -2.0, 0.0]),
        links=np.array([[0, 3], [2, 1]]),
        tokenizer=Tokenizer(stop_words=["the", "of"], ngram_range=(1, 2)),
    )


@pytest.fixture
def model(corpus: Corpus) -> FakeLDA:
    """Three topics; the last one has no tokens."""
    return fake_lda(corpus, [0, 1, 0, 1, 1, 1, 0, 1], 3)

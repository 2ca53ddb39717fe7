"""A tiny corpus with all metadata, and a model of it."""

from __future__ import annotations

import numpy as np
import pytest

from topicwright.corpus.corpus import Corpus
from topicwright.corpus.tokenizer import Tokenizer

from .fake_lda import WORDS, FakeLDA, fake_lda


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
        dates=np.array(["2019-05-03T10:00:00", "NaT", "0001-01-01", "9999-12-31"], dtype="datetime64[s]"),
        texts=("The first", "", "line\n\nends", "ünï"),
    )


@pytest.fixture
def model(corpus: Corpus) -> FakeLDA:
    """Three topics; the last one has no tokens."""
    return fake_lda(corpus, [0, 1, 0, 1, 1, 1, 0, 1], 3)

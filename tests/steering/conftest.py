"""A small model to steer, in memory and in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import topicwright as tw
from topicwright.steering import Steering

Count = Callable[[tw.LDA, str, int], int]


def top(base: tw.LDA, word: str) -> int:
    """Topic with the highest count of a word."""
    return int(base.topic_word_counts_[:, [list(base.vocabulary_).index(word)]].toarray().argmax())


@pytest.fixture(scope="session")
def base(corpus: tw.Corpus) -> tw.LDA:
    """Three themes in five topics, shared by tests."""
    return tw.LDA(5, n_sweeps=25, random_state=3).fit(corpus)


@pytest.fixture
def steering(base: tw.LDA) -> Steering:
    return Steering(base)


@pytest.fixture
def path(base: tw.LDA, tmp_path: Path) -> Path:
    base.save(tmp_path / "themes.tw")
    return tmp_path / "themes.tw"


@pytest.fixture
def count(base: tw.LDA) -> Count:
    """Count of a word in a topic."""
    place = {word: n for n, word in enumerate(base.vocabulary_)}
    return lambda model, word, topic: int(model.topic_word_counts_[topic, place[word]])

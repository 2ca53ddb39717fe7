"""Fitted models shared by tests, which must not change them."""

from __future__ import annotations

import pytest

import topicwright as tw

from .themes import themes_of


@pytest.fixture(scope="session")
def classifier(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, themes_of(60))


@pytest.fixture(scope="session")
def topics_only(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20, word_weights=False).fit(texts, themes_of(60))

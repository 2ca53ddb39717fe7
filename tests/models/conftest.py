"""Models that tests of several files look at, and do not change."""

from __future__ import annotations

import pytest

import topicwright as tw

from .labels import LABELS, TEXTS, Generated, generate
from .themes import themes_of


@pytest.fixture(scope="session")
def generated() -> Generated:
    return generate()


@pytest.fixture(scope="session")
def labelled() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)


@pytest.fixture(scope="session")
def with_background() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=20, n_background_topics=1).fit([f"{text} the" for text in TEXTS], LABELS)


@pytest.fixture(scope="session")
def classifier(texts: list[str]) -> tw.MedLDAClassifier:
    return tw.MedLDAClassifier(n_topics=6, n_sweeps=20).fit(texts, themes_of(60))

"""Fitted models shared by tests, which must not change them."""

from __future__ import annotations

import pytest

import topicwright as tw

from .documents import LABELS, TEXTS, Generated, generate


@pytest.fixture(scope="session")
def generated() -> Generated:
    return generate()


@pytest.fixture(scope="session")
def labeled() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)


@pytest.fixture(scope="session")
def with_background() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=20, n_background_topics=1).fit([f"{text} the" for text in TEXTS], LABELS)

from __future__ import annotations

import numpy as np
import pytest

from tests import hypothesis_profiles  # noqa: F401
from topicwright.corpus.corpus import Corpus

WORDS = ["goal", "team", "match", "score", "stock", "bond", "price", "market"]


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """Sixty documents about sport or money, one of them empty, and a word that never occurs."""
    random = np.random.default_rng(7)
    lengths = random.integers(5, 40, size=60)
    lengths[10] = 0
    docs = [random.integers(0, 4, size=n) + 4 * (d % 2) for d, n in enumerate(lengths)]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Corpus(np.concatenate(docs), offsets, np.array([*WORDS, "unseen"], dtype=object))

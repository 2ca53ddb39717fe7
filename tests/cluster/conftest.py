from __future__ import annotations

import numpy as np
import pytest

from topicwright import Corpus
from topicwright.cluster import Job
from topicwright.knowledge import compile_knowledge

from ..conftest import themed_texts

K = 4


@pytest.fixture(scope="session")
def news() -> Corpus:
    """Documents of three themes, some without words."""
    texts = themed_texts(90)
    return Corpus.from_texts(["", *texts[:50], "", *texts[50:]])


@pytest.fixture(scope="session")
def job(news: Corpus) -> Job:
    known = compile_knowledge([], news, K)
    return Job(news.tokens, news.offsets, news.n_words, K, np.full(K, 0.1), 0.01, 5, known)

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from topicwright import Corpus
from topicwright._sampling.engine import SamplingProblem
from topicwright.knowledge import compile_knowledge

from ..conftest import themed_texts

K = 4


@pytest.fixture(scope="session")
def news() -> Corpus:
    """Documents of three themes, some without words."""
    texts = themed_texts(90)
    return Corpus.from_texts(["", *texts[:50], "", *texts[50:]])


@pytest.fixture(scope="session")
def problem(news: Corpus) -> SamplingProblem:
    known = compile_knowledge([], news, K)
    return SamplingProblem(news.tokens, news.offsets, news.n_words, K, np.full(K, 0.1), 0.01, 5, known)


@pytest.fixture(scope="session")
def must_end() -> Iterator[list[Any]]:
    """Processes, as (pid, time of creation), that must have ended after all tests.

    Ray's agents take a minute to see that their driver was killed; other tests can run meanwhile.
    """
    started: list[Any] = []
    yield started
    import psutil

    left = []
    for pid, created in started:
        try:
            left += [process for process in [psutil.Process(pid)] if process.create_time() == created]
        except psutil.NoSuchProcess:
            continue
    _, alive = psutil.wait_procs(left, timeout=120)
    assert not alive

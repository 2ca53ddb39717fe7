"""Tests of the benchmark of kernels on several processors."""

from __future__ import annotations

import numpy as np
import pytest

import topicwright as tw
from benchmarks.kernels import HOST, measure, report, slowdowns


@pytest.mark.filterwarnings("ignore::topicwright.errors.TopicwrightWarning")
def test_every_kernel_is_measured() -> None:
    rng = np.random.default_rng(0)
    corpus = tw.Corpus.from_tokens([[f"w{n}" for n in rng.integers(0, 40, 12)] for _ in range(60)])
    seconds = measure(corpus)
    assert {"LDA", "must-links", "cannot-links", "soft seeds", "labeled", "particle filter", "inference"} <= set(
        seconds
    )
    assert min(seconds.values()) >= 0


def test_host_is_compared_with_the_best_processor() -> None:
    seconds = {HOST: {"LDA": 0.2, "labeled": 0.3}, "znver2": {"LDA": 0.1, "labeled": 0.6}}
    assert slowdowns(seconds) == {"LDA": 2.0, "labeled": 1.0}
    assert report(seconds).splitlines()[2] == "| LDA | 200 | 100 | 2.00 |"

"""Every kind of knowledge that has a posterior, and every pair of kinds, with a loss: visits against enumeration.

Both samplers of supervised topics are tried: the dense one, and Metropolis steps. Auxiliary variables and weights are
fixed, so that the joint distribution can be enumerated.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

import topicwright as tw

from ..enumeration import Tiny, p_value
from .test_exactness import Setting, visits

DOCS = [[0, 1, 0], [1, 2, 2]]
NAMES = tw.TopicNames({0: "x", 1: "y", 2: "z"})


class Case(NamedTuple):
    """A kind of knowledge, with its effect by definition."""

    item: Any
    potential: Callable[[int, int, int, int], float] = lambda i, d, w, k: 1.0  # of token i of word w in document d
    prior: tuple[int, int, float] | None = None  # topic, word, what it adds
    document_prior: tuple[int, int, float] | None = None  # document, topic, what it adds


CASES = {
    "forbidden words": Case(tw.ForbiddenWords({1: ["b"]}), lambda i, d, w, k: float(w != 1 or k != 1)),
    "hard seeds": Case(tw.SeedWords({0: ["a"]}, hard=True), lambda i, d, w, k: float(w != 0 or k == 0)),
    "document labels": Case(tw.DocumentLabels([None, ["x", "z"]]), lambda i, d, w, k: float(d == 0 or k != 1)),
    "sentence labels": Case(
        tw.SentenceLabels([(0, (0, 2), ["x", "y"])]), lambda i, d, w, k: float(i not in (0, 1) or k != 2)
    ),
    "document topics": Case(tw.DocumentTopics({1: 2}, weight=4), lambda i, d, w, k: 4.0 if d == 1 and k == 2 else 1.0),
    "soft seeds": Case(
        tw.SeedWords({2: ["c"]}, weight=0.5),
        lambda i, d, w, k: 1.5 if w == 2 and k == 2 else 1.0,
        document_prior=(1, 2, 1.0),
    ),
    "known topics": Case(tw.KnownTopics({1: {"a": 2.0}}, weight=0.5), prior=(1, 0, 1.0)),
}
MIXES = [*((name,) for name in CASES), *combinations(CASES, 2), ("forbidden words", "document topics", "soft seeds")]


def tiny() -> Tiny:
    return Tiny(DOCS, 3, 0.5, 0.3)


def posterior(setting: Setting, names: tuple[str, ...]) -> np.ndarray:
    corpus = tiny()
    for name in names:
        if CASES[name].prior is not None:
            topic, word, more = CASES[name].prior
            corpus.betas[topic, word] += more
        if CASES[name].document_prior is not None:
            document, topic, more = CASES[name].document_prior
            corpus.alphas[document, topic] += more
    of_loss = setting.log_potential(corpus)

    def log_potential(z: tuple[int, ...]) -> float:
        factors = [
            CASES[name].potential(i, int(corpus.doc_of[i]), int(corpus.tokens[i]), k)
            for name in names
            for i, k in enumerate(z)
        ]
        return -np.inf if min(factors) == 0 else float(of_loss(z) + np.sum(np.log(factors)))

    return corpus.posterior(log_potential)


@pytest.mark.draws
@pytest.mark.parametrize("steps", [0, 4], ids=["dense", "metropolis"])
@pytest.mark.parametrize("names", MIXES, ids=" + ".join)
def test_visits_follow_the_posterior(names: tuple[str, ...], steps: int) -> None:
    setting = Setting(2, seed=5, scale=1.0, docs=DOCS)
    knowledge = [NAMES, *(CASES[name].item for name in names)]
    seen = visits(tiny(), setting, steps, knowledge, n=20_000, thin=8)
    assert p_value(seen, posterior(setting, names)) > 0.001


def test_wrong_distribution_is_detected() -> None:
    setting = Setting(2, seed=5, scale=1.0, docs=DOCS)
    seen = visits(tiny(), setting, 4, [NAMES, CASES["forbidden words"].item], n=20_000, thin=8)
    wrong = Setting(2, seed=5, scale=1.1, docs=DOCS)
    assert p_value(seen, posterior(wrong, ("forbidden words",))) < 1e-6

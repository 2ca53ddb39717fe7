"""Every kind of knowledge that has a posterior, and every pair of kinds, without a loss: visits against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ..enumeration import Tiny, p_value
from ..knowledge_kinds import DOCS, MIXES, knowledge_of, potential, with_priors


def tiny() -> Tiny:
    return Tiny(DOCS, 3, 0.5, 0.3)


def posterior(names: tuple[str, ...]) -> np.ndarray:
    corpus = with_priors(tiny(), names)
    with np.errstate(divide="ignore"):
        return corpus.posterior(lambda z: float(np.log(potential(corpus, names, z))))


@pytest.mark.draws
@pytest.mark.parametrize("names", MIXES, ids=" + ".join)
def test_visits_follow_the_posterior(names: tuple[str, ...]) -> None:
    assert p_value(tiny().visits(knowledge=knowledge_of(names), n=40_000, thin=8), posterior(names)) > 0.001


def test_wrong_distribution_is_detected() -> None:
    pair = ("forbidden words", "soft seeds")
    seen = tiny().visits(knowledge=knowledge_of(pair), n=40_000, thin=8)
    assert p_value(seen, posterior(("forbidden words", "known topics"))) < 1e-6

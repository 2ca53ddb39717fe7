"""Every kind of knowledge that has a posterior, and every pair of kinds, with a loss: visits against enumeration.

Both samplers of supervised topics are tried: the dense one, and Metropolis steps. Auxiliary variables and weights are
fixed, so that the joint distribution can be enumerated.
"""

from __future__ import annotations

import numpy as np
import pytest

from ..enumeration import Tiny, p_value
from ..knowledge_kinds import DOCS, MIXES, knowledge_of, potential, with_priors
from .test_exactness import Setting, visits


def tiny() -> Tiny:
    return Tiny(DOCS, 3, 0.5, 0.3)


def posterior(setting: Setting, names: tuple[str, ...]) -> np.ndarray:
    corpus = with_priors(tiny(), names)
    of_loss = setting.log_potential(corpus)

    def log_potential(z: tuple[int, ...]) -> float:
        with np.errstate(divide="ignore"):
            return float(of_loss(z) + np.log(potential(corpus, names, z)))

    return corpus.posterior(log_potential)


@pytest.mark.draws
@pytest.mark.parametrize("steps", [0, 4], ids=["dense", "metropolis"])
@pytest.mark.parametrize("names", MIXES, ids=" + ".join)
def test_visits_follow_the_posterior(names: tuple[str, ...], steps: int) -> None:
    setting = Setting(2, seed=5, scale=1.0, docs=DOCS)
    seen = visits(tiny(), setting, steps, knowledge_of(names), n=20_000, thin=8)
    assert p_value(seen, posterior(setting, names)) > 0.001


def test_wrong_distribution_is_detected() -> None:
    setting = Setting(2, seed=5, scale=1.0, docs=DOCS)
    seen = visits(tiny(), setting, 4, knowledge_of(("forbidden words",)), n=20_000, thin=8)
    wrong = Setting(2, seed=5, scale=1.1, docs=DOCS)
    assert p_value(seen, posterior(wrong, ("forbidden words",))) < 1e-6

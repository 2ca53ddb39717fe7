from __future__ import annotations

import numpy as np
import pytest

from topicwright.evaluation import reliability

from ..assertions import raises_input


def test_bins_hold_every_prediction_once():
    rng = np.random.default_rng(0)
    p = np.append(rng.uniform(size=500), [0.0, 1.0])
    is_true = rng.random(502) < p
    bins = reliability(p, is_true, 7)
    for number, (mean, frequency, count) in enumerate(zip(bins.probability, bins.frequency, bins.counts)):
        own = (p >= number / 7) & ((p < (number + 1) / 7) | (number == 6))
        assert (mean, frequency, count) == (pytest.approx(p[own].mean()), is_true[own].mean(), own.sum())
    assert bins.counts.sum() == 502
    weights = bins.counts / 502
    assert bins.expected_error == pytest.approx(np.sum(weights * np.abs(bins.probability - bins.frequency)))
    assert bins.expected_error < 0.06
    assert reliability(p, ~is_true, 7).expected_error > 0.3


def test_rejects_what_are_no_probabilities():
    with raises_input("probabilities", match=r"from 0 to 1: got 1\.5"):
        reliability([0.5, 1.5], [True, False])
    with raises_input("probabilities"):
        reliability([np.nan], [True])
    with raises_input("outcomes", match="one entry per probability"):
        reliability([0.5], [True, False])
    with raises_input("outcomes"):
        reliability([], [])
    with raises_input("n_bins"):
        reliability([0.5], [True], n_bins=0)

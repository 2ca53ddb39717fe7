"""Weights of particles, and their resampling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._utils.numba import jit_inline
from ..random import draw
from .ancestry import begin_epoch
from .reservoir import N_DOCS
from .state import INCREMENT, N_IN_DOC, N_WORDS, RESAMPLINGS, FilterScratch, FilterSettings, ParticleState

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@jit_inline
def predictive(
    particles: ParticleState, settings: FilterSettings, scratch: FilterScratch, t: Any, n_labels: Any
) -> Any:
    """Set the predictive probability of a token in each particle; returns the log of their weighted mean."""
    reservoir, weight_factors = particles.reservoir, scratch.weight_factors
    doc = reservoir.size[N_DOCS]
    l0 = reservoir.first_label[doc]
    doc_total = np.float64(t - reservoir.first_token[doc])  # Σ_k (n_dk + a_k)
    for label in range(l0, l0 + n_labels):
        doc_total += particles.alpha[reservoir.labels[label]]
    mixture = 0.0
    for p in range(settings.n_particles):
        weight_factors[p] = scratch.sums[n_labels, p] / doc_total
        mixture += particles.weights[p] * weight_factors[p]
    return math.log(mixture)


@jit_inline
def predictive_of_drawn(particles: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> None:
    """Set the predictive probability of a token in each particle under the label that it drew."""
    reservoir = particles.reservoir
    l0 = reservoir.first_label[reservoir.size[N_DOCS]]
    beta = settings.beta * particles.numbers[INCREMENT]
    beta_sum = beta * (settings.n_words if settings.n_words > 0.0 else particles.numbers[N_WORDS])
    for p in range(settings.n_particles):
        j = np.uint64(scratch.choices[p])
        total = particles.totals[reservoir.labels[l0 + j], p] + beta_sum
        scratch.weight_factors[p] = (np.float64(particles.count_table.lanes[scratch.rows[j], p]) + beta) / total


@jit_inline
def reweight(particles: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> Any:
    """Multiply the weights, normalize them, and return the effective number of particles.

    Weights are normalized after every token, so they need no logarithms: one that underflows is 300 orders of magnitude
    below the others.
    """
    weights, weight_factors, n = particles.weights, scratch.weight_factors, settings.n_particles
    if n == _ONE:
        return 1.0
    if settings.tempering != 1.0:
        power = settings.tempering if settings.tempering > 0.0 else 1.0 / np.float64(scratch.position[N_IN_DOC])
        for p in range(n):
            weight_factors[p] = weight_factors[p] ** power
    total = 0.0
    for p in range(n):
        weights[p] *= weight_factors[p]
        total += weights[p]
    squares = 0.0
    for p in range(n):
        weights[p] /= total
        squares += weights[p] * weights[p]
    return 1.0 / squares


@jit_inline
def resample(particles: ParticleState, settings: FilterSettings, scratch: FilterScratch) -> None:
    """Resample particles in proportion to their weights, which are then equal."""
    n, ancestors = settings.n_particles, particles.ancestry.ancestors
    if settings.is_systematic:
        resample_systematic(particles.weights, n, scratch.random, ancestors)
    else:
        resample_multinomial(particles.weights, n, scratch.random, ancestors)
    begin_epoch(particles.ancestry, n)
    for p in range(n):
        particles.weights[p] = 1.0 / np.float64(n)
    particles.counters[RESAMPLINGS] += _ONE


@jit_inline
def resample_systematic(weights: Any, n: Any, random: Any, ancestors: Any) -> None:
    """Systematic resampling: equidistant points with a random start (Carpenter et al. 1999), of lower variance."""
    start = draw(random)
    below, a = weights[_ZERO], _ZERO  # the weight of particles up to and with a
    for p in range(n):
        point = (np.float64(p) + start) / np.float64(n)
        while below <= point and a + _ONE < n:
            a += _ONE
            below += weights[a]
        ancestors[p] = a


@jit_inline
def resample_multinomial(weights: Any, n: Any, random: Any, ancestors: Any) -> None:
    """Multinomial resampling with sorted draws, from the largest down, in one pass over the weights."""
    point, a = 1.0, n - _ONE
    above = weights[a]
    for left in range(n):
        p = n - left  # the largest of p numbers below the last one
        point *= draw(random) ** (1.0 / np.float64(p))
        while above <= 1.0 - point and a > _ZERO:
            a -= _ONE
            above += weights[a]
        ancestors[p - _ONE] = a

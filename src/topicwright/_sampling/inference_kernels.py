"""Kernels of :mod:`.inference`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, add_row, row_sum, walk_row
from .._utils.numba import jit_inline, jit_noalloc
from ..knowledge.factors import TopicMultipliers
from .conditional import walk_smoothing
from .priors import add_extra, extra_sum, walk_extra, word_prior
from .random import draw, mix64
from .topic_weights import TopicWorkspace, add_token, remove_token

_ZERO, _ONE = np.uint64(0), np.uint64(1)


class InferenceScratch(NamedTuple):
    """Workspace of one thread."""

    topics: TopicWorkspace
    multipliers: TopicMultipliers
    assignments: NDArray[np.uint32]
    random: NDArray[np.uint64]


@jit_noalloc
def infer_documents(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    seed: Any,
    schedule: Any,
    theta: Any,
) -> None:
    """Set ``theta[d]`` to the smoothed mean of samples; ``schedule`` is (burn-in, samples)."""
    topics = scratch.topics
    burn_in, n_samples = schedule[0], schedule[1]
    outside_sum = topics.block.sum()
    alpha_sum = topics.alpha.sum()
    for d in range(first, last):
        i0 = offsets[d]
        n = offsets[d + _ONE] - i0
        start_document(scratch, tokens, i0, n, seed)
        n_listed, weight_sum = _ZERO, outside_sum
        for sweep in range(burn_in + n_samples):
            for i in range(n):
                w = np.uint64(tokens[i0 + i])
                n_listed, weight_sum = resample_token(words, beta, scratch, w, i, n_listed, weight_sum, outside_sum)
            if sweep >= burn_in:
                for j in range(n_listed):
                    k = topics.listed[j]
                    theta[d, k] += topics.in_doc[k] / n_samples
        for k in range(theta.shape[1]):
            theta[d, k] = (theta[d, k] + topics.alpha[k]) / (n + alpha_sum)
        reset_document(topics, n_listed)


@jit_noalloc
def expect_documents(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    n_steps: Any,
    shares: Any,
) -> None:
    """Set ``shares[d]`` to expected topic shares, after ``n_steps`` steps towards their fixed point.

    A step is N_k ← Σ_i p_ik with p_ik ∝ (N_k + α_k) φ_kw. It costs the lengths of the rows of the words, not K a token:
    the part of β is summed once for all topics.
    """
    topics = scratch.topics
    in_doc, weight, alpha, n_topics = topics.in_doc, topics.weight, topics.alpha, shares.shape[1]
    alpha_sum = alpha.sum()
    for d in range(first, last):
        i0, i1 = offsets[d], offsets[d + _ONE]
        n = np.float64(i1 - i0)
        sums = shares[d]
        for k in range(n_topics):
            in_doc[k] = n * alpha[k] / alpha_sum
        for _ in range(n_steps):
            weight_sum, to_all = 0.0, 0.0
            for k in range(n_topics):
                weight[k] = (in_doc[k] + alpha[k]) * topics.inverse[k]
                weight_sum += weight[k]
                sums[k] = 0.0
            for i in range(i0, i1):
                w = np.uint64(tokens[i])
                factor = 1.0 / word_mass(words, beta, w, weight, weight_sum)
                to_all += factor * word_prior(beta, w)
                add_row(words, w, factor, sums)
                add_extra(beta, words, w, factor, sums)
            for k in range(n_topics):
                in_doc[k] = weight[k] * (sums[k] + to_all)
        for k in range(n_topics):
            sums[k] = in_doc[k] / n if n > 0.0 else 0.0


@jit_noalloc
def score_left_to_right(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    seed: Any,
    particles: Any,
    likelihoods: Any,
    result: Any,
) -> None:
    """Set ``result[n]`` to log of the particles' mean of p(w_n | z_<n), for each token n.

    Before each word, a particle (a row of ``particles``) resamples the topics of all words before it. Particles are
    then resampled in proportion to the probability of the word, which makes the product over a document unbiased.
    """
    topics = scratch.topics
    n_particles = np.uint64(particles.shape[0])
    outside_sum = topics.block.sum()
    alpha_sum = topics.alpha.sum()
    for d in range(first, last):
        i0 = offsets[d]
        n = offsets[d + _ONE] - i0
        start_document(scratch, tokens, i0, n, seed)
        for i in range(n):
            total = 0.0
            w = np.uint64(tokens[i0 + i])
            for r in range(n_particles):
                n_listed, weight_sum = load_particle(scratch, particles[r], i, outside_sum)
                if i > _ZERO:
                    before = np.uint64(tokens[i0 + i - _ONE])
                    n_listed, weight_sum = resample_token(
                        words, beta, scratch, before, i - _ONE, n_listed, weight_sum, outside_sum
                    )
                for j in range(i):
                    n_listed, weight_sum = resample_token(
                        words, beta, scratch, np.uint64(tokens[i0 + j]), j, n_listed, weight_sum, outside_sum
                    )
                mass = word_mass(words, beta, w, topics.weight, weight_sum)
                likelihoods[r] = mass / (np.float64(i) + alpha_sum)
                total += likelihoods[r]
                for j in range(i):
                    particles[r, j] = scratch.assignments[j]
                reset_document(topics, n_listed)
            result[i0 + i] = math.log(total / n_particles)
            resample_particles(particles, likelihoods, total, i, scratch.random)


@jit_inline
def load_particle(scratch: InferenceScratch, particle: Any, i: Any, outside_sum: Any) -> Any:
    """Load the document of a particle before word i; its last word has no topic yet."""
    topics = scratch.topics
    n_listed, weight_sum = _ZERO, outside_sum
    for j in range(i):
        if j + _ONE < i:
            k = np.uint64(particle[j])
            scratch.assignments[j] = k
            n_listed = add_token(topics, n_listed, k)
            topics.weight[k] += topics.inverse[k]
            weight_sum += topics.inverse[k]
        else:
            scratch.assignments[j] = topics.size.shape[0] - 1
    return n_listed, weight_sum


@jit_inline
def resample_particles(particles: Any, likelihoods: Any, total: Any, n: Any, random: Any) -> None:
    """Systematic resampling in place, in proportion to ``likelihoods``."""
    n_particles = np.uint64(particles.shape[0])
    u = draw(random)
    passed = 0.0
    given = _ZERO
    for r in range(n_particles):  # likelihoods become numbers of copies
        passed += likelihoods[r] / total * n_particles
        copies = _ZERO
        while given < n_particles and (np.float64(given) + u < passed or r + _ONE == n_particles):
            copies += _ONE
            given += _ONE
        likelihoods[r] = np.float64(copies)
    rich = _ZERO
    for poor in range(n_particles):
        if likelihoods[poor] == 0.0:
            while likelihoods[rich] < 2.0:
                rich += _ONE
            likelihoods[rich] -= 1.0
            for i in range(n):
                particles[poor, i] = particles[rich, i]


@jit_noalloc
def score_words(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    theta: Any,
    result: Any,
) -> None:
    """Set ``result[n]`` to log Σ_k θ_dk φ_kw, for each token n."""
    topics = scratch.topics
    for d in range(first, last):
        weight_sum = 0.0
        for k in range(theta.shape[1]):
            topics.weight[k] = theta[d, k] * topics.inverse[k]
            weight_sum += topics.weight[k]
        for i in range(offsets[d], offsets[d + _ONE]):
            result[i] = math.log(word_mass(words, beta, np.uint64(tokens[i]), topics.weight, weight_sum))


@jit_inline
def word_mass(words: CountRows, beta: Any, w: Any, weight: Any, weight_sum: Any) -> Any:
    """Σ_k weight_k (n_kw + b_kw): the probability of a word where weights are θ_dk / (n_k + B)."""
    return row_sum(words, w, weight) + extra_sum(beta, words, w, weight) + word_prior(beta, w) * weight_sum


@jit_inline
def start_document(scratch: InferenceScratch, tokens: Any, i0: Any, n: Any, seed: Any) -> None:
    """Reset the assignments, and seed the random stream by the words."""
    key = mix64(seed + _ONE)
    for i in range(n):
        scratch.assignments[i] = scratch.topics.size.shape[0] - 1
        key = mix64((key ^ np.uint64(tokens[i0 + i])) + _ONE)
    scratch.random[0] = key
    scratch.random[1] = mix64(key) | _ONE


@jit_inline
def resample_token(
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    w: Any,
    i: Any,
    n_listed: Any,
    weight_sum: Any,
    outside_sum: Any,
) -> Any:
    """Draw the topic of token i of the document; returns its number of topics and the sum of weights."""
    topics = scratch.topics
    weight = topics.weight
    none = np.uint64(topics.size.shape[0]) - _ONE
    old = np.uint64(scratch.assignments[i])
    kept = weight[old]
    weight[old] = (topics.in_doc[old] - 1.0 + topics.alpha[old]) * topics.inverse[old]
    sum_now = weight_sum - kept + weight[old]
    row_mass, extra = row_sum(words, w, weight), extra_sum(beta, words, w, weight)
    beta_w = word_prior(beta, w)
    u = draw(scratch.random) * (row_mass + extra + beta_w * sum_now)
    rest = u - row_mass
    if rest < 0.0:
        new, _, _ = walk_row(words, w, weight, u)
    elif rest < extra:
        new = walk_extra(beta, words, w, weight, rest)
    else:
        rest = (rest - extra) / beta_w
        new = walk_smoothing(topics, scratch.multipliers, n_listed, outside_sum, rest, scratch.random)
    if new == old:
        weight[old] = kept
        return n_listed, weight_sum
    scratch.assignments[i] = new
    if old != none:
        n_listed = remove_token(topics, n_listed, old)
    n_listed = add_token(topics, n_listed, new)
    before = weight[new]
    weight[new] = (topics.in_doc[new] + topics.alpha[new]) * topics.inverse[new]
    return n_listed, sum_now - before + weight[new]


@jit_inline
def reset_document(topics: TopicWorkspace, n_listed: Any) -> None:
    """Reset the workspace of the document."""
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        topics.in_doc[k] = 0.0
        topics.weight[k] = topics.alpha[k] * topics.inverse[k]

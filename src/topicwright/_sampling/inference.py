"""Inference for documents with fixed topics: the conditional of training, with counts that do not change.

Topic distributions are expectations, which need no random numbers. Left-to-right estimates draw topics; each document
has its own random stream, keyed by the seed and its words. So results for a document are the same in any batch, in any
order and on any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, add_row, row_sum, walk_row
from .._utils.numba import jit_inline, jit_noalloc
from ..errors import InputError
from ..knowledge.allowed_topics import EVERY_TOPIC, AllowedTopics
from ..knowledge.factors import (
    FactorCounts,
    TokenContext,
    TopicMultipliers,
    apply_factors,
    kernel_with,
    no_multipliers,
)
from ..knowledge.priors import DocumentPriors, SharedCounts
from .conditional import (
    TopicWorkspace,
    add_token,
    apply_ratios,
    new_workspace,
    remove_token,
    undo_ratios,
    walk_smoothing,
)
from .mixture.kernel import add_shared, infer_mixture, new_scratch
from .priors import Beta, BetaSum, add_extra, extra_sum, walk_extra, word_prior
from .random import draw, low_word, mix64

_ZERO, _ONE = np.uint64(0), np.uint64(1)


class InferenceScratch(NamedTuple):
    """Workspace of one thread."""

    topics: TopicWorkspace
    multipliers: TopicMultipliers
    prior: NDArray[np.float64]  # a_dk of the current document
    assignments: NDArray[np.uint32]
    random: NDArray[np.uint64]


@jit_noalloc
def expect_documents(
    tokens: Any,
    offsets: Any,
    first: Any,
    last: Any,
    words: CountRows,
    beta: Any,
    scratch: InferenceScratch,
    rows: Any,
    factors: Any,
    docs: Any,
    allowed: Any,
    shared: Any,
    n_steps: Any,
    is_smoothed: Any,
    priors: Any,
    result: Any,
) -> None:
    """Set ``result[r]`` to the expected topics of document ``rows[r]``, after ``n_steps`` steps to their fixed point.

    A step is N_k ← Σ_i p_ik with p_ik ∝ (N_k + a_dk) φ_kw · g_i(k) over the allowed topics of token i. It costs the
    lengths of the rows of the words, not K a token: the part of β is summed once for all topics. The result is
    θ_k = (N_k + a_dk) / Σ_k (N_k + a_dk) if ``is_smoothed``, and otherwise N_k / N.

    ``docs`` are the topic counts of the training documents, and ``shared`` what linked documents share, for factors
    and priors of training documents; ``allowed`` are their sets of allowed topics, or None. ``priors[r]`` is the α of
    document ``rows[r]``; None if all have that of the workspace.
    """
    topics, multipliers = scratch.topics, scratch.multipliers
    in_doc, weight, alpha, n_topics = topics.in_doc, topics.weight, topics.alpha, np.uint64(result.shape[1])
    prior = scratch.prior
    for r in range(first, last):
        d = np.uint64(rows[r])
        i0, i1 = offsets[d], offsets[d + _ONE]
        n = np.float64(i1 - i0)
        expected = result[r]
        for k in range(n_topics):
            prior[k] = alpha[k] if priors is None else priors[r, k]
        if shared is not None:
            add_shared(docs, shared, d, prior)
        if allowed is not None:
            restrict_prior(allowed, i0, i1, prior)
        prior_sum = 0.0
        for k in range(n_topics):
            prior_sum += prior[k]
        for k in range(n_topics):
            in_doc[k] = n * prior[k] / prior_sum
        for _ in range(n_steps):
            weight_sum, to_all = 0.0, 0.0
            for k in range(n_topics):
                weight[k] = (in_doc[k] + prior[k]) * topics.inverse[k]
                weight_sum += weight[k]
                expected[k] = 0.0
            for i in range(i0, i1):
                w = np.uint64(tokens[i])
                sum_now = weight_sum
                if len(factors) > 0:
                    context = TokenContext(np.uint64(i), d, w, n_topics)
                    apply_factors(factors, context, FactorCounts(words, docs), multipliers)
                    sum_now += apply_ratios(multipliers, weight)
                if allowed is not None and allowed.sets[i] != EVERY_TOPIC:
                    expect_allowed(words, beta, allowed, np.uint64(allowed.sets[i]), w, weight, expected)
                else:
                    factor = 1.0 / word_mass(words, beta, w, weight, sum_now)
                    add_row(words, w, factor, weight, expected)
                    add_extra(beta, w, factor, weight, expected)
                    factor *= word_prior(beta, w)
                    to_all += factor
                    for j in range(multipliers.size[0]):  # to_all counts the weights without factors
                        k = multipliers.topics[j]
                        expected[k] += factor * (weight[k] - multipliers.unscaled[j])
                if len(factors) > 0:
                    undo_ratios(multipliers, weight)
            for k in range(n_topics):
                in_doc[k] = expected[k] + to_all * weight[k]
        for k in range(n_topics):
            if is_smoothed:
                expected[k] = (in_doc[k] + prior[k]) / (n + prior_sum)
            else:
                expected[k] = in_doc[k] / n if n > 0.0 else 0.0


@jit_inline
def restrict_prior(allowed: AllowedTopics, i0: Any, i1: Any, prior: Any) -> None:
    """Set the prior of topics that no token of the document may have to zero."""
    for i in range(i0, i1):
        if allowed.sets[i] == EVERY_TOPIC:
            return
    if i0 == i1:
        return
    for i in range(i0, i1):
        s = np.uint64(allowed.sets[i])
        for j in range(allowed.start[s], allowed.start[s + _ONE]):
            allowed.weight[allowed.topics[j]] = 1.0
    for k in range(prior.shape[0]):
        prior[k] *= allowed.weight[k]
        allowed.weight[k] = 0.0


@jit_inline
def expect_allowed(
    words: CountRows, beta: Any, allowed: AllowedTopics, s: Any, w: Any, weight: Any, expected: Any
) -> None:
    """Add the expected topic of a token with a set of allowed topics."""
    inside, inside_sum = allowed.weight, 0.0
    for j in range(allowed.start[s], allowed.start[s + _ONE]):
        k = allowed.topics[j]
        inside[k] = weight[k]
        inside_sum += weight[k]
    factor = 1.0 / word_mass(words, beta, w, inside, inside_sum)
    add_row(words, w, factor, inside, expected)
    add_extra(beta, w, factor, inside, expected)
    factor *= word_prior(beta, w)
    for j in range(allowed.start[s], allowed.start[s + _ONE]):
        k = allowed.topics[j]
        expected[k] += factor * inside[k]
        inside[k] = 0.0


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
    return row_sum(words, w, weight) + extra_sum(beta, w, weight) + word_prior(beta, w) * weight_sum


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
    row_mass, extra = row_sum(words, w, weight), extra_sum(beta, w, weight)
    beta_w = word_prior(beta, w)
    u = draw(scratch.random) * (row_mass + extra + beta_w * sum_now)
    rest = u - row_mass
    if rest < 0.0:
        new, _, _ = walk_row(words, w, weight, u)
    elif rest < extra:
        new = walk_extra(beta, w, weight, rest)
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


_DOCS_PER_TASK = 256


class TopicSnapshot(NamedTuple):
    """Counts and priors of a trained model, in the form that kernels read."""

    words: CountRows
    sizes: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: Beta
    beta_sum: BetaSum
    is_mixture: bool = False  # every document has one topic


class TokenBatch(NamedTuple):
    """Documents: word ids, and the offset of each document."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


class DocumentKnowledge(NamedTuple):
    """Knowledge about the documents of a batch, as training used it."""

    docs: CountRows | None = None  # topic counts of the documents
    factors: tuple[Any, ...] = ()
    allowed: AllowedTopics | None = None
    shared: SharedCounts | None = None  # counts of linked documents


_N_STEPS = 20  # the shares of topics then differ from the fixed point by 0.001 to 0.007 in all
_NO_KNOWLEDGE = DocumentKnowledge()


def infer(
    frozen: TopicSnapshot,
    docs: TokenBatch,
    *,
    rows: NDArray[np.int64] | None = None,
    knowledge: DocumentKnowledge = _NO_KNOWLEDGE,
    priors: NDArray[np.float64] | None = None,
    n_steps: int = _N_STEPS,
    is_smoothed: bool = True,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """Topic distribution θ of each document given the topics, deterministic and faster than draws.

    At the fixed point, θ is the mode of its posterior, with a prior of a_d + 1 (the folding in of PLSA, smoothed).

    Parameters
    ----------
    frozen : TopicSnapshot
        Topics.
    docs : TokenBatch
        Documents.
    rows : array, optional
        Documents to infer; by default all.
    knowledge : DocumentKnowledge
        Knowledge about the documents.
    priors : array of shape (n_docs, n_topics), optional
        α of each of these documents; by default that of the topics. Mixtures do not use it.
    n_steps : int
        Number of fixed-point steps.
    is_smoothed : bool
        False gives the expected shares of the document's tokens instead: zero for a document without words.
    n_jobs : int
        Number of threads.
    """
    chosen = np.arange(len(docs.offsets) - 1) if rows is None else rows
    result = np.zeros((len(chosen), len(frozen.alpha)))
    if frozen.is_mixture:
        _infer_one_topic(frozen, docs, chosen, knowledge, n_jobs, result)
        return result
    kernel = kernel_with(expect_documents, knowledge.factors)

    def expect(*part: Any) -> None:
        allowed = knowledge.allowed and knowledge.allowed._replace(weight=np.zeros(len(frozen.alpha) + 1))
        of_documents = (knowledge.factors, knowledge.docs, allowed, knowledge.shared)
        kernel(*part, chosen, *of_documents, np.int64(n_steps), is_smoothed, priors, result)

    _run_in_parallel(frozen, docs, len(chosen), n_jobs, expect)
    return result


def _infer_one_topic(
    frozen: TopicSnapshot,
    docs: TokenBatch,
    rows: NDArray[np.int64],
    knowledge: DocumentKnowledge,
    n_jobs: int,
    result: NDArray[np.float64],
) -> None:
    """Set ``result`` to the posterior of the topic of each document of a mixture."""
    kernel, n_topics = kernel_with(infer_mixture, knowledge.factors), len(frozen.alpha)
    shared = knowledge.shared
    pseudo = shared and (shared, DocumentPriors(np.zeros_like(shared.start), np.empty(0, np.uint32), np.empty(0)))

    def expect(tokens: Any, offsets: Any, first: Any, last: Any, words: CountRows, beta: Any, _: Any) -> None:
        of_topics = (words, beta, frozen.sizes, frozen.alpha, frozen.beta_sum)
        of_documents = (np.arange(len(tokens)), rows, knowledge.factors, knowledge.docs)
        workspace = (no_multipliers(n_topics), knowledge.allowed, pseudo, new_scratch(n_topics))
        kernel(tokens, offsets, first, last, *of_topics, *of_documents, *workspace, result)

    _run_in_parallel(frozen, docs, len(rows), n_jobs, expect)


def left_to_right(
    frozen: TopicSnapshot, docs: TokenBatch, *, seed: int, n_particles: int, n_jobs: int = 1
) -> NDArray[np.float64]:
    """Estimates of log p(w_n | the words before it) of each token; the exponential of a document's sum is unbiased.

    This is the estimator of Wallach et al. 2009 ("Evaluation methods for topic models"), with one step more: the
    particles are resampled after each word. Without it the estimate stays biased for any number of particles.
    """
    result = np.zeros(len(docs.tokens))
    longest = int(np.diff(docs.offsets).max(initial=0))

    def score(*part: Any) -> None:
        particles = np.zeros((n_particles, longest), np.uint32)
        score_left_to_right(*part, low_word(seed), particles, np.zeros(n_particles), result)

    _run_in_parallel(frozen, docs, len(docs.offsets) - 1, n_jobs, score)
    return result


def log_probability(
    frozen: TopicSnapshot, docs: TokenBatch, theta: NDArray[np.float64], n_jobs: int = 1
) -> NDArray[np.float64]:
    """log p(w_n | θ_d) of each token."""
    result = np.zeros(len(docs.tokens))
    n_docs = len(docs.offsets) - 1
    _run_in_parallel(frozen, docs, n_docs, n_jobs, lambda *part: score_words(*part, theta, result))
    return result


def _run_in_parallel(
    frozen: TopicSnapshot, docs: TokenBatch, n_docs: int, n_jobs: int, run: Callable[..., None]
) -> None:
    """Call ``run`` for ranges of ``n_docs`` documents in parallel, each with its own workspace."""
    tokens, offsets = docs.tokens.view(np.uint32), docs.offsets.view(np.uint64)
    longest, n_topics = int(np.diff(docs.offsets).max(initial=0)), len(frozen.alpha)

    def part(first: int) -> None:
        topics = new_workspace(frozen.sizes, frozen.alpha, frozen.beta_sum)
        assignments, random = np.zeros(longest, np.uint32), np.zeros(2, np.uint64)
        scratch = InferenceScratch(topics, no_multipliers(n_topics), np.zeros(n_topics), assignments, random)
        last = min(first + _DOCS_PER_TASK, n_docs)
        run(tokens, offsets, np.uint64(first), np.uint64(last), frozen.words, frozen.beta, scratch)

    firsts = range(0, n_docs, _DOCS_PER_TASK)
    if n_jobs == 1 or len(firsts) < 2:
        for first in firsts:
            part(first)
    else:
        with ThreadPoolExecutor(n_jobs, thread_name_prefix="topicwright") as pool:
            list(pool.map(part, firsts))


FOLD_IN, COMPLETION, LEFT_TO_RIGHT = "fold-in", "completion", "left-to-right"
METHODS = (COMPLETION, LEFT_TO_RIGHT)  # that do not score the words from which they infer


def heldout_log_probabilities(
    frozen: TopicSnapshot,
    docs: TokenBatch,
    method: str = COMPLETION,
    *,
    seed: int = 0,
    n_particles: int = 20,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """log p of each scored word of new documents.

    "completion" infers θ from every other word of a document and scores the words between; "left-to-right" scores
    all words, each given those before it, and is exact in the limit of many particles, in time quadratic in
    the documents' length. "fold-in" infers θ from the words that it scores.
    """
    if method == LEFT_TO_RIGHT:
        if frozen.is_mixture:
            raise InputError(
                parameter="method", expected=f"{COMPLETION!r} for documents with one topic each", got=method
            )
        return left_to_right(frozen, docs, seed=seed, n_particles=n_particles, n_jobs=n_jobs)
    seen, scored = split_alternating(docs) if method == COMPLETION else (docs, docs)
    return log_probability(frozen, scored, infer(frozen, seen, n_jobs=n_jobs), n_jobs)


def split_alternating(docs: TokenBatch) -> tuple[TokenBatch, TokenBatch]:
    """Documents of every other word, and documents of the words between."""
    context = np.arange(len(docs.tokens)) - np.repeat(docs.offsets[:-1], np.diff(docs.offsets))
    return _select_tokens(docs, context % 2 == 0), _select_tokens(docs, context % 2 == 1)


def _select_tokens(docs: TokenBatch, wanted: NDArray[np.bool_]) -> TokenBatch:
    before = np.concatenate([[0], np.cumsum(wanted)])
    return TokenBatch(docs.tokens[wanted], before[docs.offsets].astype(np.int64))

"""Inference for new documents with fixed topics: the conditional of training, with counts that do not change.

Each document has its own random stream, keyed by the seed and its words. So results for a document are the same in any
batch, in any order and on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows
from ..knowledge.factors import no_multipliers
from .inference_kernels import InferenceScratch, expect_documents, infer_documents, score_left_to_right, score_words
from .priors import Beta, BetaSum
from .random import low_word
from .topic_weights import new_workspace

_DOCS_PER_TASK = 256


class TopicSnapshot(NamedTuple):
    """Counts and priors of a trained model, in the form that kernels read."""

    words: CountRows
    sizes: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: Beta
    beta_sum: BetaSum


class TokenBatch(NamedTuple):
    """Documents: word ids, and the offset of each document."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


def infer(
    frozen: TopicSnapshot, docs: TokenBatch, *, seed: int, burn_in: int, n_samples: int, n_jobs: int = 1
) -> NDArray[np.float64]:
    """θ of each document: the mean of ``n_samples`` draws after ``burn_in`` sweeps, smoothed by α."""
    theta = np.zeros((len(docs.offsets) - 1, len(frozen.alpha)))
    schedule = np.array([burn_in, n_samples])
    _run_in_parallel(frozen, docs, n_jobs, lambda *part: infer_documents(*part, low_word(seed), schedule, theta))
    return theta


def expected_shares(frozen: TopicSnapshot, docs: TokenBatch, *, n_steps: int, n_jobs: int = 1) -> NDArray[np.float64]:
    """Expected topic shares of the tokens of each document, which are deterministic and faster than draws.

    At the fixed point, θ = (shares · N + α) / (N + Σα) is the mode of its posterior, with a prior of
    α + 1 (the folding in of PLSA, smoothed). A document without words has no shares.
    """
    shares = np.zeros((len(docs.offsets) - 1, len(frozen.alpha)))
    _run_in_parallel(frozen, docs, n_jobs, lambda *part: expect_documents(*part, np.int64(n_steps), shares))
    return shares


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

    _run_in_parallel(frozen, docs, n_jobs, score)
    return result


def log_probability(
    frozen: TopicSnapshot, docs: TokenBatch, theta: NDArray[np.float64], n_jobs: int = 1
) -> NDArray[np.float64]:
    """log p(w_n | θ_d) of each token."""
    result = np.zeros(len(docs.tokens))
    _run_in_parallel(frozen, docs, n_jobs, lambda *part: score_words(*part, theta, result))
    return result


def _run_in_parallel(frozen: TopicSnapshot, docs: TokenBatch, n_jobs: int, run: Callable[..., None]) -> None:
    """Call ``run`` for ranges of documents in parallel, each with its own workspace."""
    tokens, offsets = docs.tokens.view(np.uint32), docs.offsets.view(np.uint64)
    n_docs = len(offsets) - 1

    def part(first: int) -> None:
        last = min(first + _DOCS_PER_TASK, n_docs)
        longest = int(np.diff(docs.offsets[first : last + 1]).max())
        topics = new_workspace(frozen.sizes, frozen.alpha, frozen.beta_sum)
        nothing = no_multipliers(len(frozen.alpha))
        scratch = InferenceScratch(topics, nothing, np.zeros(longest, np.uint32), np.zeros(2, np.uint64))
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
    frozen: TopicSnapshot, docs: TokenBatch, method: str = COMPLETION, *, n_particles: int = 20, **inference: Any
) -> NDArray[np.float64]:
    """log p of each scored word of new documents.

    "completion" infers θ from every other word of a document and scores the words between; "left-to-right" scores
    all words, each given those before it, and is exact in the limit of many particles, in time quadratic in
    the documents' length. "fold-in" infers θ from the words that it scores.
    """
    if method == LEFT_TO_RIGHT:
        return left_to_right(frozen, docs, seed=inference["seed"], n_particles=n_particles, n_jobs=inference["n_jobs"])
    seen, scored = _split_alternating(docs) if method == COMPLETION else (docs, docs)
    theta = infer(frozen, seen, **inference)
    return log_probability(frozen, scored, theta, inference["n_jobs"])


def _split_alternating(docs: TokenBatch) -> tuple[TokenBatch, TokenBatch]:
    context = np.arange(len(docs.tokens)) - np.repeat(docs.offsets[:-1], np.diff(docs.offsets))
    return _select_tokens(docs, context % 2 == 0), _select_tokens(docs, context % 2 == 1)


def _select_tokens(docs: TokenBatch, wanted: NDArray[np.bool_]) -> TokenBatch:
    before = np.concatenate([[0], np.cumsum(wanted)])
    return TokenBatch(docs.tokens[wanted], before[docs.offsets].astype(np.int64))

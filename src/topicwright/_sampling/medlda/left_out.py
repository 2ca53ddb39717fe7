"""Topic shares of training documents, as if the document had not been part of the training."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.count_rows import entry_at, row_bounds
from ..._utils.numba import jit
from ..inference import TokenBatch, TopicSnapshot
from ..priors import extra_at, has_extra, with_dense_priors, word_prior

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_DOCS_PER_CALL = 256


def left_out_shares(
    topics: TopicSnapshot,
    docs: TokenBatch,
    assignments: NDArray[np.uint32],
    n_steps: int,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """Expected share of each topic in each document, given the topics of the tokens of all others.

    The fixed point of :func:`topicwright._sampling.inference.infer` without smoothing, with counts from which the
    document's own tokens are removed. Labels place words that occur in a single document; without the removal,
    training documents would look easier to predict than new ones.
    """
    shares = np.zeros((len(docs.offsets) - 1, len(topics.alpha)))
    beta = with_dense_priors(topics.beta, len(topics.alpha))
    total = np.asarray(topics.sizes + topics.beta_sum, np.float64)
    longest = int(np.diff(docs.offsets).max(initial=0))
    n_words = len(topics.words.start)

    def infer(first: int) -> None:
        infer_left_out(
            docs.tokens.view(np.uint32),
            docs.offsets.view(np.uint64),
            assignments,
            np.uint64(first),
            np.uint64(min(first + _DOCS_PER_CALL, len(shares))),
            topics.words,
            beta,
            total,
            topics.alpha,
            np.zeros(n_words, np.uint32),
            np.zeros((min(longest, n_words), len(topics.alpha))),
            np.int64(n_steps),
            shares,
        )

    with ThreadPoolExecutor(n_jobs, thread_name_prefix="topicwright") as pool:
        list(pool.map(infer, range(0, len(shares), _DOCS_PER_CALL)))
    return shares


@jit
def infer_left_out(
    tokens: Any,
    offsets: Any,
    assignments: Any,
    first: Any,
    last: Any,
    words: Any,
    beta: Any,
    total: Any,
    alpha: Any,
    slot: Any,
    rows: Any,
    n_steps: Any,
    shares: Any,
) -> None:
    """Set ``shares[d]``. ``slot`` is zero for each word between documents; ``rows`` has room for distinct words."""
    n_topics = np.uint64(alpha.shape[0])
    alpha_sum = alpha.sum()
    own, weight, expected = np.zeros(n_topics), np.zeros(n_topics), np.zeros(n_topics)
    count = np.zeros(rows.shape[0])
    for d in range(first, last):
        i0, i1 = offsets[d], offsets[d + _ONE]
        n = np.float64(i1 - i0)
        if n == 0.0:
            continue
        n_distinct = _ZERO
        own[:] = 0.0
        for i in range(i0, i1):
            w, z = np.uint64(tokens[i]), np.uint64(assignments[i])
            if slot[w] == 0:
                slot[w] = n_distinct + _ONE
                count[n_distinct] = 0.0
                load_row(words, beta, w, rows[n_distinct])
                n_distinct += _ONE
            at = np.uint64(slot[w]) - _ONE
            count[at] += 1.0
            rows[at, z] -= 1.0
            own[z] += 1.0
        for k in range(n_topics):
            expected[k] = n * alpha[k] / alpha_sum
        for _ in range(n_steps):
            for k in range(n_topics):
                weight[k] = (expected[k] + alpha[k]) / (total[k] - own[k])
                expected[k] = 0.0
            for row in range(n_distinct):
                mass = 0.0
                for k in range(n_topics):
                    mass += weight[k] * rows[row, k]
                factor = count[row] / mass
                for k in range(n_topics):
                    expected[k] += factor * weight[k] * rows[row, k]
        for k in range(n_topics):
            shares[d, k] = expected[k] / n
        for i in range(i0, i1):
            slot[np.uint64(tokens[i])] = 0


@jit
def load_row(words: Any, beta: Any, w: Any, row: Any) -> None:
    """Set ``row`` to n_kw + b_kw of a word."""
    prior = word_prior(beta, w)
    for k in range(np.uint64(row.shape[0])):
        row[k] = prior
        if has_extra(beta):
            row[k] += extra_at(beta, w, k)
    j, end = row_bounds(words, w)
    while j < end:
        k, number = entry_at(words, j)
        row[k] += number
        j += _ONE

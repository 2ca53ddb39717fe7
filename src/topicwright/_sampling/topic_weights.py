"""Workspace of the sparse sampler: weights and counts of each topic, with and without the current document."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import CountRows, entry_at, row_bounds
from .._utils.numba import jit_inline
from ..knowledge.priors import SharedCounts
from .priors import BetaSum, topic_prior_sum

_ZERO, _ONE = np.uint64(0), np.uint64(1)
BLOCK_BITS = np.uint64(8)  # weights are also summed in blocks of 256 topics, so that a draw need not pass all topics


class TopicWorkspace(NamedTuple):
    """Arrays by topic, with one more entry for tokens that have no topic yet."""

    size: NDArray[np.int64]  # n_k
    alpha: NDArray[np.float64]
    inverse: NDArray[np.float64]  # 1 / (n_k + B)
    inverse_less: NDArray[np.float64]  # 1 / (n_k - 1 + B): with one token taken out
    weight: NDArray[np.float64]  # (n_dk + a_k) / (n_k + B) in the current document
    block: NDArray[np.float64]  # sums of a_k / (n_k + B) over blocks of topics
    in_doc: NDArray[np.float64]  # n_dk
    listed: NDArray[np.uint32]  # topics with n_dk > 0, unordered
    where: NDArray[np.uint32]  # index of a topic in that list


def new_workspace(size: NDArray[np.int64], alpha: NDArray[np.float64], beta_sum: BetaSum) -> TopicWorkspace:
    """Workspace outside of any document."""
    n_topics = len(size)
    inverse = np.append(1.0 / (size + beta_sum), 0.0)
    with np.errstate(divide="ignore"):
        inverse_less = np.append(1.0 / (size - 1 + beta_sum), 0.0)
    weight = np.append(alpha, 0.0) * inverse
    block_of = np.arange(n_topics + 1) >> int(BLOCK_BITS)
    return TopicWorkspace(
        size=np.append(size, 0),
        alpha=np.append(alpha, 0.0),
        inverse=inverse,
        inverse_less=inverse_less,
        weight=weight,
        block=np.bincount(block_of, weights=weight).astype(np.float64),
        in_doc=np.zeros(n_topics + 1),
        listed=np.zeros(n_topics + 1, np.uint32),
        where=np.zeros(n_topics + 1, np.uint32),
    )


@jit_inline
def enter_document(topics: TopicWorkspace, docs: CountRows, d: Any) -> Any:
    """Load the counts of a document; returns its number of topics, and their part of the sum of weights."""
    r0, r1 = row_bounds(docs, d)
    n_listed = r1 - r0
    gained = 0.0
    for j in range(n_listed):
        entry = docs.entries[r0 + j]
        k = entry & docs.mask
        count = np.float64(np.int64(entry >> docs.shift))
        topics.listed[j] = k
        topics.where[k] = j
        topics.in_doc[k] = count
        part = count * topics.inverse[k]
        topics.weight[k] += part
        gained += part
    return n_listed, gained


class LinkedDocumentCounts(NamedTuple):
    """Counts of linked documents that are added to those of the current one."""

    shared: SharedCounts
    added: NDArray[np.float64]  # to the current document, by topic


@jit_inline
def add_linked_counts(
    topics: TopicWorkspace, docs: CountRows, linked_docs: LinkedDocumentCounts, d: Any, n_listed: Any
) -> Any:
    """Add shares of the counts of linked documents to this one; returns as :func:`enter_document`."""
    gained = 0.0
    for link in range(linked_docs.shared.start[d], linked_docs.shared.start[d + _ONE]):
        j, end = row_bounds(docs, linked_docs.shared.sources[link])
        while j < end:
            k, count = entry_at(docs, j)
            more = linked_docs.shared.share[link] * count
            if topics.in_doc[k] == 0.0:
                topics.where[k] = n_listed
                topics.listed[n_listed] = k
                n_listed += _ONE
            topics.in_doc[k] += more
            linked_docs.added[k] += more
            topics.weight[k] += more * topics.inverse[k]
            gained += more * topics.inverse[k]
            j += _ONE
    return n_listed, gained


@jit_inline
def remove_linked_counts(topics: TopicWorkspace, linked_docs: LinkedDocumentCounts, n_listed: Any) -> Any:
    """Subtract the counts of linked documents; returns the number of topics of the document."""
    kept = _ZERO
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        topics.in_doc[k] = np.rint(topics.in_doc[k] - linked_docs.added[k])
        linked_docs.added[k] = 0.0
        if topics.in_doc[k] > 0.0:
            topics.listed[kept] = k
            kept += _ONE
        else:
            topics.weight[k] = topics.alpha[k] * topics.inverse[k]
    return kept


@jit_inline
def leave_document(topics: TopicWorkspace, docs: CountRows, d: Any, n_listed: Any) -> None:
    """Store the counts of a document, in time proportional to its topics."""
    r0, _ = row_bounds(docs, d)
    for j in range(n_listed):
        k = np.uint64(topics.listed[j])
        docs.entries[r0 + j] = (np.uint64(topics.in_doc[k]) << np.uint64(docs.shift)) | k
        topics.in_doc[k] = 0.0
        topics.weight[k] = topics.alpha[k] * topics.inverse[k]
    docs.entries[docs.start[d]] = n_listed


@jit_inline
def remove_token(topics: TopicWorkspace, n_listed: Any, k: Any) -> Any:
    """Remove a token of topic k from the counts of the document; returns its number of topics."""
    topics.in_doc[k] -= 1.0
    if topics.in_doc[k] == 0.0:
        n_listed -= _ONE
        hole = topics.where[k]
        last = topics.listed[n_listed]
        topics.listed[hole] = last
        topics.where[last] = hole
    return n_listed


@jit_inline
def add_token(topics: TopicWorkspace, n_listed: Any, k: Any) -> Any:
    """Add a token of topic k to the counts of the document; returns its number of topics."""
    if topics.in_doc[k] == 0.0:
        topics.where[k] = n_listed
        topics.listed[n_listed] = k
        n_listed += _ONE
    topics.in_doc[k] += 1.0
    return n_listed


@jit_inline
def leave_topic(topics: TopicWorkspace, n_listed: Any, k: Any, beta_sum: Any) -> Any:
    """Remove a token from topic k, whose weight is reduced already; returns number of topics and block change."""
    n_listed = remove_token(topics, n_listed, k)
    topics.size[k] -= 1
    change = topics.alpha[k] * (topics.inverse_less[k] - topics.inverse[k])
    topics.inverse[k] = topics.inverse_less[k]
    topics.inverse_less[k] = 1.0 / (topics.size[k] - 1 + topic_prior_sum(beta_sum, k))
    topics.block[k >> BLOCK_BITS] += change
    return n_listed, change


@jit_inline
def enter_topic(topics: TopicWorkspace, n_listed: Any, k: Any, beta_sum: Any) -> Any:
    """Add a token to topic k; returns the number of topics and the block change."""
    n_listed = add_token(topics, n_listed, k)
    topics.size[k] += 1
    topics.inverse_less[k] = topics.inverse[k]
    topics.inverse[k] = 1.0 / (topics.size[k] + topic_prior_sum(beta_sum, k))
    change = topics.alpha[k] * (topics.inverse[k] - topics.inverse_less[k])
    topics.block[k >> BLOCK_BITS] += change
    topics.weight[k] = (topics.in_doc[k] + topics.alpha[k]) * topics.inverse[k]
    return n_listed, change

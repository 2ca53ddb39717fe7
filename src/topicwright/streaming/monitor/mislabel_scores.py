"""Scores of documents: how much better other labels than their own explain them.

For each word, the labels with the highest rates of it are stored, with their counts n_kw. A label that is not stored
gets its part of the rest:  n_kw = n_k (n_w − Σ n_jw) / (n − Σ n_j), with sums over the stored labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.intrinsics import prefetch
from ..._utils.numba import jit_inline, jit_noalloc
from .model_access import Floats, ModelStatistics, MonitoredDocuments, log_evidence, read_counts, total_of

_ZERO, _ONE, _CACHE_LINE = np.uint64(0), np.uint64(1), np.uint64(16)  # four-byte entries per cache line
MAX_ALTERNATIVES = 4  # labels that replace those of a document
SHORTLIST = 8  # labels to try
_MIN_LIFT = 1.5  # frequency of a word in a label relative to elsewhere, from which it votes for it


class LabelEvidence(NamedTuple):
    """Evidence of words for labels."""

    labels: NDArray[np.int32]  # by word, unordered; negative after the last
    counts: NDArray[np.float32]  # n_kw
    rest: Floats  # p(w | k) of labels that are not stored
    totals: Floats  # n_k, by label
    tokens: Floats  # n_w


def new_evidence(slots: int) -> LabelEvidence:
    """Empty evidence with room for ``slots`` labels per word."""
    none: Floats = np.zeros(0)
    return LabelEvidence(np.zeros((0, slots), np.int32), np.zeros((0, slots), np.float32), none, none, none)


class ScoringWorkspace(NamedTuple):
    """Buffers of the kernel for one document, at least as large as needed."""

    words: NDArray[np.uint32]  # words that were seen before
    times: Floats
    background: Floats  # p(w)
    labels: NDArray[np.uint32]  # its own, and the shortlist
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    alternatives: NDArray[np.int64]  # rows of the labels that replace its own
    shares: Floats
    other_shares: Floats
    contributions: Floats  # log-likelihood gain of each word with the other labels
    voted: NDArray[np.int64]  # labels with votes
    votes: Floats  # by label; all zeros between documents
    positions: NDArray[np.int64]  # rows by label; all negative between documents


class ScoringParams(NamedTuple):
    """Parameters of the scores."""

    unseen: float  # pseudo-count of each word
    n_all: float  # tokens including pseudo-counts
    prior: float  # c
    least: float  # words that a label must have to be tried
    alpha: float


def new_scoring_workspace(n_words: int, n_own: int, n_all_labels: int, slots: int) -> ScoringWorkspace:
    """Workspace for documents of up to this many words and labels."""
    n = n_own + SHORTLIST
    return ScoringWorkspace(
        words=np.zeros(n_words, np.uint32),
        times=np.zeros(n_words),
        background=np.zeros(n_words),
        labels=np.zeros(n, np.uint32),
        expected=np.zeros((n, n_words)),
        rows=np.arange(n),
        alternatives=np.zeros(MAX_ALTERNATIVES, np.int64),
        shares=np.zeros(n),
        other_shares=np.zeros(MAX_ALTERNATIVES),
        contributions=np.zeros(n_words),
        voted=np.zeros(n_words * slots, np.int64),
        votes=np.zeros(n_all_labels),
        positions=np.full(n_all_labels, -1),
    )


@jit_noalloc
def score_labels(
    evidence: LabelEvidence, params: ScoringParams, words: Any, times: Any, labels: Any, workspace: ScoringWorkspace
) -> Any:
    """Compare the document's own labels with as many others, at most four, which are chosen greedily.

    Labels with few words are not tried. If all own labels have few words, the score is −inf. If no other label has
    votes, the document is compared with the background. Returns the score, the number of words that were seen before,
    and the number of other labels. Their rows are in ``workspace.alternatives``, and the contribution of each word
    is in ``workspace.contributions``.
    """
    n_own, expected, alpha = np.uint64(labels.shape[0]), workspace.expected, params.alpha
    n_words = _collect_words(evidence, params, words, times, workspace)
    largest = 0.0
    for k in range(n_own):
        workspace.labels[k] = labels[k]
        largest = max(largest, evidence.totals[np.uint64(labels[k])])
    if largest < params.least or n_words == _ZERO:
        return -np.inf, np.int64(n_words), np.int64(0)
    n_labels = n_own + _shortlist(evidence, params, workspace, n_words, n_own)
    _fill_expected(evidence, params, workspace, n_words, n_labels)
    seen_times = workspace.times[:n_words]
    own = log_evidence(expected, workspace.rows, n_own, seen_times, alpha, workspace.shares)
    n_alternatives, best = _ZERO, -np.inf
    while n_alternatives < min(n_own, np.uint64(MAX_ALTERNATIVES)):
        found: Any = _ZERO
        here = best
        for row in range(n_own, n_labels):
            if _is_chosen(workspace.alternatives, n_alternatives, row):
                continue
            workspace.alternatives[n_alternatives] = np.int64(row)
            log_p = log_evidence(
                expected, workspace.alternatives, n_alternatives + _ONE, seen_times, alpha, workspace.other_shares
            )
            if log_p > here:
                found, here = row, log_p
        if found == _ZERO:
            break
        workspace.alternatives[n_alternatives] = np.int64(found)
        n_alternatives, best = n_alternatives + _ONE, here
    if n_alternatives == _ZERO:
        best = _log_background(workspace, n_words)
    if n_alternatives > _ZERO:
        log_evidence(expected, workspace.alternatives, n_alternatives, seen_times, alpha, workspace.other_shares)
        _word_contributions(workspace, n_words, n_own, n_alternatives)
    length = 0.0
    for w in range(n_words):
        length += seen_times[w]
    return (best - own) / np.sqrt(length), np.int64(n_words), np.int64(n_alternatives)


@jit_inline
def _collect_words(
    evidence: LabelEvidence, params: ScoringParams, words: Any, times: Any, workspace: ScoringWorkspace
) -> Any:
    """Collect the words that were seen before, and prefetch their evidence; returns their number."""
    n, slots = _ZERO, np.uint64(evidence.labels.shape[1])
    for w in range(np.uint64(words.shape[0])):
        tokens = evidence.tokens[np.uint64(words[w])]
        if tokens > 0.0:
            for slot in range(_ZERO, slots, _CACHE_LINE):
                prefetch(evidence.labels, np.uint64(words[w]) * slots + slot)
                prefetch(evidence.counts, np.uint64(words[w]) * slots + slot)
            workspace.words[n], workspace.times[n] = words[w], np.float64(times[w])
            workspace.background[n] = (tokens + params.unseen) / params.n_all
            n += _ONE
    return n


@jit_inline
def _log_background(workspace: ScoringWorkspace, n_words: Any) -> Any:
    log_p = 0.0
    for w in range(n_words):
        log_p += workspace.times[w] * np.log(workspace.background[w])
    return log_p


@jit_inline
def _is_chosen(alternatives: Any, n: Any, row: Any) -> Any:
    found = False
    for m in range(n):
        found |= alternatives[m] == np.int64(row)
    return found


@jit_inline
def _shortlist(
    evidence: LabelEvidence, params: ScoringParams, workspace: ScoringWorkspace, n_words: Any, n_own: Any
) -> Any:
    """Append the labels with the most votes to the document's own; returns their number."""
    votes, voted, n_voted, n = workspace.votes, workspace.voted, _ZERO, _ZERO
    for w in range(n_words):
        word = np.uint64(workspace.words[w])
        for slot in range(np.uint64(evidence.labels.shape[1])):
            if evidence.labels[word, slot] < 0:
                break
            label = np.uint64(evidence.labels[word, slot])
            lift = np.float64(evidence.counts[word, slot]) / (
                workspace.background[w] * (evidence.totals[label] + params.prior)
            )
            if lift < _MIN_LIFT:
                continue
            if votes[label] == 0.0:
                voted[n_voted] = np.int64(label)
                n_voted += _ONE
            votes[label] += workspace.times[w] * np.log(lift)
    for k in range(n_own):
        votes[np.uint64(workspace.labels[k])] = 0.0
    while n < np.uint64(SHORTLIST):
        best, most = np.int64(-1), 0.0
        for m in range(n_voted):
            if votes[np.uint64(voted[m])] > most:
                best, most = voted[m], votes[np.uint64(voted[m])]
        if best < 0:
            break
        votes[np.uint64(best)] = 0.0
        if evidence.totals[np.uint64(best)] >= params.least:
            workspace.labels[n_own + n] = np.uint32(best)
            n += _ONE
    for m in range(n_voted):
        votes[np.uint64(voted[m])] = 0.0
    return n


@jit_inline
def _fill_expected(
    evidence: LabelEvidence, params: ScoringParams, workspace: ScoringWorkspace, n_words: Any, n_labels: Any
) -> None:
    """Compute p(w | k) of the document's words for all labels of the list."""
    for k in range(n_labels):
        workspace.positions[np.uint64(workspace.labels[k])] = np.int64(k)
    for w in range(n_words):
        word, prior = np.uint64(workspace.words[w]), params.prior * workspace.background[w]
        for k in range(n_labels):
            total = evidence.totals[np.uint64(workspace.labels[k])]
            workspace.expected[k, w] = (evidence.rest[word] * total + prior) / (total + params.prior)
        for slot in range(np.uint64(evidence.labels.shape[1])):
            if evidence.labels[word, slot] < 0:
                break
            label = np.uint64(evidence.labels[word, slot])
            if workspace.positions[label] >= 0:
                count, total = np.float64(evidence.counts[word, slot]), evidence.totals[label]
                workspace.expected[np.uint64(workspace.positions[label]), w] = (count + prior) / (total + params.prior)
    for k in range(n_labels):
        workspace.positions[np.uint64(workspace.labels[k])] = -1


@jit_inline
def _word_contributions(workspace: ScoringWorkspace, n_words: Any, n_own: Any, n_alternatives: Any) -> None:
    own_sum, other_sum = 0.0, 0.0
    for k in range(n_own):
        own_sum += workspace.shares[k]
    for k in range(n_alternatives):
        other_sum += workspace.other_shares[k]
    for w in range(n_words):
        own, other = 0.0, 0.0
        for k in range(n_own):
            own += workspace.shares[k] * workspace.expected[k, w]
        for k in range(n_alternatives):
            other += workspace.other_shares[k] * workspace.expected[np.uint64(workspace.alternatives[k]), w]
        workspace.contributions[w] = workspace.times[w] * np.log(other / other_sum * own_sum / own)


@jit_noalloc
def update_evidence(
    model: ModelStatistics,
    documents: MonitoredDocuments,
    n_tokens: Any,
    prior: Any,
    entries: Any,
    counts: Any,
    evidence: LabelEvidence,
) -> None:
    """Update the evidence of the words of documents that were learned; it replaces weaker evidence.

    ``entries`` and ``counts`` are buffers, by word.
    """
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        words = documents.words[np.uint64(documents.offsets[d]) : np.uint64(documents.offsets[d + _ONE])]
        for n in range(np.uint64(documents.label_offsets[d]), np.uint64(documents.label_offsets[d + _ONE])):
            label = documents.labels[n]
            evidence.totals[np.uint64(label)] = total_of(model, label)
            read_counts(model, label, words, entries, counts)
            for w in range(np.uint64(words.shape[0])):
                _insert_label(evidence, np.uint64(words[w]), label, counts[w], prior)
        for w in range(np.uint64(words.shape[0])):
            _update_rest(evidence, np.uint64(words[w]), n_tokens, prior)


@jit_inline
def _insert_label(evidence: LabelEvidence, word: Any, label: Any, count: Any, prior: Any) -> None:
    position: Any = _ZERO
    least = np.inf
    for slot in range(np.uint64(evidence.labels.shape[1])):
        other = evidence.labels[word, slot]
        if other == np.int32(label):
            evidence.counts[word, slot] = np.float32(count)
            return
        if other < 0:
            position, least = slot, 0.0
            break
        rate = np.float64(evidence.counts[word, slot]) / (evidence.totals[np.uint64(other)] + prior)
        if rate < least:
            position, least = slot, rate
    if count / (evidence.totals[np.uint64(label)] + prior) > least:
        evidence.labels[word, position], evidence.counts[word, position] = np.int32(label), np.float32(count)


@jit_inline
def _update_rest(evidence: LabelEvidence, word: Any, n_tokens: Any, prior: Any) -> None:
    left, others = evidence.tokens[word], n_tokens
    for slot in range(np.uint64(evidence.labels.shape[1])):
        if evidence.labels[word, slot] < 0:
            break
        left -= np.float64(evidence.counts[word, slot])
        others -= evidence.totals[np.uint64(evidence.labels[word, slot])]
    evidence.rest[word] = max(left, 0.0) / max(others, prior)

"""How well other labels than its own would explain a document, by what words say for labels.

Of each word the labels that it says most for are remembered, with their counts n_kw. A label that is not among them has
its part of what is left:  n_kw = n_k (n_w − Σ n_jw) / (n − Σ n_j), sums being over those that are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.intrinsics import prefetch
from ..._utils.numba import jit_inline, jit_noalloc
from .model_access import Floats, ModelStatistics, MonitoredDocuments, log_evidence, read_counts, total_of

_ZERO, _ONE, _IN_LINE = np.uint64(0), np.uint64(1), np.uint64(16)  # of four bytes, in a line of the cache
MOST = 4  # labels that are put in the place of a document's own
SHORTLIST = 8  # labels that are tried
_NOTABLE = 1.5  # how much more often a word must be in a label than elsewhere to speak for it


class LabelEvidence(NamedTuple):
    """What words say for labels."""

    labels: NDArray[np.int32]  # by word, in no order; negative behind the last
    counts: NDArray[np.float32]  # n_kw
    rest: Floats  # p(w | k) of labels that are not among them
    totals: Floats  # n_k, by label
    tokens: Floats  # n_w


def new_evidence(slots: int) -> LabelEvidence:
    """Of no words and labels yet; so many labels will be remembered of each word."""
    none: Floats = np.zeros(0)
    return LabelEvidence(np.zeros((0, slots), np.int32), np.zeros((0, slots), np.float32), none, none, none)


class ScoringWorkspace(NamedTuple):
    """Where the kernel works on a document; there may be more room than it needs."""

    words: NDArray[np.uint32]  # that were seen before
    times: Floats
    background: Floats  # p(w)
    labels: NDArray[np.uint32]  # its own, and those that are tried
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    tried: NDArray[np.int64]  # the labels that are put in the place of its own, as rows
    shares: Floats
    other_shares: Floats
    says: Floats  # by how much each word is for the others
    voted: NDArray[np.int64]  # labels that words speak for
    votes: Floats  # by label; all zeros between documents
    places: NDArray[np.int64]  # rows by label; all negative between documents


class ScoringParams(NamedTuple):
    """What documents are judged by."""

    unseen: float  # what a word counts more than it was seen
    n_all: float  # tokens, with that
    prior: float  # c
    least: float  # words of a label that is tried
    alpha: float


def new_scoring_workspace(n_words: int, n_own: int, n_all_labels: int, slots: int) -> ScoringWorkspace:
    """Room for so many words and labels."""
    n = n_own + SHORTLIST
    return ScoringWorkspace(
        words=np.zeros(n_words, np.uint32),
        times=np.zeros(n_words),
        background=np.zeros(n_words),
        labels=np.zeros(n, np.uint32),
        expected=np.zeros((n, n_words)),
        rows=np.arange(n),
        tried=np.zeros(MOST, np.int64),
        shares=np.zeros(n),
        other_shares=np.zeros(MOST),
        says=np.zeros(n_words),
        voted=np.zeros(n_words * slots, np.int64),
        votes=np.zeros(n_all_labels),
        places=np.full(n_all_labels, -1),
    )


@jit_noalloc
def score_labels(
    said: LabelEvidence, rule: ScoringParams, words: Any, times: Any, labels: Any, trial: ScoringWorkspace
) -> Any:
    """Compare the document's own labels with as many others, at most four, found one after the other.

    Labels with few words are not tried, and where all of its own are such, nor is the document, whose score is then
    −inf. Where its words speak for no other label, it is compared with the background. Returns the score, the number of
    words that were seen before, and the number of the others; these are the rows ``trial.tried``, and what each word
    says is left in ``trial.says``.
    """
    n_own, expected, alpha = np.uint64(labels.shape[0]), trial.expected, rule.alpha
    n_words = _take(said, rule, words, times, trial)
    oldest = 0.0
    for k in range(n_own):
        trial.labels[k] = labels[k]
        oldest = max(oldest, said.totals[np.uint64(labels[k])])
    if oldest < rule.least or n_words == _ZERO:
        return -np.inf, np.int64(n_words), np.int64(0)
    n_labels = n_own + _shortlist(said, rule, trial, n_words, n_own)
    _expect(said, rule, trial, n_words, n_labels)
    seen_times = trial.times[:n_words]
    own = log_evidence(expected, trial.rows, n_own, seen_times, alpha, trial.shares)
    n_tried, best = _ZERO, -np.inf
    while n_tried < min(n_own, np.uint64(MOST)):
        found: Any = _ZERO
        here = best
        for row in range(n_own, n_labels):
            if _is_tried(trial.tried, n_tried, row):
                continue
            trial.tried[n_tried] = np.int64(row)
            log_p = log_evidence(expected, trial.tried, n_tried + _ONE, seen_times, alpha, trial.other_shares)
            if log_p > here:
                found, here = row, log_p
        if found == _ZERO:
            break
        trial.tried[n_tried] = np.int64(found)
        n_tried, best = n_tried + _ONE, here
    if n_tried == _ZERO:
        best = _log_background(trial, n_words)
    if n_tried > _ZERO:
        log_evidence(expected, trial.tried, n_tried, seen_times, alpha, trial.other_shares)
        _weigh_words(trial, n_words, n_own, n_tried)
    length = 0.0
    for w in range(n_words):
        length += seen_times[w]
    return (best - own) / np.sqrt(length), np.int64(n_words), np.int64(n_tried)


@jit_inline
def _take(said: LabelEvidence, rule: ScoringParams, words: Any, times: Any, trial: ScoringWorkspace) -> Any:
    """The words that were seen before; how many. What is remembered of them is asked for ahead."""
    n, slots = _ZERO, np.uint64(said.labels.shape[1])
    for w in range(np.uint64(words.shape[0])):
        tokens = said.tokens[np.uint64(words[w])]
        if tokens > 0.0:
            for slot in range(_ZERO, slots, _IN_LINE):
                prefetch(said.labels, np.uint64(words[w]) * slots + slot)
                prefetch(said.counts, np.uint64(words[w]) * slots + slot)
            trial.words[n], trial.times[n] = words[w], np.float64(times[w])
            trial.background[n] = (tokens + rule.unseen) / rule.n_all
            n += _ONE
    return n


@jit_inline
def _log_background(trial: ScoringWorkspace, n_words: Any) -> Any:
    log_p = 0.0
    for w in range(n_words):
        log_p += trial.times[w] * np.log(trial.background[w])
    return log_p


@jit_inline
def _is_tried(tried: Any, n: Any, row: Any) -> Any:
    found = False
    for m in range(n):
        found |= tried[m] == np.int64(row)
    return found


@jit_inline
def _shortlist(said: LabelEvidence, rule: ScoringParams, trial: ScoringWorkspace, n_words: Any, n_own: Any) -> Any:
    """Put the labels that the words say most for behind the document's own; how many."""
    votes, voted, n_voted, n = trial.votes, trial.voted, _ZERO, _ZERO
    for w in range(n_words):
        word = np.uint64(trial.words[w])
        for slot in range(np.uint64(said.labels.shape[1])):
            if said.labels[word, slot] < 0:
                break
            label = np.uint64(said.labels[word, slot])
            lift = np.float64(said.counts[word, slot]) / (trial.background[w] * (said.totals[label] + rule.prior))
            if lift < _NOTABLE:
                continue
            if votes[label] == 0.0:
                voted[n_voted] = np.int64(label)
                n_voted += _ONE
            votes[label] += trial.times[w] * np.log(lift)
    for k in range(n_own):
        votes[np.uint64(trial.labels[k])] = 0.0
    while n < np.uint64(SHORTLIST):
        best, most = np.int64(-1), 0.0
        for m in range(n_voted):
            if votes[np.uint64(voted[m])] > most:
                best, most = voted[m], votes[np.uint64(voted[m])]
        if best < 0:
            break
        votes[np.uint64(best)] = 0.0
        if said.totals[np.uint64(best)] >= rule.least:
            trial.labels[n_own + n] = np.uint32(best)
            n += _ONE
    for m in range(n_voted):
        votes[np.uint64(voted[m])] = 0.0
    return n


@jit_inline
def _expect(said: LabelEvidence, rule: ScoringParams, trial: ScoringWorkspace, n_words: Any, n_labels: Any) -> None:
    """p(w | k) of the document's words and all labels on the list."""
    for k in range(n_labels):
        trial.places[np.uint64(trial.labels[k])] = np.int64(k)
    for w in range(n_words):
        word, prior = np.uint64(trial.words[w]), rule.prior * trial.background[w]
        for k in range(n_labels):
            total = said.totals[np.uint64(trial.labels[k])]
            trial.expected[k, w] = (said.rest[word] * total + prior) / (total + rule.prior)
        for slot in range(np.uint64(said.labels.shape[1])):
            if said.labels[word, slot] < 0:
                break
            label = np.uint64(said.labels[word, slot])
            if trial.places[label] >= 0:
                count, total = np.float64(said.counts[word, slot]), said.totals[label]
                trial.expected[np.uint64(trial.places[label]), w] = (count + prior) / (total + rule.prior)
    for k in range(n_labels):
        trial.places[np.uint64(trial.labels[k])] = -1


@jit_inline
def _weigh_words(trial: ScoringWorkspace, n_words: Any, n_own: Any, n_tried: Any) -> None:
    own_sum, other_sum = 0.0, 0.0
    for k in range(n_own):
        own_sum += trial.shares[k]
    for k in range(n_tried):
        other_sum += trial.other_shares[k]
    for w in range(n_words):
        own, other = 0.0, 0.0
        for k in range(n_own):
            own += trial.shares[k] * trial.expected[k, w]
        for k in range(n_tried):
            other += trial.other_shares[k] * trial.expected[np.uint64(trial.tried[k]), w]
        trial.says[w] = trial.times[w] * np.log(other / other_sum * own_sum / own)


@jit_noalloc
def remember(
    known: ModelStatistics,
    documents: MonitoredDocuments,
    n_tokens: Any,
    prior: Any,
    entries: Any,
    counts: Any,
    said: LabelEvidence,
) -> None:
    """Documents were learned: what their words now say for their labels, in place of what says less.

    ``entries`` and ``counts`` are room to work in, by word.
    """
    for d in range(np.uint64(documents.offsets.shape[0]) - _ONE):
        words = documents.words[np.uint64(documents.offsets[d]) : np.uint64(documents.offsets[d + _ONE])]
        for n in range(np.uint64(documents.label_offsets[d]), np.uint64(documents.label_offsets[d + _ONE])):
            label = documents.labels[n]
            said.totals[np.uint64(label)] = total_of(known, label)
            read_counts(known, label, words, entries, counts)
            for w in range(np.uint64(words.shape[0])):
                _put(said, np.uint64(words[w]), label, counts[w], prior)
        for w in range(np.uint64(words.shape[0])):
            _find_rest(said, np.uint64(words[w]), n_tokens, prior)


@jit_inline
def _put(said: LabelEvidence, word: Any, label: Any, count: Any, prior: Any) -> None:
    place: Any = _ZERO
    least = np.inf
    for slot in range(np.uint64(said.labels.shape[1])):
        other = said.labels[word, slot]
        if other == np.int32(label):
            said.counts[word, slot] = np.float32(count)
            return
        if other < 0:
            place, least = slot, 0.0
            break
        rate = np.float64(said.counts[word, slot]) / (said.totals[np.uint64(other)] + prior)
        if rate < least:
            place, least = slot, rate
    if count / (said.totals[np.uint64(label)] + prior) > least:
        said.labels[word, place], said.counts[word, place] = np.int32(label), np.float32(count)


@jit_inline
def _find_rest(said: LabelEvidence, word: Any, n_tokens: Any, prior: Any) -> None:
    left, others = said.tokens[word], n_tokens
    for slot in range(np.uint64(said.labels.shape[1])):
        if said.labels[word, slot] < 0:
            break
        left -= np.float64(said.counts[word, slot])
        others -= said.totals[np.uint64(said.labels[word, slot])]
    said.rest[word] = max(left, 0.0) / max(others, prior)

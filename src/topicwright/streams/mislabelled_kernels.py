"""How well other labels than its own would explain a document, by what words say for labels.

Of each word the labels that it says most for are remembered, with their counts n_kw. A label that is not among them has
its part of what is left:  n_kw = n_k (n_w − Σ n_jw) / (n − Σ n_j), sums being over those that are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import hot_kernel, inline
from .watch_reading import Documents, Floats, Known, log_evidence, read_counts, total_of

_ZERO, _ONE = np.uint64(0), np.uint64(1)
MOST = 4  # labels that are put in the place of a document's own
SHORTLIST = 8  # labels that are tried


class Said(NamedTuple):
    """What words say for labels."""

    labels: NDArray[np.int32]  # by word, in no order; negative where there is none
    counts: NDArray[np.float32]  # n_kw
    totals: Floats  # n_k, by label
    tokens: Floats  # n_w


class Trial(NamedTuple):
    """A document, and where the kernel works on it."""

    words: NDArray[np.uint32]
    times: Floats
    labels: NDArray[np.uint32]  # its own, and room for those that are tried
    background: Floats  # p(w)
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    tried: NDArray[np.int64]  # the labels that are put in the place of its own, as rows
    shares: Floats
    other_shares: Floats
    votes: Floats  # by label; all zeros between documents
    voted: NDArray[np.int64]  # labels that have any
    says: Floats  # by how much each word is for the others


@hot_kernel
def judge(said: Said, trial: Trial, n_own: Any, n_tokens: Any, prior: Any, least: Any, alpha: Any) -> Any:
    """Compare the document's own labels with as many others, at most four, found one after the other.

    Labels with fewer words than ``least`` are not tried, and where all of its own are such, nor is the document.
    Returns the logarithm of the Bayes factor and the number of the others, which are the rows ``trial.tried``; what
    each word says is left in ``trial.says``.
    """
    n_own, expected, times = np.uint64(n_own), trial.expected, trial.times
    oldest = 0.0
    for k in range(n_own):
        oldest = max(oldest, said.totals[np.uint64(trial.labels[k])])
    n_labels = n_own + _shortlist(said, trial, n_own, prior, least)
    if oldest < least or n_labels == n_own:
        return -np.inf, np.int64(0)
    _expect(said, trial, n_labels, n_tokens, prior)
    own = log_evidence(expected, trial.rows, n_own, times, alpha, trial.shares)
    n_tried, best = _ZERO, -np.inf
    while n_tried < min(n_own, np.uint64(MOST)):
        found, here = _ZERO, best
        for row in range(n_own, n_labels):
            if _is_tried(trial.tried, n_tried, row):
                continue
            trial.tried[n_tried] = np.int64(row)
            log_p = log_evidence(expected, trial.tried, n_tried + _ONE, times, alpha, trial.other_shares)
            if log_p > here:
                found, here = row, log_p
        if found == _ZERO:
            break
        trial.tried[n_tried] = np.int64(found)
        n_tried, best = n_tried + _ONE, here
    log_evidence(expected, trial.tried, n_tried, times, alpha, trial.other_shares)
    _weigh_words(trial, n_own, n_tried)
    return best - own, np.int64(n_tried)


@inline
def _is_tried(tried: Any, n: Any, row: Any) -> Any:
    for m in range(n):
        if tried[m] == np.int64(row):
            return True
    return False


@inline
def _shortlist(said: Said, trial: Trial, n_own: Any, prior: Any, least: Any) -> Any:
    """Put the labels that the words say most for behind the document's own; how many."""
    votes, voted, n_voted, n = trial.votes, trial.voted, _ZERO, _ZERO
    for w in range(np.uint64(trial.words.shape[0])):
        word = np.uint64(trial.words[w])
        for slot in range(np.uint64(said.labels.shape[1])):
            label, count = np.uint64(said.labels[word, slot]), np.float64(said.counts[word, slot])
            if count == 0.0 or count <= trial.background[w] * (said.totals[label] + prior):
                continue
            if votes[label] == 0.0:
                voted[n_voted] = np.int64(label)
                n_voted += _ONE
            votes[label] += trial.times[w] * np.log(count / (trial.background[w] * (said.totals[label] + prior)))
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
        if said.totals[np.uint64(best)] >= least:
            trial.labels[n_own + n] = np.uint32(best)
            n += _ONE
    for m in range(n_voted):
        votes[np.uint64(voted[m])] = 0.0
    return n


@inline
def _expect(said: Said, trial: Trial, n_labels: Any, n_tokens: Any, prior: Any) -> None:
    """p(w | k) of the document's words and all labels on the list."""
    for w in range(np.uint64(trial.words.shape[0])):
        word = np.uint64(trial.words[w])
        left, others = said.tokens[word], n_tokens
        for slot in range(np.uint64(said.labels.shape[1])):
            if said.counts[word, slot] > 0.0:
                left -= np.float64(said.counts[word, slot])
                others -= said.totals[np.uint64(said.labels[word, slot])]
        rate = max(left, 0.0) / max(others, prior)
        for k in range(n_labels):
            total = said.totals[np.uint64(trial.labels[k])]
            count = rate * total
            for slot in range(np.uint64(said.labels.shape[1])):
                if said.labels[word, slot] == np.int32(trial.labels[k]) and said.counts[word, slot] > 0.0:
                    count = np.float64(said.counts[word, slot])
            trial.expected[k, w] = (count + prior * trial.background[w]) / (total + prior)


@inline
def _weigh_words(trial: Trial, n_own: Any, n_tried: Any) -> None:
    own_sum, other_sum = 0.0, 0.0
    for k in range(n_own):
        own_sum += trial.shares[k]
    for k in range(n_tried):
        other_sum += trial.other_shares[k]
    for w in range(np.uint64(trial.times.shape[0])):
        own, other = 0.0, 0.0
        for k in range(n_own):
            own += trial.shares[k] * trial.expected[k, w]
        for k in range(n_tried):
            other += trial.other_shares[k] * trial.expected[np.uint64(trial.tried[k]), w]
        trial.says[w] = trial.times[w] * np.log(other / other_sum * own_sum / own)


@hot_kernel
def remember(known: Known, documents: Documents, prior: Any, entries: Any, counts: Any, said: Said) -> None:
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


@inline
def _put(said: Said, word: Any, label: Any, count: Any, prior: Any) -> None:
    place, least = _ZERO, np.inf
    for slot in range(np.uint64(said.labels.shape[1])):
        if said.labels[word, slot] == np.int32(label):
            said.counts[word, slot] = np.float32(count)
            return
        if said.counts[word, slot] == 0.0:
            place, least = slot, 0.0
        elif least > 0.0:
            rate = np.float64(said.counts[word, slot]) / (said.totals[np.uint64(said.labels[word, slot])] + prior)
            if rate < least:
                place, least = slot, rate
    if count / (said.totals[np.uint64(label)] + prior) > least:
        said.labels[word, place], said.counts[word, place] = np.int32(label), np.float32(count)

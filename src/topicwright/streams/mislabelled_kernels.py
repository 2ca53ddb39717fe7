"""How well other labels than its own would explain a document, by the labels that its words speak for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import hot_kernel, inline
from .watch_reading import Floats, Known, expect, log_evidence, read_counts, total_of

_ZERO, _ONE = np.uint64(0), np.uint64(1)
MOST = 4  # labels that are put in the place of a document's own
SHORTLIST = 8  # labels that are tried


class Trial(NamedTuple):
    """A document, and where the kernel works on it."""

    words: NDArray[np.uint32]
    times: Floats
    background: Floats  # p(w)
    labels: NDArray[np.uint32]  # its own, and room for those that are tried
    entries: NDArray[np.uint64]
    expected: Floats  # p(w | k), by label and word
    rows: NDArray[np.int64]  # 0, 1, 2, ...
    tried: NDArray[np.int64]  # the labels that are put in the place of its own, as rows
    shares: Floats
    other_shares: Floats
    votes: Floats  # by label; all zeros between documents
    voted: NDArray[np.int64]  # labels that have any
    says: Floats  # by how much each word is for the others


@hot_kernel
def judge(
    known: Known, trial: Trial, n_own: Any, slots: Any, values: Any, prior: Any, least: Any, alpha: Any
) -> Any:
    """Compare the document's own labels with as many others, at most four, found one after the other.

    Labels with fewer words than ``least`` are not tried. Returns the logarithm of the Bayes factor and the number of
    the others, which are the rows ``trial.tried``; what each word says is left in ``trial.says``.
    """
    n_own, expected, times = np.uint64(n_own), trial.expected, trial.times
    oldest = 0.0
    for k in range(n_own):
        oldest = max(oldest, total_of(known, trial.labels[k]))
    if oldest < least:
        return -np.inf, np.int64(0)
    n_labels = n_own + _shortlist(known, trial, n_own, slots, values, least)
    if n_labels == n_own:
        return -np.inf, np.int64(0)
    for k in range(n_labels):
        expect(known, trial.labels[k], trial.words, trial.background, prior, trial.entries, expected[k])
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
def _shortlist(known: Known, trial: Trial, n_own: Any, slots: Any, values: Any, least: Any) -> Any:
    """Put the labels that the words speak most for behind the document's own; how many."""
    votes, voted, n_voted, n = trial.votes, trial.voted, _ZERO, _ZERO
    for w in range(np.uint64(trial.words.shape[0])):
        word = np.uint64(trial.words[w])
        for slot in range(np.uint64(slots.shape[1])):
            label, lift = slots[word, slot], np.float64(values[word, slot]) / trial.background[w]
            if label < 0 or lift <= 1.0:
                continue
            if votes[np.uint64(label)] == 0.0:
                voted[n_voted] = label
                n_voted += _ONE
            votes[np.uint64(label)] += trial.times[w] * np.log(lift)
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
        if total_of(known, best) >= least:
            trial.labels[n_own + n] = np.uint32(best)
            n += _ONE
    for m in range(n_voted):
        votes[np.uint64(voted[m])] = 0.0
    return n


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
            other += trial.other_shares[k] * trial.expected[trial.tried[k], w]
        trial.says[w] = trial.times[w] * np.log(other / other_sum * own_sum / own)


@hot_kernel
def speak_for(known: Known, words: Any, labels: Any, prior: Any, entries: Any, counts: Any, slots: Any, values: Any) -> None:
    """A document was learned: remember its labels with its words, each in place of one that the word says less for.

    ``entries`` and ``counts`` are room to work in, by word.
    """
    for k in range(np.uint64(labels.shape[0])):
        total, label = total_of(known, labels[k]) + prior, np.int32(labels[k])
        read_counts(known, labels[k], words, entries, counts)
        for w in range(np.uint64(words.shape[0])):
            word, value = np.uint64(words[w]), counts[w] / total
            place, least = _ZERO, np.inf
            for slot in range(np.uint64(slots.shape[1])):
                if slots[word, slot] == label:
                    place, least = slot, -np.inf
                    break
                if values[word, slot] < least:
                    place, least = slot, np.float64(values[word, slot])
            if value > least:
                slots[word, place], values[word, place] = label, np.float32(value)

"""Themes that have no label yet: words that come up together, in more documents than the labels of these foresaw.

A word is looked at where it is in more documents of the window than before, beyond chance. Its labels foresaw it in

    Σ_k  n_k(window) (n_kw + c p(w)) / (n_k + c)

tokens, counts being those without the window's documents: a word that comes up because its labels do is none. Words
that come together in documents, beyond chance too, are a candidate for a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, pdtrc, xlogy

from .alerts import CANDIDATE, Alert
from .model_access import Floats, MonitoredDocuments, count_credit, read_table, room_for, side_by_side, statistics_of
from .window_statistics import WindowStatistics

if TYPE_CHECKING:
    from ...models.online.state import StreamState

FEWEST = 5  # documents that have a word, or should have it, before anything is said of it
_LEVEL = 0.01  # the chance that any word is shown where nothing has changed


class Trends(NamedTuple):
    """Words, the strongest first, and the scores of all that are shown."""

    rising: tuple[str, ...]
    falling: tuple[str, ...]
    scores: dict[str, float]
    """The signed root of the likelihood ratio: as large as a standard normal variable if nothing has changed."""


def trends_of(memory: WindowStatistics, top: int) -> Trends:
    """The words whose scores are too large for chance, given how many words are looked at."""
    n, n_before = len(memory.window), memory.n_before
    if n == 0 or n_before < n:
        return Trends((), (), {})
    before = memory.before / memory.unit
    words = np.flatnonzero((memory.recent >= FEWEST) | (before * (n / n_before) >= FEWEST))
    scores = signed_root(memory.recent[words], n, before[words], n_before)
    order = words[np.argsort(-np.abs(scores), kind="stable")]
    by_word = dict(zip(words.tolist(), scores.tolist()))
    limit = least_of(_LEVEL / 2, len(words))
    rising = [word for word in order.tolist() if by_word[word] > limit][:top]
    falling = [word for word in order.tolist() if by_word[word] < -limit][:top]
    up, down = memory.words(rising), memory.words(falling)
    return Trends(up, down, {name: by_word[word] for name, word in zip(up + down, rising + falling)})


def signed_root(now: Floats, n_now: float, before: Floats, n_before: float) -> Floats:
    """√G with the sign of the change: that a share of documents is the same now and before, against that it is not.

    >>> signed_root(np.array([30.0]), 100, np.array([100.0]), 1000).round(2)
    array([5.19])
    """
    share = (now + before) / (n_now + n_before)
    log_ratio = np.zeros_like(now)
    for count, n in ((now, n_now), (before, n_before)):
        rest = np.maximum(n - count, 0.0)
        log_ratio += xlogy(count, count / n) - xlogy(count, share) + xlogy(rest, rest / n) - xlogy(rest, 1 - share)
    root: Floats = np.sign(now / n_now - before / n_before) * np.sqrt(2 * np.maximum(log_ratio, 0.0))
    return root


def least_of(level: float, n: int) -> float:
    """What n standard normal variables all stay below, but for such a chance.

    >>> round(least_of(0.05, 1), 3)
    1.645
    """
    return float(-ndtri(level / max(n, 1)))


_FALSE_WORDS = 0.1  # in a look where nothing has changed, in the mean
_COMMON = 0.1  # a word in more of the documents than this is no theme
_FEWEST_WORDS = 3
_FEWEST_TOGETHER, _LEAST_TOGETHER = 3, 0.25  # documents that have two words, in all and of those that have the rarer
_WORDS = 8
_SHOWN = 20  # documents


class EmergingLabel(NamedTuple):
    """Words that nobody foresaw, the strongest first: their numbers, their scores, and which documents have them."""

    words: NDArray[np.int64]
    scores: Floats
    are_in: NDArray[np.bool_]  # by document and word


def find_emerging_labels(stream: StreamState, memory: WindowStatistics, number: int, level: float) -> list[Alert]:
    """Groups of words in the window that no label foresaw, unless they were told of before.

    ``level`` is the chance that any two words that have nothing to do with each other are taken together.
    """
    found = _unforeseen(stream, memory)
    if found is None:
        return []
    alerts = []
    for group in _groups(found, level):
        words = found.words[group]
        is_news = 2 * np.count_nonzero(memory.told[words] > number) < len(words)
        memory.told[words] = number + memory.size
        if is_news:
            alerts.append(_alert(memory, found, group))
    return alerts


def _alert(memory: WindowStatistics, found: EmergingLabel, group: list[int]) -> Alert:
    documents = np.flatnonzero(found.are_in[:, group].sum(axis=1) >= 2)
    names = tuple(memory.window[d].name for d in documents[-_SHOWN:])
    words, score = memory.words(found.words[group[:_WORDS]]), float(found.scores[group].mean())
    return Alert(CANDIDATE, None, None, words, score, documents=names, n_documents=len(documents))


def _unforeseen(stream: StreamState, memory: WindowStatistics) -> EmergingLabel | None:
    n, n_before = len(memory.window), memory.n_before
    words = np.flatnonzero((memory.recent >= FEWEST) & (memory.recent <= _COMMON * n))
    limit = least_of(_FALSE_WORDS, len(words))
    before = memory.before[words] / memory.unit
    words = words[signed_root(memory.recent[words], n, before, n_before) > limit]
    if len(words) < _FEWEST_WORDS:
        return None
    documents = side_by_side(memory.window)
    now = memory.recent[words]
    expected = _foreseen(stream, memory, documents, words)
    scores = np.sign(now - expected) * np.sqrt(2 * np.maximum(xlogy(now, now / expected) - now + expected, 0.0))
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > limit]
    if len(order) < _FEWEST_WORDS:
        return None
    return EmergingLabel(words[order], scores[order], _occurrences(documents, words[order], len(memory.recent)))


def _foreseen(
    stream: StreamState, memory: WindowStatistics, documents: MonitoredDocuments, words: NDArray[np.int64]
) -> Floats:
    """How many documents of the window the words should be in, by what their labels had before it."""
    labels = np.unique(documents.labels)
    counts, totals = np.zeros((len(labels), len(words))), np.zeros(len(labels))
    read_table(statistics_of(stream), labels, words.astype(np.uint32), np.zeros(len(words), np.uint64), counts, totals)
    here, sizes = np.zeros_like(counts), np.zeros_like(totals)
    count_credit(
        statistics_of(stream),
        documents,
        memory.background(documents.words),
        memory.prior,
        stream.settings.alpha,
        room_for(documents),
        _places(labels, len(memory.said.totals)),
        _places(words, len(memory.recent)),
        here,
        sizes,
    )
    counts, totals = np.maximum(counts - here, 0.0), np.maximum(totals - sizes, 0.0)
    background = (memory.before[words] / memory.unit + 0.5) / (memory.before.sum() / memory.unit + 0.5 * memory.n_words)
    rates = (counts + memory.prior * background) / (totals + memory.prior)[:, None]
    return np.asarray(sizes @ rates * memory.recent[words] / here.sum(axis=0))


def _places(numbers: NDArray[np.integer], n: int) -> NDArray[np.int64]:
    places = np.full(n, -1)
    places[numbers] = np.arange(len(numbers))
    return places


def _occurrences(documents: MonitoredDocuments, words: NDArray[np.int64], n_words: int) -> NDArray[np.bool_]:
    places = _places(words, n_words)[documents.words]
    rows = np.repeat(np.arange(len(documents.offsets) - 1), np.diff(documents.offsets))
    are_in = np.zeros((len(documents.offsets) - 1, len(words)), np.bool_)
    are_in[rows[places >= 0], places[places >= 0]] = True
    return are_in


def _groups(found: EmergingLabel, level: float) -> list[list[int]]:
    """Words that come together with half of their group or more; each word is in one group."""
    together = found.are_in.T.astype(np.float64) @ found.are_in
    alone = np.diag(together)
    by_chance = np.outer(alone, alone) / len(found.are_in)
    n_pairs = len(alone) * (len(alone) - 1) / 2
    is_tied = pdtrc(together - 1, by_chance) < level / n_pairs
    is_tied &= (together >= _FEWEST_TOGETHER) & (together >= _LEAST_TOGETHER * np.minimum.outer(alone, alone))
    left, groups = list(range(len(alone))), []
    while left:
        group = [left[0]]
        for word in left[1:]:
            if 2 * np.count_nonzero(is_tied[word, group]) >= len(group):
                group.append(word)
        is_large = np.count_nonzero(found.are_in[:, group].sum(axis=1) >= 2) >= FEWEST
        if len(group) >= _FEWEST_WORDS and is_large:
            groups.append(group)
        else:
            group = group[:1]
        left = [word for word in left if word not in group]
    return groups

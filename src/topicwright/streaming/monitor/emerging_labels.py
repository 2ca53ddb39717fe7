"""Emerging labels: words that rise together in more documents than their labels predict.

A word is considered if it is in significantly more documents of the window than before. Its labels predict

    Σ_k  n_k(window) (n_kw + c p(w)) / (n_k + c)

tokens, with counts that exclude the documents of the window: a word that rises because its labels do does not count.
Words that occur together in documents, more often than by chance, are a candidate for a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, pdtrc, xlogy

from .alerts import CANDIDATE, Alert
from .model_access import (
    Floats,
    MonitoredDocuments,
    concatenate_documents,
    count_attributions,
    new_buffers,
    read_table,
    statistics_of,
)
from .window_statistics import WindowStatistics

if TYPE_CHECKING:
    from ...models.online.state import StreamState

MIN_DOCUMENTS = 5  # documents with a word, observed or expected, from which it is considered
_LEVEL = 0.01  # probability that any word is shown if nothing has changed
_FALSE_WORDS = 0.1  # expected number per search if nothing has changed
_MAX_SHARE = 0.1  # of documents; more frequent words are not considered
_MIN_WORDS = 3
_MIN_TOGETHER, _MIN_SHARE_TOGETHER = 3, 0.25  # documents with both words, and their share of those with the rarer word
_WORDS = 8
_MAX_SHOWN = 20  # documents


class Trends(NamedTuple):
    """Rising and falling words, the strongest first, and their scores."""

    rising: tuple[str, ...]
    falling: tuple[str, ...]
    scores: dict[str, float]
    """Signed root of the likelihood ratio, which is standard normal if nothing has changed."""


def trends_of(stats: WindowStatistics, top: int) -> Trends:
    """Words with significant scores, corrected for the number of words."""
    n, n_before = len(stats.window), stats.n_before
    if n == 0 or n_before < n:
        return Trends((), (), {})
    before = stats.before / stats.unit
    words = np.flatnonzero((stats.recent >= MIN_DOCUMENTS) | (before * (n / n_before) >= MIN_DOCUMENTS))
    scores = signed_root(stats.recent[words], n, before[words], n_before)
    order = words[np.argsort(-np.abs(scores), kind="stable")]
    by_word = dict(zip(words.tolist(), scores.tolist()))
    limit = bonferroni_limit(_LEVEL / 2, len(words))
    rising = [word for word in order.tolist() if by_word[word] > limit][:top]
    falling = [word for word in order.tolist() if by_word[word] < -limit][:top]
    up, down = stats.words(rising), stats.words(falling)
    return Trends(up, down, {name: by_word[word] for name, word in zip(up + down, rising + falling)})


def signed_root(now: Floats, n_now: float, before: Floats, n_before: float) -> Floats:
    """√G with the sign of the change, for the hypothesis that the share of documents is the same now and before.

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


def bonferroni_limit(level: float, n: int) -> float:
    """Value that all of n standard normal variables stay below with probability 1 − ``level`` (Bonferroni).

    >>> round(bonferroni_limit(0.05, 1), 3)
    1.645
    """
    return float(-ndtri(level / max(n, 1)))


class UnexpectedWords(NamedTuple):
    """Words that labels do not predict, the strongest first: numbers, scores, and the documents with them."""

    words: NDArray[np.int64]
    scores: Floats
    occurs: NDArray[np.bool_]  # by document and word


def find_emerging_labels(stream: StreamState, stats: WindowStatistics, number: int, level: float) -> list[Alert]:
    """Alerts for groups of words in the window that no label predicts, unless they had an alert before.

    ``level`` is the probability that any two unrelated words are grouped.
    """
    found = _unexpected_words(stream, stats)
    if found is None:
        return []
    alerts = []
    for group in _groups(found, level):
        words = found.words[group]
        is_new = 2 * np.count_nonzero(stats.alerted_until[words] > number) < len(words)
        stats.alerted_until[words] = number + stats.size
        if is_new:
            alerts.append(_alert(stats, found, group))
    return alerts


def _alert(stats: WindowStatistics, found: UnexpectedWords, group: list[int]) -> Alert:
    documents = np.flatnonzero(found.occurs[:, group].sum(axis=1) >= 2)
    names = tuple(stats.window[d].name for d in documents[-_MAX_SHOWN:])
    words, score = stats.words(found.words[group[:_WORDS]]), float(found.scores[group].mean())
    return Alert(CANDIDATE, None, None, words, score, documents=names, n_documents=len(documents))


def _unexpected_words(stream: StreamState, stats: WindowStatistics) -> UnexpectedWords | None:
    n, n_before = len(stats.window), stats.n_before
    words = np.flatnonzero((stats.recent >= MIN_DOCUMENTS) & (stats.recent <= _MAX_SHARE * n))
    limit = bonferroni_limit(_FALSE_WORDS, len(words))
    before = stats.before[words] / stats.unit
    words = words[signed_root(stats.recent[words], n, before, n_before) > limit]
    if len(words) < _MIN_WORDS:
        return None
    documents = concatenate_documents(stats.window)
    now = stats.recent[words]
    expected = _expected_counts(stream, stats, documents, words)
    scores = np.sign(now - expected) * np.sqrt(2 * np.maximum(xlogy(now, now / expected) - now + expected, 0.0))
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > limit]
    if len(order) < _MIN_WORDS:
        return None
    return UnexpectedWords(words[order], scores[order], _occurrences(documents, words[order], len(stats.recent)))


def _expected_counts(
    stream: StreamState, stats: WindowStatistics, documents: MonitoredDocuments, words: NDArray[np.int64]
) -> Floats:
    """Number of documents of the window that the words are expected in, by the earlier counts of their labels."""
    labels = np.unique(documents.labels)
    counts, totals = np.zeros((len(labels), len(words))), np.zeros(len(labels))
    read_table(statistics_of(stream), labels, words.astype(np.uint32), np.zeros(len(words), np.uint64), counts, totals)
    here, sizes = np.zeros_like(counts), np.zeros_like(totals)
    count_attributions(
        statistics_of(stream),
        documents,
        stats.background(documents.words),
        stats.prior,
        stream.settings.alpha,
        new_buffers(documents),
        _positions(labels, len(stats.evidence.totals)),
        _positions(words, len(stats.recent)),
        here,
        sizes,
    )
    counts, totals = np.maximum(counts - here, 0.0), np.maximum(totals - sizes, 0.0)
    background = (stats.before[words] / stats.unit + 0.5) / (stats.before.sum() / stats.unit + 0.5 * stats.n_words)
    rates = (counts + stats.prior * background) / (totals + stats.prior)[:, None]
    return np.asarray(sizes @ rates * stats.recent[words] / here.sum(axis=0))


def _positions(numbers: NDArray[np.integer], n: int) -> NDArray[np.int64]:
    positions = np.full(n, -1)
    positions[numbers] = np.arange(len(numbers))
    return positions


def _occurrences(documents: MonitoredDocuments, words: NDArray[np.int64], n_words: int) -> NDArray[np.bool_]:
    positions = _positions(words, n_words)[documents.words]
    rows = np.repeat(np.arange(len(documents.offsets) - 1), np.diff(documents.offsets))
    occurs = np.zeros((len(documents.offsets) - 1, len(words)), np.bool_)
    occurs[rows[positions >= 0], positions[positions >= 0]] = True
    return occurs


def _groups(found: UnexpectedWords, level: float) -> list[list[int]]:
    """Groups of words, each of which occurs together with at least half of its group; groups are disjoint."""
    together = found.occurs.T.astype(np.float64) @ found.occurs
    alone = np.diag(together)
    by_chance = np.outer(alone, alone) / len(found.occurs)
    n_pairs = len(alone) * (len(alone) - 1) / 2
    is_linked = pdtrc(together - 1, by_chance) < level / n_pairs
    is_linked &= (together >= _MIN_TOGETHER) & (together >= _MIN_SHARE_TOGETHER * np.minimum.outer(alone, alone))
    left, groups = list(range(len(alone))), []
    while left:
        group = [left[0]]
        for word in left[1:]:
            if 2 * np.count_nonzero(is_linked[word, group]) >= len(group):
                group.append(word)
        is_large = np.count_nonzero(found.occurs[:, group].sum(axis=1) >= 2) >= MIN_DOCUMENTS
        if len(group) >= _MIN_WORDS and is_large:
            groups.append(group)
        else:
            group = group[:1]
        left = [word for word in left if word not in group]
    return groups

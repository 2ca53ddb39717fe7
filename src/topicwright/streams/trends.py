"""Words that come in more, or in fewer, of the last documents than in the long run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, xlogy

from .watch_memory import Memory
from .watch_reading import Floats

FEWEST = 5  # documents that have a word, or should have it, before anything is said of it
_LEVEL = 0.01  # the chance that any word is shown where nothing has changed


class Trends(NamedTuple):
    """Words, the strongest first, and the scores of all that are shown."""

    rising: tuple[str, ...]
    falling: tuple[str, ...]
    scores: dict[str, float]
    """The signed root of the likelihood ratio: as large as a standard normal variable if nothing has changed."""


def trends_of(memory: Memory, top: int) -> Trends:
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

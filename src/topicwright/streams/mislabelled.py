"""Documents that other labels explain so much better than their own that these are likely wrong.

A document is judged by what the model knew before it came. Its score is log p(w | others) − log p(w | own), with shares
of labels unknown and as many others as it has labels, divided by the root of its length, which is what the score of
documents with right labels varies in proportion to. Which scores are too large depends on the stream, and is told by
the bulk of the last ones: between their median and upper twentieth they are taken to follow

    P(score > x)  =  ½ exp(−((x − median) / s)^k),   1 ≤ k ≤ 2

and what is far out in that tail is an alert. Wrong labels are in the far tail, and do not move the bulk.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alerts import MISLABELLED, Alert
from .mislabelled_kernels import MOST, SHORTLIST, Trial, judge
from .watch_memory import SLOTS, Memory
from .watch_reading import Document, Floats

FEWEST = 200  # scores to go by
_YOUNG = 5  # documents' worth of words that a label must have before it is compared
_WORDS = 5  # to show
_UPPER, _TAIL = 0.75, 0.95


class Mislabelled:
    """Scores of documents, and what is too large for one."""

    def __init__(self, rate: float, window: int) -> None:
        self.rate = rate
        self.scores: deque[float] = deque(maxlen=window)
        self.limit = np.inf
        self._votes: Floats = np.zeros(0)

    def look(self, memory: Memory, alpha: float, document: Document, given: tuple[Any, ...]) -> Alert | None:
        """Judge a document by what was known at the last turn."""
        is_old = memory.said.tokens[document.words] > 0
        if not is_old.any():
            return None
        trial = self._trial(memory, document, is_old)
        n_own, least = len(document.labels), _YOUNG * memory.length
        ratio, n = judge(memory.said, trial, n_own, memory.n_tokens, memory.prior, least, alpha)
        if n == 0:
            return None
        score = float(ratio / np.sqrt(trial.times.sum()))
        self.scores.append(score)
        if score <= self.limit:
            return None
        better = trial.labels[trial.tried[np.argmax(trial.other_shares[:n])]]
        strongest = [w for w in np.argsort(-trial.says, kind="stable")[:_WORDS] if trial.says[w] > 0]
        words = memory.words(trial.words[strongest])
        return Alert(MISLABELLED, document.name, memory.label(better), words, score, given=given)

    def _trial(self, memory: Memory, document: Document, is_old: NDArray[np.bool_]) -> Trial:
        if len(self._votes) < len(memory.said.totals):
            self._votes = np.zeros(len(memory.said.totals))
        words = document.words[is_old]
        n, n_words = len(document.labels) + SHORTLIST, len(words)
        return Trial(
            words=words,
            times=document.times[is_old].astype(np.float64),
            labels=np.concatenate([document.labels, np.zeros(SHORTLIST, np.uint32)]),
            background=memory.background(words),
            expected=np.empty((n, n_words)),
            rows=np.arange(n),
            tried=np.zeros(MOST, np.int64),
            shares=np.zeros(n),
            other_shares=np.zeros(MOST),
            votes=self._votes,
            voted=np.zeros(n_words * SLOTS, np.int64),
            says=np.zeros(n_words),
        )

    def calibrate(self) -> None:
        """Find what is too large, by the last scores."""
        if len(self.scores) >= FEWEST:
            self.limit = far_out(np.array(self.scores), self.rate)


def far_out(scores: Floats, rate: float) -> float:
    """What is exceeded at such a rate, by the bulk of the scores.

    >>> scores = np.random.default_rng(0).normal(size=20_000)
    >>> round(far_out(scores, 0.001), 1)
    3.1
    """
    middle, upper, tail = np.quantile(scores, [0.5, _UPPER, _TAIL])
    if not upper > middle:
        return np.inf
    power = np.log(np.log(0.5 / (1 - _TAIL)) / np.log(0.5 / (1 - _UPPER))) / np.log((tail - middle) / (upper - middle))
    power = np.clip(power, 1.0, 2.0)
    scale = (tail - middle) / np.log(0.5 / (1 - _TAIL)) ** (1 / power)
    return float(middle + scale * np.log(0.5 / rate) ** (1 / power))

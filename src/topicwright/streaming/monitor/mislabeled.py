"""Mislabeled documents: other labels explain them much better than their own.

A document is scored with the statistics from before it arrived. Its score is log p(w | others) − log p(w | own), with
unknown shares of the labels and as many other labels as it has own ones, divided by the root of its length, so that
long and short documents are comparable. The threshold depends on the stream, and comes from the bulk of recent scores:

    P(score > x)  =  ½ exp(−(x − median) / s)

with s such that a tenth of the scores are above the upper tenth. The tail of true scores is a little thinner (see
:class:`StreamMonitor`), so that there are fewer false alerts than the accepted rate. Documents with wrong labels are
far out in the tail, and do not affect the bulk.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .alerts import MISLABELED, Alert
from .mislabel_scores import SHORTLIST, ScoringWorkspace, new_scoring_workspace, score_labels
from .model_access import Floats, MonitoredDocument
from .window_statistics import SLOTS, WindowStatistics

_MIN_SCORES = 200  # before the first threshold, or a full window
_WORDS = 5  # to show
_UPPER_TAIL = 0.1


class MislabelDetector:
    """Scores documents and calibrates the threshold for alerts."""

    def __init__(self, rate: float, window: int) -> None:
        self.rate = rate
        self.scores: deque[float] = deque(maxlen=window)
        self.limit = np.inf
        self._min_scores = min(_MIN_SCORES, window)
        self._workspace = new_scoring_workspace(0, 0, 0, SLOTS)

    def score(
        self, stats: WindowStatistics, alpha: float, document: MonitoredDocument, given: tuple[Any, ...]
    ) -> Alert | None:
        """Score a document with the statistics of the last check."""
        workspace = self._workspace_for(document, stats)
        score, n_words, n = score_labels(stats.evidence, stats.params(alpha), *document[1:], workspace)
        if np.isfinite(score):
            self.scores.append(score)
        if n == 0 or score <= self.limit:
            return None
        better = workspace.labels[workspace.alternatives[np.argmax(workspace.other_shares[:n])]]
        contributions = workspace.contributions[:n_words]
        strongest = [w for w in np.argsort(-contributions, kind="stable")[:_WORDS] if contributions[w] > 0]
        words = stats.words(workspace.words[strongest])
        return Alert(MISLABELED, document.name, stats.label(better), words, score, given=given)

    def _workspace_for(self, document: MonitoredDocument, stats: WindowStatistics) -> ScoringWorkspace:
        n_words, n_own, n_labels = len(document.words), len(document.labels), len(stats.evidence.totals)
        buffers = len(self._workspace.words), len(self._workspace.labels) - SHORTLIST, len(self._workspace.votes)
        if n_words > buffers[0] or n_own > buffers[1] or n_labels > buffers[2]:
            self._workspace = new_scoring_workspace(
                max(n_words, buffers[0]), max(n_own, buffers[1]), max(n_labels, buffers[2]), SLOTS
            )
        return self._workspace

    def calibrate(self) -> None:
        """Set the threshold from recent scores; scores in favor of a document's own labels never exceed it."""
        if len(self.scores) >= self._min_scores:
            self.limit = max(tail_threshold(np.array(self.scores), self.rate), 0.0)


def tail_threshold(scores: Floats, rate: float) -> float:
    """Threshold that scores exceed at most at a rate, extrapolated from their bulk.

    >>> scores = np.random.default_rng(0).exponential(size=20_000)
    >>> round(tail_threshold(scores, 0.001), 1), round(float(np.log(1000)), 1)
    (6.9, 6.9)
    """
    middle, upper = np.quantile(scores, [0.5, 1 - _UPPER_TAIL])
    return float(middle + (upper - middle) * np.log(2 * rate) / np.log(2 * _UPPER_TAIL))

"""Documents that other labels explain so much better than their own that these are likely wrong.

A document is judged by what was known before it came. Its score is log p(w | others) − log p(w | own), with shares of
labels unknown and as many others as it has labels, divided by the root of its length, so that long and short documents
can be compared. Which scores are too large depends on the stream, and is told by the bulk of the last ones:

    P(score > x)  =  ½ exp(−(x − median) / s)

where s is such that a tenth of them is above the upper tenth. The tail of true scores is a little thinner (see
:class:`Watch`), so there are fewer false alerts than promised. Documents with wrong labels are far out in the tail, and
do not move the bulk.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .alerts import MISLABELLED, Alert
from .mislabel_scores import SHORTLIST, ScoringWorkspace, new_scoring_workspace, score_labels
from .model_access import Floats, MonitoredDocument
from .window_statistics import SLOTS, WindowStatistics

_FEWEST = 200  # scores to go by, or a full window
_WORDS = 5  # to show
_UPPER = 0.1


class MislabelDetector:
    """Scores of documents, and what is too large for one."""

    def __init__(self, rate: float, window: int) -> None:
        self.rate = rate
        self.scores: deque[float] = deque(maxlen=window)
        self.limit = np.inf
        self._fewest = min(_FEWEST, window)
        self._trial = new_scoring_workspace(0, 0, 0, SLOTS)

    def look(
        self, memory: WindowStatistics, alpha: float, document: MonitoredDocument, given: tuple[Any, ...]
    ) -> Alert | None:
        """Judge a document by what was known at the last turn."""
        trial = self._room_for(document, memory)
        score, n_words, n = score_labels(memory.said, memory.rule(alpha), *document[1:], trial)
        if np.isfinite(score):
            self.scores.append(score)
        if n == 0 or score <= self.limit:
            return None
        better = trial.labels[trial.tried[np.argmax(trial.other_shares[:n])]]
        says = trial.says[:n_words]
        strongest = [w for w in np.argsort(-says, kind="stable")[:_WORDS] if says[w] > 0]
        words = memory.words(trial.words[strongest])
        return Alert(MISLABELLED, document.name, memory.label(better), words, score, given=given)

    def _room_for(self, document: MonitoredDocument, memory: WindowStatistics) -> ScoringWorkspace:
        n_words, n_own, n_labels = len(document.words), len(document.labels), len(memory.said.totals)
        room = len(self._trial.words), len(self._trial.labels) - SHORTLIST, len(self._trial.votes)
        if n_words > room[0] or n_own > room[1] or n_labels > room[2]:
            self._trial = new_scoring_workspace(
                max(n_words, room[0]), max(n_own, room[1]), max(n_labels, room[2]), SLOTS
            )
        return self._trial

    def calibrate(self) -> None:
        """Find what is too large, by the last scores; what is in favour of a document's own labels never is."""
        if len(self.scores) >= self._fewest:
            self.limit = max(far_out(np.array(self.scores), self.rate), 0.0)


def far_out(scores: Floats, rate: float) -> float:
    """What is exceeded at such a rate or less, by the bulk of the scores.

    >>> scores = np.random.default_rng(0).exponential(size=20_000)
    >>> round(far_out(scores, 0.001), 1), round(float(np.log(1000)), 1)
    (6.9, 6.9)
    """
    middle, upper = np.quantile(scores, [0.5, 1 - _UPPER])
    return float(middle + (upper - middle) * np.log(2 * rate) / np.log(2 * _UPPER))

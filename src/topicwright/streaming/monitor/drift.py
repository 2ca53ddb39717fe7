"""Drift of labels: changes of the words that a label is used with.

For each label, the last documents are stored, and a sample of earlier ones that is spread evenly over time. When enough
new documents have arrived, both sets are compared word by word: in how many documents a word is, each weighted by the
share of the label in it. With z_w the difference in standard deviations, the change of the label is

    T  =  Σ_w max(z_w² − 4, 0)

which grows with a few words that change much as well as with many words that change. The distribution of T by chance
comes from random permutations of the documents, so that its level is exact for any kind of text. Each check uses up a
part of the accepted rate of false alerts: every document of the stream adds to a budget that the checks share. The rate
therefore holds for any number of labels and checks.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_noalloc
from .alerts import DRIFT, Alert
from .model_access import Floats, MonitoredDocument, attribute_words, concatenate_documents, new_buffers, statistics_of
from .window_statistics import Renumbering, WindowStatistics

if TYPE_CHECKING:
    from ...models.online.state import StreamState

_SAMPLE = 4  # times as many earlier documents are stored at most
_MAX_DOCUMENTS = 50_000  # of all labels; beyond, the labels that were unused for the longest time are dropped
_PERMUTATIONS = 2000
_PERMUTATION_BATCH = 25
_MAX_LEVEL = 0.01  # of one check
_MAX_BUDGET = 0.05
_MIN_DOCUMENTS = 5.0  # documents with a word
_MIN_WORDS, _MIN_RISING = 5, 2  # words to compare; rising words of a change
_MIN_LIFT = 1.5  # frequency of a word in a label relative to the stream
_SLACK = 0.9  # for a label that nearly all documents have
_NOTABLE_Z = 2.0
_WORDS = 5


class LabelHistory:
    """Documents of a label: the last ones, and a sample of earlier ones."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.recent: deque[MonitoredDocument] = deque()
        self.sample: list[MonitoredDocument] = []
        self.stride, self.passed, self.since = (
            1,
            0,
            0,
        )  # one in ``stride`` is sampled; passed since then; new since the last check

    def add(self, document: MonitoredDocument) -> None:
        """Add a document; the sample stays spread over the whole time."""
        self.recent.append(document)
        self.since += 1
        if len(self.recent) <= self.block:
            return
        old = self.recent.popleft()
        self.passed += 1
        if self.passed < self.stride:
            return
        self.passed = 0
        self.sample.append(old)
        if len(self.sample) > _SAMPLE * self.block:
            self.sample, self.stride = self.sample[::2], 2 * self.stride

    @property
    def is_due(self) -> bool:
        """Whether there are enough documents to compare."""
        return min(self.since, len(self.recent), len(self.sample)) >= self.block

    def __len__(self) -> int:
        return len(self.recent) + len(self.sample)


class DriftDetector:
    """Detects changes of labels; ``budget`` is the rate of false alerts that is left for checks."""

    def __init__(self, rate: float, block: int) -> None:
        self.rate, self.block = rate, block
        self.histories: dict[int, LabelHistory] = {}  # the most recently used last
        self.budget = 0.0
        self._n_documents = 0

    def add(self, document: MonitoredDocument) -> None:
        """Add a document."""
        for label in document.labels.tolist():
            history = self.histories.pop(label, None) or LabelHistory(self.block)
            self._n_documents -= len(history)
            history.add(document)
            self._n_documents += len(history)
            self.histories[label] = history
        while self._n_documents > _MAX_DOCUMENTS and len(self.histories) > 1:
            self._n_documents -= len(self.histories.pop(next(iter(self.histories))))

    def check(self, stream: StreamState, stats: WindowStatistics, number: int, n: int) -> list[Alert]:
        """Check labels after n more documents; those with the most new documents come first."""
        self.budget = min(self.budget + self.rate * n, _MAX_BUDGET)
        due = sorted((-history.since, label) for label, history in self.histories.items() if history.is_due)
        due = due[: int(self.budget * (_PERMUTATIONS + 1))]
        if not due:
            return []
        n_extreme = min(int(self.budget / len(due) * (_PERMUTATIONS + 1)), int(_MAX_LEVEL * (_PERMUTATIONS + 1)))
        self.budget -= len(due) * n_extreme / (_PERMUTATIONS + 1)
        alerts = [self._compare(stream, stats, label, n_extreme, (number, label)) for _, label in due]
        return [alert for alert in alerts if alert is not None]

    def _compare(
        self, stream: StreamState, stats: WindowStatistics, label: int, n_extreme: int, seed: tuple[int, int]
    ) -> Alert | None:
        history = self.histories[label]
        history.since = 0
        words, table = _table(stream, stats, label, [*history.sample, *history.recent])
        if len(words) < _MIN_WORDS:
            return None
        z = standardized(table, len(history.recent))
        score = permutation_score(z, len(history.recent), n_extreme, np.random.default_rng(seed))
        change = z[-len(history.recent) :].sum(axis=0)
        if score is None or np.count_nonzero(change > _NOTABLE_Z) < _MIN_RISING:
            return None
        self._n_documents -= len(self.histories.pop(label))  # the change may be within the last documents: start again
        return _alert(stats, label, words, change, score, len(z))

    def restore(self, histories: dict[int, LabelHistory]) -> None:
        """Replace the histories."""
        self.histories = histories
        self._n_documents = sum(map(len, histories.values()))

    def renumber(self, numbers: Renumbering, documents: dict[int, MonitoredDocument]) -> dict[int, LabelHistory]:
        """Histories after a pruning; ``documents`` maps the identity of old documents to new ones."""
        histories = {int(numbers.labels[k]): history for k, history in self.histories.items() if numbers.labels[k] >= 0}
        for history in histories.values():
            history.recent = deque(documents[id(document)] for document in history.recent)
            history.sample = [documents[id(document)] for document in history.sample]
        return histories


def _alert(
    stats: WindowStatistics, label: int, words: NDArray[np.int64], change: Floats, score: float, n: int
) -> Alert:
    order = np.argsort(-change, kind="stable")
    more = [w for w in order[:_WORDS] if change[w] > _NOTABLE_Z]
    less = [w for w in order[::-1][:_WORDS] if change[w] < -_NOTABLE_Z]
    names = stats.words(words[more]), stats.words(words[less])
    return Alert(DRIFT, None, stats.label(label), names[0], score, fallen=names[1], n_documents=n)


def _table(
    stream: StreamState, stats: WindowStatistics, label: int, stored: list[MonitoredDocument]
) -> tuple[NDArray[np.int64], Floats]:
    """Words to compare, and the share of the label in them by document, with all other words in the last column."""
    documents = concatenate_documents(stored)
    credit = np.zeros(len(documents.words))
    background = stats.background(documents.words)
    alpha, buffers = stream.settings.alpha, new_buffers(documents)
    attribute_words(statistics_of(stream), documents, np.uint32(label), background, stats.prior, alpha, buffers, credit)
    words, positions = stats.positions(documents.words)
    sums, tokens = (np.bincount(positions, part, len(words)) for part in (credit, credit * documents.times))
    lift = min(_MIN_LIFT, (1 + stats.n_tokens / max(stats.evidence.totals[label], 1.0)) / 2)
    is_own = tokens > _SLACK * lift * stats.background(words) * tokens.sum()
    kept_words = np.flatnonzero((sums >= _MIN_DOCUMENTS) & is_own)
    columns = np.full(len(words), len(kept_words))
    columns[kept_words] = np.arange(len(kept_words))
    rows = np.repeat(np.arange(len(stored)), np.diff(documents.offsets))
    flat = rows * (len(kept_words) + 1) + columns[positions]
    table = np.bincount(flat, credit, len(stored) * (len(kept_words) + 1))
    return words[kept_words], table.astype(np.float64).reshape(len(stored), -1)


def standardized(table: Floats, n_recent: int) -> Floats:
    """Contribution of each document to z_w, by word; z_w is the sum over the last documents.

    It is the excess of the word over what the length of the document predicts, divided by the standard deviation of the
    sum over a random choice of documents.
    """
    n, lengths = len(table), table.sum(axis=1)
    excess = table[:, :-1] - np.outer(lengths, table[:, :-1].sum(axis=0) / lengths.sum())
    excess -= excess.mean(axis=0)
    variance = (excess**2).sum(axis=0) * (n_recent * (n - n_recent) / (n * (n - 1)))
    return np.asarray(excess / np.sqrt(np.maximum(variance, 1e-12)))


def permutation_score(z: Floats, n_recent: int, n_extreme: int, rng: np.random.Generator) -> float | None:
    """Standard deviations above chance, if fewer than ``n_extreme`` of 2,000 permutations change as much; else None.

    It stops as soon as there are too many.
    """
    observed = np.zeros(1)
    change_statistic(z, np.arange(len(z) - n_recent, len(z))[None], np.zeros(z.shape[1]), observed)
    change, permuted, n_above = observed[0], [], 0
    for _ in range(_PERMUTATIONS // _PERMUTATION_BATCH):
        permuted.append(_permuted_changes(z, n_recent, rng))
        n_above += int(np.count_nonzero(permuted[-1] >= change * (1 - 1e-9)))
        if n_above >= n_extreme:
            return None
    by_chance = np.concatenate(permuted)
    return float((change - by_chance.mean()) / max(by_chance.std(), 1e-12))


def _permuted_changes(z: Floats, n_recent: int, rng: np.random.Generator) -> Floats:
    """Changes of a batch of random permutations."""
    chosen = rng.random((_PERMUTATION_BATCH, len(z))).argpartition(n_recent, axis=1)[:, :n_recent]
    changes = np.zeros(_PERMUTATION_BATCH)
    change_statistic(z, chosen, np.zeros(z.shape[1]), changes)
    return changes


@jit_noalloc
def change_statistic(z: Any, chosen: Any, sums: Any, changes: Any) -> None:
    """T for several choices of documents; ``sums`` is a buffer, by word."""
    n_words = np.uint64(z.shape[1])
    for choice in range(np.uint64(chosen.shape[0])):
        for w in range(n_words):
            sums[w] = 0.0
        for n in range(np.uint64(chosen.shape[1])):
            row = np.uint64(chosen[choice, n])
            for w in range(n_words):
                sums[w] += z[row, w]
        total = 0.0
        for w in range(n_words):
            total += max(sums[w] * sums[w] - _NOTABLE_Z * _NOTABLE_Z, 0.0)
        changes[choice] = total

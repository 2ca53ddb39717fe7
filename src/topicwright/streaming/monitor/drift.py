"""Labels whose words change.

Of each label the last documents are kept, and a sample of those before them, evenly over time. When as many new ones
have come as are compared, the two are looked at, word by word: in how many documents a word is, each counting by the
label's share in it. With z_w the difference in standard deviations, the label has changed by

    T  =  Σ_w max(z_w² − 4, 0)

which grows with a few words that change much as well as with many that change. How large T is by chance is found by
dealing the documents anew into last and earlier ones, so that its level is exact, however documents are written. A look
is counted against the false alerts that are put up with: each document of the stream brings some of that, and looks
share what has been saved up. So there are as many as promised, whatever the number of labels and looks.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_noalloc
from .alerts import DRIFT, Alert
from .model_access import Floats, MonitoredDocument, give_credit, room_for, side_by_side, statistics_of
from .window_statistics import Renumbering, WindowStatistics

if TYPE_CHECKING:
    from ...models.online.state import StreamState

_SAMPLE = 4  # times as many earlier documents are kept at most
_MOST_KEPT = 50_000  # documents, by label: beyond, labels that have not come for longest are forgotten
_DEALS = 2000
_AT_A_TIME = 25
_MOST_LEVEL = 0.01  # of one look
_MOST_SAVED = 0.05
_FEWEST = 5.0  # documents that have a word
_FEWEST_WORDS, _FEWEST_NEW = 5, 2  # to compare; that there must be more of
_LIFT = 1.5  # how much more of a word a label must have than the stream has
_SLACK = 0.9  # for a label that nearly all documents have
_NOTABLE = 2.0
_WORDS = 5


class LabelHistory:
    """The documents of a label: the last ones, and some of those before."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.recent: deque[MonitoredDocument] = deque()
        self.sample: list[MonitoredDocument] = []
        self.stride, self.passed, self.since = 1, 0, 0  # one in so many is kept; those passed by; new ones

    def add(self, document: MonitoredDocument) -> None:
        """One more; the sample stays spread over all the time."""
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
        """Whether there is enough to be compared."""
        return min(self.since, len(self.recent), len(self.sample)) >= self.block

    def __len__(self) -> int:
        return len(self.recent) + len(self.sample)


class Drift:
    """The pasts of all labels, and what may be spent on looking at them."""

    def __init__(self, rate: float, block: int) -> None:
        self.rate, self.block = rate, block
        self.pasts: dict[int, LabelHistory] = {}  # that which has come last is last
        self.saved = 0.0
        self._n_kept = 0

    def add(self, document: MonitoredDocument) -> None:
        """One more document."""
        for label in document.labels.tolist():
            past = self.pasts.pop(label, None) or LabelHistory(self.block)
            self._n_kept -= len(past)
            past.add(document)
            self._n_kept += len(past)
            self.pasts[label] = past
        while self._n_kept > _MOST_KEPT and len(self.pasts) > 1:
            self._n_kept -= len(self.pasts.pop(next(iter(self.pasts))))

    def turn(self, stream: StreamState, memory: WindowStatistics, number: int, n: int) -> list[Alert]:
        """So many documents have come: look at the labels that are due, those first that have waited for longest."""
        self.saved = min(self.saved + self.rate * n, _MOST_SAVED)
        due = sorted((-past.since, label) for label, past in self.pasts.items() if past.is_due)
        due = due[: int(self.saved * (_DEALS + 1))]
        if not due:
            return []
        n_extreme = min(int(self.saved / len(due) * (_DEALS + 1)), int(_MOST_LEVEL * (_DEALS + 1)))
        self.saved -= len(due) * n_extreme / (_DEALS + 1)
        alerts = [self._look(stream, memory, label, n_extreme, (number, label)) for _, label in due]
        return [alert for alert in alerts if alert is not None]

    def _look(
        self, stream: StreamState, memory: WindowStatistics, label: int, n_extreme: int, seed: tuple[int, int]
    ) -> Alert | None:
        past = self.pasts[label]
        past.since = 0
        words, table = _table(stream, memory, label, [*past.sample, *past.recent])
        if len(words) < _FEWEST_WORDS:
            return None
        z = standardised(table, len(past.recent))
        score = exceeds_chance(z, len(past.recent), n_extreme, np.random.default_rng(seed))
        change = z[-len(past.recent) :].sum(axis=0)
        if score is None or np.count_nonzero(change > _NOTABLE) < _FEWEST_NEW:
            return None
        self._n_kept -= len(self.pasts.pop(label))  # the change may be in the middle of the last ones: begin anew
        return _alert(memory, label, words, change, score, len(z))

    def hold(self, pasts: dict[int, LabelHistory]) -> None:
        """Go on from other pasts."""
        self.pasts = pasts
        self._n_kept = sum(map(len, pasts.values()))

    def renumbered(self, numbers: Renumbering, documents: dict[int, MonitoredDocument]) -> dict[int, LabelHistory]:
        """The pasts when the model was pruned; ``documents`` are the new ones by the identity of the old."""
        pasts = {int(numbers.labels[k]): past for k, past in self.pasts.items() if numbers.labels[k] >= 0}
        for past in pasts.values():
            past.recent = deque(documents[id(document)] for document in past.recent)
            past.sample = [documents[id(document)] for document in past.sample]
        return pasts


def _alert(
    memory: WindowStatistics, label: int, words: NDArray[np.int64], change: Floats, score: float, n: int
) -> Alert:
    order = np.argsort(-change, kind="stable")
    more = [w for w in order[:_WORDS] if change[w] > _NOTABLE]
    less = [w for w in order[::-1][:_WORDS] if change[w] < -_NOTABLE]
    names = memory.words(words[more]), memory.words(words[less])
    return Alert(DRIFT, None, memory.label(label), names[0], score, fallen=names[1], n_documents=n)


def _table(
    stream: StreamState, memory: WindowStatistics, label: int, kept: list[MonitoredDocument]
) -> tuple[NDArray[np.int64], Floats]:
    """The words that are compared, and the label's share in them, by document; what is left of one comes last."""
    documents = side_by_side(kept)
    credit = np.zeros(len(documents.words))
    background = memory.background(documents.words)
    alpha, room = stream.settings.alpha, room_for(documents)
    give_credit(statistics_of(stream), documents, np.uint32(label), background, memory.prior, alpha, room, credit)
    words, places = memory.places(documents.words)
    sums, tokens = (np.bincount(places, part, len(words)) for part in (credit, credit * documents.times))
    lift = min(_LIFT, (1 + memory.n_tokens / max(memory.said.totals[label], 1.0)) / 2)
    is_own = tokens > _SLACK * lift * memory.background(words) * tokens.sum()
    kept_words = np.flatnonzero((sums >= _FEWEST) & is_own)
    columns = np.full(len(words), len(kept_words))
    columns[kept_words] = np.arange(len(kept_words))
    rows = np.repeat(np.arange(len(kept)), np.diff(documents.offsets))
    flat = rows * (len(kept_words) + 1) + columns[places]
    table = np.bincount(flat, credit, len(kept) * (len(kept_words) + 1))
    return words[kept_words], table.astype(np.float64).reshape(len(kept), -1)


def standardised(table: Floats, n_recent: int) -> Floats:
    """What each document adds to z_w, by word; z_w is the sum over the last ones.

    It is by how much the document has more of a word than its length tells, divided by the standard deviation of
    the sum over so many documents, dealt by chance.
    """
    n, lengths = len(table), table.sum(axis=1)
    excess = table[:, :-1] - np.outer(lengths, table[:, :-1].sum(axis=0) / lengths.sum())
    excess -= excess.mean(axis=0)
    variance = (excess**2).sum(axis=0) * (n_recent * (n - n_recent) / (n * (n - 1)))
    return np.asarray(excess / np.sqrt(np.maximum(variance, 1e-12)))


def exceeds_chance(z: Floats, n_recent: int, n_extreme: int, rng: np.random.Generator) -> float | None:
    """Whether fewer than ``n_extreme`` of 2,000 deals come to such a change; then by how many standard deviations.

    It stops with the first deal that is too many.
    """
    observed = np.zeros(1)
    change_of(z, np.arange(len(z) - n_recent, len(z))[None], np.zeros(z.shape[1]), observed)
    change, dealt, n_above = observed[0], [], 0
    for _ in range(_DEALS // _AT_A_TIME):
        dealt.append(_deals(z, n_recent, rng))
        n_above += int(np.count_nonzero(dealt[-1] >= change * (1 - 1e-9)))
        if n_above >= n_extreme:
            return None
    by_chance = np.concatenate(dealt)
    return float((change - by_chance.mean()) / max(by_chance.std(), 1e-12))


def _deals(z: Floats, n_recent: int, rng: np.random.Generator) -> Floats:
    """The change of documents dealt by chance, some times."""
    chosen = rng.random((_AT_A_TIME, len(z))).argpartition(n_recent, axis=1)[:, :n_recent]
    changes = np.zeros(_AT_A_TIME)
    change_of(z, chosen, np.zeros(z.shape[1]), changes)
    return changes


@jit_noalloc
def change_of(z: Any, chosen: Any, sums: Any, changes: Any) -> None:
    """T of some documents, some times; ``sums`` is room to work in, by word."""
    n_words = np.uint64(z.shape[1])
    for deal in range(np.uint64(chosen.shape[0])):
        for w in range(n_words):
            sums[w] = 0.0
        for n in range(np.uint64(chosen.shape[1])):
            row = np.uint64(chosen[deal, n])
            for w in range(n_words):
                sums[w] += z[row, w]
        total = 0.0
        for w in range(n_words):
            total += max(sums[w] * sums[w] - _NOTABLE * _NOTABLE, 0.0)
        changes[deal] = total

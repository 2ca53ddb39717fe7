"""A watch over a stream: it sees documents on their way into the model, and says what a person should look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.signals import defer_signals
from ..._utils.validation import check_integer
from ...errors import InputError
from ...models.online.inputs import StreamDocument
from ...models.online.settings import _within
from .alerts import Alert
from .drift import Drift
from .emerging_labels import Trends, find_emerging_labels, trends_of
from .mislabeled import MislabelDetector
from .model_access import MonitoredDocument
from .window_statistics import WindowStatistics

if TYPE_CHECKING:
    from ...models import OnlineLabeledLDA
    from ...models.online.state import StreamState

__all__ = ["Alert", "StreamMonitor", "Trends"]

TURN = 50  # documents, after which labels are looked at and what is known is brought up to date
_MOST_FALSE = 0.1  # alerts per document
_TURNS = 4  # between two looks for candidates


class StreamMonitor:
    """Looks at the documents that a model of a stream learns from, and raises alerts.

    Alerts do not depend on how the stream is cut into calls, and a watch that was saved with its model goes on as if it
    had never stopped. Documents without labels are not looked at. A document costs about as much as to learn from it,
    or twice that, at any age of the stream. Memory grows with the model's vocabulary, and not with the stream.

    Parameters
    ----------
    model : OnlineLabeledLDA
        A new one, or one that has learned before.
    window : int
        Documents that are the present: scores of others are compared with theirs, words rise and fall in them.
    block : int
        Documents of a label that are compared with those before, when so many have come.
    mislabelled, drift, candidate : float
        False alerts of each kind that are put up with, per document of the stream; 0 not to look for any.

    Notes
    -----
    Measured on abstracts of arXiv by date, 5,000 at a time with all their words, of which 2 in 100 were given the
    labels of another. Figures are means of three draws; settings were chosen by these same documents. "Others" are
    alerts of documents with labels as they came, in 1,000; a reader would agree with some of them.

    ===========================  =========  ======  ======
    abstracts, ``mislabelled``   precision  recall  others
    ===========================  =========  ======  ======
    2014, 0.005                       0.72    0.26     2.0
    1989 to 2001, 0.005               0.81    0.27     1.1
    2007 to 2016, 0.005               0.82    0.28     1.2
    2014, 0.01                        0.61    0.37     4.7
    1989 to 2001, 0.01                0.55    0.35     5.2
    2007 to 2016, 0.01                0.69    0.36     3.2
    ===========================  =========  ======  ======

    Nothing else is found in those of 2014. In 9,459 on machine learning, of 1994 to 2019, eleven labels change, among
    them cs.NE in 2015 (deep, convolutional) and cs.CR in 2018 (adversarial), and six candidates come up, such as
    recurrent, rnn, lstms in 2016. The watch took 1.3 to 2.4 times as long as learning did, the latter where most
    labels are large and change.

    Examples
    --------
    >>> import topicwright as tw
    >>> watch = tw.Watch(tw.OnlineLabeledLDA())
    >>> texts, labels = ["ship sails sea wind", "bread oven flour salt"] * 200, [["sea"], ["kitchen"]] * 200
    >>> watch.learn(texts, labels)
    []
    >>> for alert in watch.learn(["bread flour oven"], [["sea"]], ids=["a17"]):
    ...     print(alert)
    document a17, labelled sea, would fit kitchen better: bread, flour, oven
    """

    def __init__(
        self,
        model: OnlineLabeledLDA,
        *,
        window: int = 1000,
        block: int = 50,
        mislabelled: float = 0.005,
        drift: float = 0.0001,
        candidate: float = 0.0001,
    ) -> None:
        self.model = model
        self.window, self.block = check_integer("window", window, TURN), check_integer("block", block, 5, 10_000)
        self.mislabelled = _within("mislabelled", mislabelled, 0.0, _MOST_FALSE)
        self.drift = _within("drift", drift, 0.0, _MOST_FALSE)
        self.candidate = _within("candidate", candidate, 0.0, _MOST_FALSE)
        self.n_docs_seen = 0
        self._memory = WindowStatistics(self.window)
        self._scores = MislabelDetector(self.mislabelled, self.window)
        self._drift = Drift(self.drift, self.block)

    def learn(self, X: Any, y: Any = None, ids: Iterable[Any] | None = None) -> list[Alert]:
        """Have the model learn from documents, as :meth:`OnlineLabeledLDA.partial_fit` does, and look at them.

        ``ids`` are what alerts call the documents; else those are counted from 0. Alerts of changes come up with every
        fiftieth document, those of documents at once.
        """
        model = self.model
        stream = model.open_stream()
        items = stream.parse(X, y)
        names = _names(ids, self.n_docs_seen, len(items))
        stream.new_labels = []
        model.set_stream(stream)
        alerts: list[Alert] = []
        self._follow(stream)
        try:
            start = 0
            while start < len(items):
                end = start + min(TURN - self.n_docs_seen % TURN, stream.settings.window)  # the model keeps so many
                with defer_signals():
                    stream.read(items[start:end])
                    alerts += self._look(stream, items[start:end], names[start:end])
                start = end
        finally:
            model.set_stream(stream)  # its results have changed
        return alerts

    def trends(self, top: int = 5) -> Trends:
        """Words that come in more, and in fewer, documents of the window than before, beyond chance.

        >>> import topicwright as tw
        >>> watch = tw.Watch(tw.OnlineLabeledLDA(), window=100)
        >>> _ = watch.learn(["ship sea"] * 300 + ["ship storm"] * 50, [["sea"]] * 350)
        >>> watch.trends().rising, watch.trends().falling
        (('storm',), ('sea',))
        """
        return trends_of(self._memory, check_integer("top", top, 0))

    # ------------------------------------------------------------------ looking

    def _look(self, stream: StreamState, items: Sequence[StreamDocument], names: Sequence[Any]) -> list[Alert]:
        """At documents that have just been learned, by what was known at the last turn."""
        alerts: list[Alert | None] = []
        self._memory.follow(stream)
        labelled = [(item.labels, name) for item, name in zip(items, names) if item.labels is not None]
        learned = list(stream.recent)[len(stream.recent) - len(labelled) :]
        for (labels, name), recent in zip(labelled, learned):
            document = self._memory.document(name, recent.tokens, recent.labels)
            if self.mislabelled:
                alerts.append(self._scores.look(self._memory, stream.settings.alpha, document, labels))
            self._memory.add(document)
            if self.drift:
                self._drift.add(document)
        self.n_docs_seen += len(items)
        if self.n_docs_seen % TURN == 0:
            alerts += self._turn(stream)
        return [alert for alert in alerts if alert is not None]

    def _turn(self, stream: StreamState) -> list[Alert]:
        memory, number = self._memory, self.n_docs_seen
        memory.turn(stream, TURN)
        self._scores.calibrate()
        alerts = self._drift.turn(stream, memory, number, TURN) if self.drift else []
        is_due = self.candidate and number % (_TURNS * TURN) == 0 and memory.n_before >= self.window
        if is_due:
            alerts += find_emerging_labels(stream, memory, number, self.candidate * _TURNS * TURN)
        return alerts

    def _follow(self, stream: StreamState) -> None:
        """Where the model was pruned, the numbers of words and labels are others."""
        numbers = self._memory.follow(stream)
        if numbers is None:
            return
        new = {id(document): numbers.document(document) for document in self.documents()}
        self._memory.hold(*([new[id(old)] for old in part] for part in (self._memory.window, self._memory.waiting)))
        self._drift.hold(self._drift.renumbered(numbers, new))

    def documents(self) -> Iterator[MonitoredDocument]:
        """All that are kept, some of them several times."""
        yield from self._memory.window
        yield from self._memory.waiting
        for past in self._drift.pasts.values():
            yield from past.recent
            yield from past.sample

    # ------------------------------------------------------------------ to save and take up again

    def state(self) -> dict[str, NDArray[Any]]:
        """All that :meth:`from_state` needs to go on in just the same way, with the model as it is now."""
        from .serialization import to_arrays

        if self.model.stream_ is not None:
            self._follow(self.model.stream_)
        return to_arrays(self)

    @classmethod
    def from_state(cls, model: OnlineLabeledLDA, state: Mapping[str, NDArray[Any]]) -> StreamMonitor:
        """A watch that goes on from a state; a ``ModelFileError`` where it does not fit the model.

        >>> import topicwright as tw
        >>> watch = tw.Watch(tw.OnlineLabeledLDA())
        >>> _ = watch.learn(["ship sea", "bread oven"], [["sea"], ["kitchen"]])
        >>> tw.Watch.from_state(watch.model, watch.state()).n_docs_seen
        2
        """
        from .serialization import from_arrays

        return from_arrays(cls, model, state)


def _names(ids: Iterable[Any] | None, start: int, n: int) -> list[Any]:
    if ids is None:
        return list(range(start, start + n))
    if isinstance(ids, (str, bytes)):
        raise InputError(f"ids must be a list, one for each document: got {type(ids).__name__}")
    names = [name.item() if isinstance(name, np.generic) else name for name in ids]
    if len(names) != n:
        raise InputError(f"ids must have one entry per document: got {len(names)}, expected {n}")
    return [name if isinstance(name, (str, int)) else str(name) for name in names]

"""The loop of a stream: read, learn, save."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .._utils.atomic import remove_leftovers
from .._utils.validation import check_integer, check_positive
from ..corpus.documents import Document, FieldNames
from ..corpus.formats.jsonl import parse_json_document
from ..errors import InputError
from ..models._training import log_compilation
from ..models.online.state import ReadProgress, SourcePosition, StreamState
from .progress import ProgressLedger
from .sources import Line, Source, SourceRotated
from .status import BadLine, OnEvent, Saved, SaveFailed, Speed, Started, Status, figures_of

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA
    from .monitor.monitor import StreamMonitor

_MOST_PLACES = 100  # of sources that are remembered
_RETRY = 10.0  # seconds after a checkpoint that could not be written
_SHOWN_LABELS = 5


class Runner:
    """Learns from a source of JSON lines, to its end or until it is told to stop.

    Parameters
    ----------
    model : OnlineLabeledLDA
        A new one, or one to go on with. A source that it has read before is taken up where it was left.
    source : Source
    path : path
        The model file.
    every : int, optional
        Documents between two checkpoints.
    seconds : float, optional
        The same as a time.
    batch_size : int
        Documents to learn from at a time; fewer where no more are there yet.
    prune_every : int, optional
        Documents after which words and labels are given up that count for less than ``prune_below``.
    watch : Watch, optional
        Looks at documents before they are learned from, and raises alerts.
    fields : Fields, optional
        Names of the fields of text, labels and id.
    status_every : float
        Seconds between two words about how it stands.
    on_event : callable
        Is told of everything: see ``Event``.
    stop : callable
        Is asked between lines, and while nothing comes, whether to end.
    """

    def __init__(
        self,
        model: OnlineLabeledLDA,
        source: Source,
        path: str | os.PathLike[str],
        *,
        every: int | None = None,
        seconds: float | None = 60.0,
        batch_size: int = 100,
        prune_every: int | None = None,
        prune_below: float = 1.0,
        watch: StreamMonitor | None = None,
        fields: FieldNames | None = None,
        status_every: float = 1.0,
        on_event: OnEvent = lambda event: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.model, self.source, self.path, self.watch = model, source, path, watch
        self._every = None if every is None else check_integer("every", every, 1)
        self._seconds = None if seconds is None else check_positive("seconds", seconds)
        self._batch_size = check_integer("batch_size", batch_size, 1)
        self._prune_every = None if prune_every is None else check_integer("prune_every", prune_every, 1)
        self._prune_below = check_positive("prune_below", prune_below)
        self._fields, self._status_every = fields or FieldNames(), status_every
        self._tell, self._stop = on_event, stop
        reading = ReadProgress() if model.stream_ is None else model.stream_.reading
        self._older = reading.places
        self._ledger = ProgressLedger(model, reading.n_bad)
        self._saved: SourcePosition | None = reading.places[-1] if reading.places else None
        self._n_saved, self._has_failed = model.n_docs_read_, False
        self._start_the_clock()
        self._new_labels: deque[Any] = deque(maxlen=_SHOWN_LABELS)
        self._n_new_labels = self._n_alerts = 0

    # ------------------------------------------------------------------ the loop

    def run(self) -> Status:
        """Learn, and write a last checkpoint; an OSError where that can't be written. To be called once."""
        remove_leftovers(self.path)
        place = self.source.find_place(self._older, self._idle)
        if place is not None:
            self._older = tuple(old for old in self._older if old.first and old.first != place.first)
            self._ledger.begin(place)
            self._tell(Started(place, figures_of(self.model)["documents"]))
            self._warm_up()
            self._start_the_clock()
            try:
                self._read()
            except InputError:  # the source is damaged: what came before is learned
                self._learn()
                self.checkpoint()
                raise
            self._learn()
        if self._stop():
            self._tell(self.status())  # saving may take a while
        saved = self._save() if self._is_ahead else None
        if saved is not None:
            self._tell(saved)
        return self.status()

    def _warm_up(self) -> None:
        """Have the kernels compiled before the first document, on a stream that is thrown away."""
        with log_compilation():
            engine = StreamState.from_parameters(self.model).engine
            engine.add([0, 0], [0, 2], [0, 1], [0, 2])
            engine.state()

    def _read(self) -> None:
        for item in self.source:
            if isinstance(item, SourceRotated):
                self._turn(item)
            else:
                self._take(item)
            if self._stop():
                return
            self._look_at_the_clock()

    def _take(self, line: Line) -> None:
        number = line.place.lines
        try:
            if not line.is_whole:
                raise InputError(f"{self._where(number)}: a line must not be so long: got {line.place.length:,} bytes")
            document = parse_json_document(line.data, self._fields, self._where(number))
        except InputError as error:
            is_left = line.is_whole and not line.is_ended
            if not is_left:
                self._ledger.pass_by(line.place, 1)
            self._tell(BadLine(number, str(error), line.data, is_left))
            return
        if document is None:
            self._ledger.pass_by(line.place, 0)
            return
        self._ledger.add(document._replace(line=number), line)
        if len(self._ledger) >= self._room():
            self._learn()

    def _where(self, number: int) -> str:
        return f"{self.source.title}, line {number}"

    def _turn(self, turn: SourceRotated) -> None:
        self._learn()
        if self._ledger.place is not None and self._ledger.place.first:
            self._older = (*self._older, self._ledger.place)
        self._ledger.begin(turn.place)
        self._tell(turn)
        self.checkpoint()  # which is to say that the next file is to be read from its start

    def _idle(self) -> bool:
        """What to do while nothing comes."""
        self._learn()
        self._look_at_the_clock(is_waiting=True)
        return not self._stop()

    # ------------------------------------------------------------------ learning

    def _room(self) -> int:
        """How many documents may wait: saving and pruning have their turn after just so many."""
        room, n_read = self._batch_size, self.model.n_docs_read_
        if self._prune_every is not None:
            room = min(room, self._prune_every - n_read % self._prune_every)
        if self._every is not None and n_read - self._n_saved < self._every:
            room = min(room, self._every - (n_read - self._n_saved))
        return room

    def _learn(self) -> None:
        """Learn from the documents that wait."""
        documents = self._ledger.waiting
        if not documents:
            return
        self._prune()
        try:
            self._learn_from(documents)
        except InputError:  # nothing was learned: one of them is to blame
            for document in documents:
                self._learn_or_refuse(document)

    def _learn_or_refuse(self, document: Document) -> None:
        try:
            self._learn_from([document])
        except InputError as error:
            data = self._ledger.refuse(document)
            self._tell(BadLine(document.line, f"{self._where(document.line)}: {error}", data))

    def _learn_from(self, documents: Sequence[Document]) -> None:
        texts, labels = [document.text for document in documents], [document.labels for document in documents]
        if self.watch is None:
            alerts: Sequence[Any] = ()
            self.model.partial_fit(texts, labels)
        else:
            ids = [document.line if document.id is None else document.id for document in documents]
            alerts = self.watch.learn(texts, labels, ids)
        self._ledger.settle()
        new = self.model.open_stream().new_labels
        self._new_labels.extend(new)
        self._n_new_labels += len(new)
        self._n_alerts += len(alerts)
        for alert in alerts:
            self._tell(alert)

    def _prune(self) -> None:
        n_read, every = self.model.n_docs_read_, self._prune_every
        is_due = every is not None and n_read > 0 and n_read % every == 0
        if is_due and self.model.__sklearn_is_fitted__():
            with suppress(InputError):  # it would leave nothing
                self.model.prune(self._prune_below)

    # ------------------------------------------------------------------ saving

    def checkpoint(self) -> bool:
        """Write what was learned and how far the source was read into one file, all or nothing.

        Where that fails, an event tells, the file is as it was, and the next try comes soon.
        """
        try:
            saved = self._save()
        except OSError as error:
            self._next_save, self._has_failed = self._in(_RETRY), True
            self._tell(SaveFailed(error, self._saved))
            return False
        if saved is not None:
            self._tell(saved)
        return True

    def _save(self) -> Saved | None:
        self._ledger.settle()
        place = self._ledger.place
        if place is None or not self.model.__sklearn_is_fitted__():
            return None
        started, stream = time.monotonic(), self.model.open_stream()
        stream.reading = ReadProgress((*self._older, place)[-_MOST_PLACES:], self._ledger.n_bad)
        stream.watch = {} if self.watch is None else self.watch.state()  # one that missed documents is of no use
        self.model.save(self.path)
        self._saved, self._n_saved = place, self.model.n_docs_read_
        self._next_save, self._has_failed = self._in(self._seconds), False
        return Saved(place, time.monotonic() - started)

    @property
    def _is_ahead(self) -> bool:
        """Whether there is anything that the file does not have."""
        return self._ledger.place not in (None, self._saved) or self.model.n_docs_read_ != self._n_saved

    # ------------------------------------------------------------------ the clock

    def _start_the_clock(self) -> None:
        figures = figures_of(self.model)  # where the model is new, this checks its parameters
        self._speed = Speed(figures["documents"], figures["words"])
        self._next_save, self._next_status = self._in(self._seconds), self._in(self._status_every)

    def _in(self, seconds: float | None) -> float:
        return float("inf") if seconds is None else time.monotonic() + seconds

    def _look_at_the_clock(self, is_waiting: bool = False) -> None:
        now = time.monotonic()
        n_new = self.model.n_docs_read_ - self._n_saved
        is_full = self._every is not None and n_new >= self._every and not self._has_failed
        if (is_full or now >= self._next_save) and self._is_ahead:
            self.checkpoint()
        if now >= self._next_status:
            self._next_status = self._in(self._status_every)
            self._tell(self.status(is_waiting))

    def status(self, is_waiting: bool = False) -> Status:
        """How it stands."""
        figures = figures_of(self.model)
        trends = None if self.watch is None else self.watch.trends()
        documents, words = self._speed.add(figures["documents"], figures["words"])
        return Status(
            **figures,
            place=self._ledger.place,
            size=self.source.size(),
            bad_lines=self._ledger.n_bad,
            documents_per_second=documents,
            words_per_second=words,
            new_labels=tuple(self._new_labels),
            n_new_labels=self._n_new_labels,
            rising=() if trends is None else tuple(trends.rising),
            falling=() if trends is None else tuple(trends.falling),
            alerts=self._n_alerts,
            saved=self._saved,
            seconds=self._speed.seconds,
            is_waiting=is_waiting,
        )

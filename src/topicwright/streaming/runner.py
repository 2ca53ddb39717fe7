"""Training loop of a stream: read, learn, save."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.base import clone

from .._utils.atomic import remove_leftovers
from .._utils.deprecation import deprecated_keywords
from .._utils.validation import check_integer, check_positive
from ..corpus.documents import Document, FieldNames
from ..corpus.formats.jsonl import parse_json_document
from ..errors import InputError
from ..models._training import log_compilation
from ..models.online.lda import OnlineLDA
from ..models.online.state import ReadProgress, SourcePosition, StreamState
from .sources import Line, Source, SourceRotated
from .status import BadLine, OnEvent, Saved, SaveFailed, Speed, Started, Status, model_figures

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA
    from .monitor.monitor import StreamMonitor


class _PendingDocument(NamedTuple):
    """A pending document, its line, the position after it, and the number of bad lines since."""

    document: Document
    data: bytes
    position: SourcePosition
    n_bad: int = 0


class _LedgerState(NamedTuple):
    """State of the ledger, replaced as a whole, so that Ctrl-C cannot leave it half changed."""

    position: SourcePosition | None
    n_bad: int
    n_read: int  # documents read by the model
    pending: tuple[_PendingDocument, ...] = ()


class ProgressLedger:
    """Matches positions of the source with the number of documents that the model has learned.

    A checkpoint must contain the model and the position of the same document.
    """

    def __init__(self, model: OnlineLabeledLDA | OnlineLDA, n_bad: int) -> None:
        self._model = model
        self._state = _LedgerState(None, n_bad, model.n_docs_read_)

    @property
    def position(self) -> SourcePosition | None:
        """Position up to which everything was learned."""
        return self._state.position

    @property
    def n_bad(self) -> int:
        """Number of bad lines up to this position, of all sources."""
        return self._state.n_bad

    def __len__(self) -> int:
        return len(self._state.pending)

    @property
    def pending(self) -> list[Document]:
        """Pending documents."""
        return [entry.document for entry in self._state.pending]

    def start(self, position: SourcePosition) -> None:
        """Start reading at a position; nothing is pending."""
        self._state = self._state._replace(position=position)

    def add(self, document: Document, line: Line) -> None:
        """Add a pending document."""
        self._state = self._state._replace(
            pending=(*self._state.pending, _PendingDocument(document, line.data, line.position))
        )

    def skip_line(self, position: SourcePosition, n_bad: int) -> None:
        """Skip a line without a document; it counts with the document before it."""
        state = self._state
        if state.pending:
            last = state.pending[-1]
            last = last._replace(position=position, n_bad=last.n_bad + n_bad)
            self._state = state._replace(pending=(*state.pending[:-1], last))
        else:
            self._state = state._replace(position=position, n_bad=state.n_bad + n_bad)

    def advance(self) -> None:
        """Advance by the documents that the model has learned."""
        state = self._state
        n_learned = self._model.n_docs_read_ - state.n_read
        if n_learned:
            n_bad = state.n_bad + sum(entry.n_bad for entry in state.pending[:n_learned])
            self._state = _LedgerState(
                state.pending[n_learned - 1].position, n_bad, state.n_read + n_learned, state.pending[n_learned:]
            )

    def reject(self, document: Document) -> bytes:
        """Count the line of the first pending document as bad, and return it."""
        state, first = self._state, self._state.pending[0]
        assert first.document is document
        self._state = state._replace(
            position=first.position, n_bad=state.n_bad + 1 + first.n_bad, pending=state.pending[1:]
        )
        return first.data


_MAX_POSITIONS = 100  # of earlier sources, kept in the model file
_RETRY_SECONDS = 10.0  # after a checkpoint that could not be written
_SHOWN_LABELS = 5


class Runner:
    """Trains a model on a source of JSON lines, up to its end or until it is stopped.

    Parameters
    ----------
    model : OnlineLabeledLDA or OnlineLDA
        A new or a fitted model. A source that the model has read before is resumed at its last position.
    source : Source
    path : path
        Model file to write.
    every : int, optional
        Documents between two checkpoints.
    seconds : float, optional
        Seconds between two checkpoints.
    batch_size : int
        Documents per batch; fewer if no more are available yet.
    prune_every : int, optional
        Number of documents after which words and labels with counts below ``prune_below`` are removed.
    monitor : StreamMonitor, optional
        Raises alerts about documents and labels; not for :class:`OnlineLDA`.
    fields : FieldNames, optional
        Names of the fields of text, labels and id.
    status_every : float
        Seconds between two status events.
    on_event : callable
        Called with every event; see ``Event``.
    stop : callable
        Called between lines and while waiting; returns whether to stop.
    """

    @deprecated_keywords(watch="monitor")
    def __init__(
        self,
        model: OnlineLabeledLDA | OnlineLDA,
        source: Source,
        path: str | os.PathLike[str],
        *,
        every: int | None = None,
        seconds: float | None = 60.0,
        batch_size: int = 100,
        prune_every: int | None = None,
        prune_below: float = 1.0,
        monitor: StreamMonitor | None = None,
        fields: FieldNames | None = None,
        status_every: float = 1.0,
        on_event: OnEvent = lambda event: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.model, self.source, self.path, self.monitor = model, source, path, monitor
        self._every = None if every is None else check_integer("every", every, 1)
        self._seconds = None if seconds is None else check_positive("seconds", seconds)
        self._batch_size = check_integer("batch_size", batch_size, 1)
        self._prune_every = None if prune_every is None else check_integer("prune_every", prune_every, 1)
        self._prune_below = check_positive("prune_below", prune_below)
        self._fields, self._status_every = fields or FieldNames(), status_every
        self._emit, self._stop = on_event, stop
        reading = ReadProgress() if model.stream_ is None else model.stream_.progress
        self._earlier = reading.places
        self._ledger = ProgressLedger(model, reading.n_bad)
        self._saved: SourcePosition | None = reading.places[-1] if reading.places else None
        self._n_saved, self._has_failed = model.n_docs_read_, False
        self._start_clock()
        self._new_labels: deque[Any] = deque(maxlen=_SHOWN_LABELS)
        self._n_new_labels = self._n_alerts = 0

    # ------------------------------------------------------------------ loop

    def run(self) -> Status:
        """Learn from the source and write a last checkpoint. Call this once.

        Raises
        ------
        OSError
            If the last checkpoint cannot be written.
        """
        remove_leftovers(self.path)
        position = self.source.find_position(self._earlier, self._idle)
        if position is not None:
            self._earlier = tuple(old for old in self._earlier if old.first and old.first != position.first)
            self._ledger.start(position)
            self._emit(Started(position, model_figures(self.model)["documents"]))
            self._warm_up()
            self._start_clock()
            try:
                self._read()
            except InputError:  # the source is damaged: learn what came before
                self._learn()
                self.checkpoint()
                raise
            self._learn()
        if self._stop():
            self._emit(self.status())  # saving may take a while
        saved = self._save() if self._has_unsaved else None
        if saved is not None:
            self._emit(saved)
        return self.status()

    def _warm_up(self) -> None:
        """Compile the kernels before the first document, on a temporary stream."""
        with log_compilation():
            if isinstance(self.model, OnlineLDA):
                clone(self.model).fit([["a"], ["a", "b"]], None)
                return
            engine = StreamState.from_parameters(self.model).engine
            engine.add([0, 0], [0, 2], [0, 1], [0, 2])
            engine.state()

    def _read(self) -> None:
        for item in self.source:
            if isinstance(item, SourceRotated):
                self._rotate(item)
            else:
                self._handle_line(item)
            if self._stop():
                return
            self._check_timers()

    def _handle_line(self, line: Line) -> None:
        number = line.position.lines
        try:
            if not line.is_whole:
                where = self._where(number)
                raise InputError(f"{where}: the line is too long: {line.position.length:,} bytes", where=where)
            document = parse_json_document(line.data, self._fields, self._where(number))
        except InputError as error:
            is_incomplete = line.is_whole and not line.is_ended
            if not is_incomplete:
                self._ledger.skip_line(line.position, 1)
            self._emit(BadLine(number, str(error), line.data, is_incomplete))
            return
        if document is None:
            self._ledger.skip_line(line.position, 0)
            return
        self._ledger.add(document._replace(line=number), line)
        if len(self._ledger) >= self._batch_limit():
            self._learn()

    def _where(self, number: int) -> str:
        return f"{self.source.title}, line {number}"

    def _rotate(self, turn: SourceRotated) -> None:
        self._learn()
        if self._ledger.position is not None and self._ledger.position.first:
            self._earlier = (*self._earlier, self._ledger.position)
        self._ledger.start(turn.position)
        self._emit(turn)
        self.checkpoint()  # so that the next file is read from its start

    def _idle(self) -> bool:
        """Work to do while waiting for input; returns whether to continue."""
        self._learn()
        self._check_timers(is_waiting=True)
        return not self._stop()

    # ------------------------------------------------------------------ learning

    def _batch_limit(self) -> int:
        """Number of documents that may be pending until the next batch, checkpoint or pruning."""
        limit, n_read = self._batch_size, self.model.n_docs_read_
        if self._prune_every is not None:
            limit = min(limit, self._prune_every - n_read % self._prune_every)
        if self._every is not None and n_read - self._n_saved < self._every:
            limit = min(limit, self._every - (n_read - self._n_saved))
        return limit

    def _learn(self) -> None:
        """Learn from the pending documents."""
        documents = self._ledger.pending
        if not documents:
            return
        self._prune()
        try:
            self._learn_from(documents)
        except InputError:  # nothing was learned: find the invalid document
            for document in documents:
                self._learn_or_reject(document)

    def _learn_or_reject(self, document: Document) -> None:
        try:
            self._learn_from([document])
        except InputError as error:
            data = self._ledger.reject(document)
            self._emit(BadLine(document.line, f"{self._where(document.line)}: {error}", data))

    def _learn_from(self, documents: Sequence[Document]) -> None:
        texts, labels = [document.text for document in documents], [document.labels for document in documents]
        if self.monitor is None:
            alerts: Sequence[Any] = ()
            self.model.partial_fit(texts, labels)
        else:
            ids = [document.line if document.id is None else document.id for document in documents]
            alerts = self.monitor.learn(texts, labels, ids)
        self._ledger.advance()
        new = self.model.open_stream().new_labels
        self._new_labels.extend(new)
        self._n_new_labels += len(new)
        self._n_alerts += len(alerts)
        for alert in alerts:
            self._emit(alert)

    def _prune(self) -> None:
        n_read, every = self.model.n_docs_read_, self._prune_every
        is_due = every is not None and n_read > 0 and n_read % every == 0
        if is_due and self.model.__sklearn_is_fitted__():
            with suppress(InputError):  # nothing would be left
                self.model.prune(self._prune_below)

    # ------------------------------------------------------------------ saving

    def checkpoint(self) -> bool:
        """Write the model and the position in the source to one file, atomically.

        If this fails, a ``SaveFailed`` event is sent, the file is not changed, and the next attempt follows soon.

        Returns
        -------
        bool
            Whether the checkpoint was written.
        """
        try:
            saved = self._save()
        except OSError as error:
            self._next_save, self._has_failed = self._deadline(_RETRY_SECONDS), True
            self._emit(SaveFailed(error, self._saved))
            return False
        if saved is not None:
            self._emit(saved)
        return True

    def _save(self) -> Saved | None:
        self._ledger.advance()
        position = self._ledger.position
        if position is None or not self.model.__sklearn_is_fitted__():
            return None
        started, stream = time.monotonic(), self.model.open_stream()
        stream.progress = ReadProgress((*self._earlier, position)[-_MAX_POSITIONS:], self._ledger.n_bad)
        # without a monitor, an earlier state is dropped: a monitor that missed documents would be useless
        stream.monitor_state = {} if self.monitor is None else self.monitor.state()
        self.model.save(self.path)
        self._saved, self._n_saved = position, self.model.n_docs_read_
        self._next_save, self._has_failed = self._deadline(self._seconds), False
        return Saved(position, time.monotonic() - started)

    @property
    def _has_unsaved(self) -> bool:
        """Whether the file lacks anything that was learned."""
        return self._ledger.position not in (None, self._saved) or self.model.n_docs_read_ != self._n_saved

    # ------------------------------------------------------------------ timers

    def _start_clock(self) -> None:
        figures = model_figures(self.model)  # checks the parameters of a new model
        self._speed = Speed(figures["documents"], figures["words"])
        self._next_save, self._next_status = self._deadline(self._seconds), self._deadline(self._status_every)

    def _deadline(self, seconds: float | None) -> float:
        return float("inf") if seconds is None else time.monotonic() + seconds

    def _check_timers(self, is_waiting: bool = False) -> None:
        now = time.monotonic()
        n_unsaved = self.model.n_docs_read_ - self._n_saved
        is_due = self._every is not None and n_unsaved >= self._every and not self._has_failed
        if (is_due or now >= self._next_save) and self._has_unsaved:
            self.checkpoint()
        if now >= self._next_status:
            self._next_status = self._deadline(self._status_every)
            self._emit(self.status(is_waiting))

    def status(self, is_waiting: bool = False) -> Status:
        """Current status."""
        figures = model_figures(self.model)
        trends = None if self.monitor is None else self.monitor.trends()
        documents, words = self._speed.add(figures["documents"], figures["words"])
        return Status(
            **figures,
            position=self._ledger.position,
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

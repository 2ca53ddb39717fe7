"""Position up to which a source has been learned, and the documents that are pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..corpus.documents import Document
from ..models.online.state import SourcePosition
from .sources import Line

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA


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

    def __init__(self, model: OnlineLabeledLDA, n_bad: int) -> None:
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

"""Which documents wait to be learned from, and up to where all was learned: what is saved must have both agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..corpus.documents import Document
from ..models.online.state import SourcePosition
from .sources import Line

if TYPE_CHECKING:
    from ..models import OnlineLabeledLDA


class _Entry(NamedTuple):
    """A document that waits, its line, the place behind it, and how many bad lines came since."""

    document: Document
    data: bytes
    place: SourcePosition
    n_bad: int = 0


class _At(NamedTuple):
    """It is replaced as a whole, so that no Ctrl-C can come in between."""

    place: SourcePosition | None
    n_bad: int
    n_read: int  # as the model counts documents
    waiting: tuple[_Entry, ...] = ()


class ProgressLedger:
    """Keeps places by what the model says that it has learned."""

    def __init__(self, model: OnlineLabeledLDA, n_bad: int) -> None:
        self._model = model
        self._at = _At(None, n_bad, model.n_docs_read_)

    @property
    def place(self) -> SourcePosition | None:
        """Up to where all was learned."""
        return self._at.place

    @property
    def n_bad(self) -> int:
        """Bad lines up to there, of all sources."""
        return self._at.n_bad

    def __len__(self) -> int:
        return len(self._at.waiting)

    @property
    def waiting(self) -> list[Document]:
        """Documents that wait."""
        return [entry.document for entry in self._at.waiting]

    def begin(self, place: SourcePosition) -> None:
        """Reading begins there; nothing waits."""
        self._at = self._at._replace(place=place)

    def add(self, document: Document, line: Line) -> None:
        """A document waits, that this line has."""
        self._at = self._at._replace(waiting=(*self._at.waiting, _Entry(document, line.data, line.place)))

    def pass_by(self, place: SourcePosition, n_bad: int) -> None:
        """A line without a document: it goes with the document before it."""
        at = self._at
        if at.waiting:
            last = at.waiting[-1]
            last = last._replace(place=place, n_bad=last.n_bad + n_bad)
            self._at = at._replace(waiting=(*at.waiting[:-1], last))
        else:
            self._at = at._replace(place=place, n_bad=at.n_bad + n_bad)

    def settle(self) -> None:
        """Move on by as many documents as the model has learned."""
        at = self._at
        done = self._model.n_docs_read_ - at.n_read
        if done:
            n_bad = at.n_bad + sum(entry.n_bad for entry in at.waiting[:done])
            self._at = _At(at.waiting[done - 1].place, n_bad, at.n_read + done, at.waiting[done:])

    def refuse(self, document: Document) -> bytes:
        """The first document that waits could not be learned from: its line is a bad one."""
        at, first = self._at, self._at.waiting[0]
        assert first.document is document
        self._at = at._replace(place=first.place, n_bad=at.n_bad + 1 + first.n_bad, waiting=at.waiting[1:])
        return first.data

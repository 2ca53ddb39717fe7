"""Documents of a request in the words of the model, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..corpus import Corpus, WordIndex, encode
from .refusals import Limits, RefusedError, too_large
from .schemas import TextDocument, WordsDocument

if TYPE_CHECKING:
    from .schemas import Document

_PIECE_DOCUMENTS, _PIECE_LENGTH, _PIECE_SHARES = 64, 100_000, 1_000_000


class Given(NamedTuple):
    """A document as it was sent: what to call it, its text or else its words, and its own labels."""

    name: str | int
    text: str | None
    words: list[str]
    labels: tuple[str, ...]

    @property
    def length(self) -> int:
        """In characters."""
        return len(self.text) if self.text is not None else sum(map(len, self.words)) + len(self.words)


class Piece(NamedTuple):
    """Some documents of a request in the words of the model, and how many words it did not know."""

    given: Sequence[Given]
    corpus: Corpus
    n_unknown: int


def given_documents(documents: Sequence[Document], limits: Limits) -> list[Given]:
    """The documents of a request, none of them too long."""
    if len(documents) > limits.documents:
        advice = "send them in several requests"
        raise too_large("there are too many documents in a request", len(documents), limits.documents, advice)
    given = [_given(document, number) for number, document in enumerate(documents, start=1)]
    for number, document in enumerate(given, start=1):
        if document.length > limits.length:
            what = f"document {number} is too long, in characters"
            raise too_large(what, document.length, limits.length, "cut it into parts")
    return given


def _given(document: Document, number: int) -> Given:
    if isinstance(document, str):
        return Given(number, document, [], ())
    name, labels = number if document.id is None else document.id, tuple(document.labels or ())
    if isinstance(document, WordsDocument):
        return Given(name, None, document.words, labels)
    assert isinstance(document, TextDocument)
    return Given(name, document.text, [], labels)


def cut(documents: Sequence[Given], n_topics: int) -> Iterator[list[Given]]:
    """Documents in pieces, each of which is a short piece of work: they are turns between requests."""
    most = max(1, min(_PIECE_DOCUMENTS, _PIECE_SHARES // max(1, n_topics)))
    piece: list[Given] = []
    length = 0
    for document in documents:
        if piece and (len(piece) == most or length + document.length > _PIECE_LENGTH):
            yield piece
            piece, length = [], 0
        piece.append(document)
        length += document.length
    if piece:
        yield piece


class Encoder:
    """Cuts texts as the model did in training, and finds its words."""

    def __init__(self, model: Any) -> None:
        self._vocabulary = model.vocabulary_
        self._index = WordIndex(model.vocabulary_)
        self.tokenizer = model.corpus_.tokenizer

    def check(self, documents: Sequence[Given]) -> None:
        """A refusal of texts where the model never saw any."""
        if self.tokenizer is None and any(document.text is not None for document in documents):
            raise RefusedError(
                409, 'this model was trained on counts, not on texts: send documents as {"words": [...]}'
            )

    def encode(self, documents: Sequence[Given]) -> Piece:
        """The documents with what they have of the model's words, and their labels."""
        words = [document.words if document.text is None else self.tokenizer(document.text) for document in documents]
        encoded = encode(words, None, self._index)
        labels = tuple(document.labels for document in documents)
        corpus = replace(encoded.corpus, vocabulary=self._vocabulary, labels=labels)  # the model's very own array
        return Piece(documents, corpus, encoded.n_unknown)

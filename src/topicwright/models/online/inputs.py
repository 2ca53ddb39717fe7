"""What users pass to a stream: documents as lists of words, and the labels of each in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._sampling.particle_filter.reservoir import MOST_LABELS
from ..._utils.validation import check_integer
from ...corpus import Corpus, Document, Tokenizer
from ...corpus.build import validate_texts, validate_token_lists
from ...corpus.inputs import input_kind
from ...corpus.metadata import is_missing
from ...errors import InputError
from .._targets import COLLECTIONS, entries_of

if TYPE_CHECKING:
    from .model import OnlineLabeledLDA

Labels = tuple[Any, ...]
_LISTS = (list, tuple)


class StreamDocument(NamedTuple):
    """A document of the stream: its words, its labels (None where they are not known), whether they came as a list."""

    words: list[str]
    labels: Labels | None
    is_list: bool


class Pair(NamedTuple):
    """A text, or a list of words, and what the user gave as its labels."""

    document: Any
    labels: Any


def classify_input(X: Any) -> tuple[str, Any]:
    """What kind of documents X holds ("corpus", "texts" or "words"), and X again, for an iterator was looked into."""
    if isinstance(X, Corpus):
        return "corpus", X
    kind, X = input_kind(X)
    if kind == "counts" and isinstance(X, (list, tuple)) and all(isinstance(x, _LISTS) and not len(x) for x in X):
        return "words", X  # documents without words
    if kind == "counts":
        raise InputError("X must be texts, lists of words or a Corpus: got numbers; see Corpus.from_matrix")
    return kind, X


def items_of(kind: str, X: Any, y: Any, cutter: Tokenizer | None) -> list[StreamDocument]:
    """Documents and their labels, all of them checked before any is learned from."""
    if kind == "corpus":
        documents = [X.words(row) for row in range(X.n_docs)]
        y = X.labels if y is None else y
    elif kind == "texts" and cutter is not None:
        documents = list(map(cutter, validate_texts(X)))
    else:
        documents = list(validate_token_lists(X))
    labels = [None] * len(documents) if y is None else _entries(y)
    if len(labels) != len(documents):
        raise InputError(f"y must have one entry per document: got {len(labels)}, expected {len(documents)}")
    return [
        StreamDocument(words, checked_labels(own), isinstance(own, COLLECTIONS))
        for words, own in zip(documents, labels)
    ]


def _entries(y: Any) -> list[Any]:
    y = np.asarray(y) if hasattr(y, "__array__") and not isinstance(y, Iterable) else y
    if isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable):
        raise InputError(f"y must have one list of labels per document: got {type(y).__name__}")
    if getattr(y, "ndim", 1) != 1:
        raise InputError("y must have one list of labels per document: got a matrix")
    return entries_of(y)


def checked_labels(entry: Any) -> Labels | None:
    """The labels of one document, none of them twice; None for a document without any.

    >>> checked_labels(["sea", "court", "sea"]), checked_labels("sea"), checked_labels([])
    (('sea', 'court'), ('sea',), None)
    """
    if isinstance(entry, Mapping):
        raise InputError(f"labels must be a list: got {type(entry).__name__}")
    if isinstance(entry, (set, frozenset)):  # whose order changes from process to process
        entry = sorted(entry, key=lambda label: (type(label).__name__, repr(label)))
    entries = entry if isinstance(entry, COLLECTIONS) else [entry]
    if set(map(type, entries)) == {str}:  # as they mostly are
        labels: Labels = tuple(dict.fromkeys(entries))
    else:
        labels = tuple(dict.fromkeys(_plain(label) for label in entries if not is_missing(label)))
    if len(labels) > MOST_LABELS:
        raise InputError(f"a document can have at most {MOST_LABELS:,} labels: got {len(labels):,}")
    return labels or None


def _plain(label: Any) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, float) and not label.is_integer():
        raise InputError(f"labels must be names or classes, not continuous numbers: got {label}")
    if not isinstance(label, (str, bool, int, float)):
        raise InputError(f"a label must be text, a number or a truth value: got {label!r}")
    return label


def as_pair(entry: Any) -> Pair:
    """A document of an iterator: a Document, or a pair of a text and its labels."""
    if isinstance(entry, Document):
        return Pair(entry.text, entry.labels)
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise InputError(f"a stream must give Documents or pairs (text, labels): got {type(entry).__name__}")
    if not isinstance(entry[0], (str, list, tuple)):
        raise InputError(f"a document must be a text or a list of words: got {type(entry[0]).__name__}")
    return Pair(*entry)


class MiniBatch:
    """Documents of an iterator that wait to be learned from."""

    def __init__(self, model: OnlineLabeledLDA, size: int) -> None:
        self._model, self._size = model, check_integer("batch_size", size, 1)
        self._pairs: list[Pair] = []
        self._new: list[Any] = []

    def add(self, entry: Any) -> None:
        """One more; the batch is learned from when it is full, and when documents are of another kind."""
        pair = as_pair(entry)
        if self._pairs and isinstance(pair.document, str) != isinstance(self._pairs[0].document, str):
            self.flush()
        self._pairs.append(pair)
        if len(self._pairs) == self._size:
            self.flush()

    def flush(self) -> None:
        """Learn from those that wait."""
        pairs, self._pairs = self._pairs, []
        if pairs:
            before = self._model.n_docs_read_
            try:
                self._model.partial_fit([pair.document for pair in pairs], [pair.labels for pair in pairs])
            except KeyboardInterrupt:
                self._pairs = pairs[self._model.n_docs_read_ - before :]  # they are learned before the iterator is left
                raise
            finally:
                if self._model.n_docs_read_ > before:
                    self._new += self._model.open_stream().new_labels
        if self._model.stream_ is not None:
            self._model.stream_.new_labels = self._new

"""Documents and labels of a stream, as users pass them."""

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
from .._inputs import COLLECTIONS, check_length, entries_of

if TYPE_CHECKING:
    from .model import OnlineLabeledLDA

Labels = tuple[Any, ...]
_LISTS = (list, tuple)


class StreamDocument(NamedTuple):
    """Document of a stream: its words, its labels (None if unknown), and whether the labels came as a list."""

    words: list[str]
    labels: Labels | None
    is_list: bool


def classify_input(X: Any) -> tuple[str, Any]:
    """Kind of documents ("corpus", "texts" or "words"), and X itself, which replaces an iterator."""
    if isinstance(X, Corpus):
        return "corpus", X
    kind, X = input_kind(X)
    if kind == "counts" and isinstance(X, (list, tuple)) and all(isinstance(x, _LISTS) and not len(x) for x in X):
        return "words", X  # documents without words
    if kind == "counts":
        raise InputError(
            "`X` must be texts, lists of words or a Corpus: got numbers; see Corpus.from_matrix", parameter="X"
        )
    return kind, X


def parse_documents(kind: str, X: Any, y: Any, tokenizer: Tokenizer | None) -> list[StreamDocument]:
    """Documents and their labels, all of them validated before any is learned from."""
    if kind == "corpus":
        documents = [X.words(row) for row in range(X.n_docs)]
        y = X.labels if y is None else y
    elif kind == "texts" and tokenizer is not None:
        documents = list(map(tokenizer, validate_texts(X)))
    else:
        documents = list(validate_token_lists(X))
    labels = [None] * len(documents) if y is None else _entries(y)
    check_length(len(labels), len(documents))
    return [
        StreamDocument(words, parse_labels(own), isinstance(own, COLLECTIONS)) for words, own in zip(documents, labels)
    ]


def _entries(y: Any) -> list[Any]:
    y = np.asarray(y) if hasattr(y, "__array__") and not isinstance(y, Iterable) else y
    if isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable):
        raise InputError(parameter="y", expected="a list of labels for each document", got=type(y))
    if getattr(y, "ndim", 1) != 1:
        raise InputError("`y` must be a list of labels for each document: got a matrix", parameter="y")
    return entries_of(y)


def parse_labels(entry: Any) -> Labels | None:
    """Distinct labels of one document; None if it has none.

    >>> parse_labels(["sea", "court", "sea"]), parse_labels("sea"), parse_labels([])
    (('sea', 'court'), ('sea',), None)
    """
    if isinstance(entry, Mapping):
        raise InputError(parameter="y", expected="lists of labels", got=type(entry))
    if isinstance(entry, (set, frozenset)):  # the order of a set differs between processes
        entry = sorted(entry, key=lambda label: (type(label).__name__, repr(label)))
    entries = entry if isinstance(entry, COLLECTIONS) else [entry]
    if set(map(type, entries)) == {str}:  # the common case
        labels: Labels = tuple(dict.fromkeys(entries))
    else:
        labels = tuple(dict.fromkeys(_plain_label(label) for label in entries if not is_missing(label)))
    if len(labels) > MOST_LABELS:
        raise InputError(parameter="y", expected=f"at most {MOST_LABELS:,} labels per document", got=len(labels))
    return labels or None


def _plain_label(label: Any) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, float) and not label.is_integer():
        raise InputError(parameter="y", expected="names or classes, not continuous numbers", got=label)
    if not isinstance(label, (str, bool, int, float)):
        raise InputError(parameter="y", expected="text, numbers or booleans as labels", got=label)
    return label


# ---------------------------------------------------------------------- iterators


class LabeledText(NamedTuple):
    """A text, or a list of words, and its labels as the user gave them."""

    document: Any
    labels: Any


def as_labeled_text(entry: Any) -> LabeledText:
    """Entry of an iterator: a Document, or a pair of a text and its labels."""
    if isinstance(entry, Document):
        return LabeledText(entry.text, entry.labels)
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise InputError(parameter="stream", expected="Documents or pairs (text, labels)", got=type(entry))
    if not isinstance(entry[0], (str, list, tuple)):
        raise InputError(parameter="stream", expected="texts or lists of words", got=type(entry[0]))
    return LabeledText(*entry)


class MiniBatch:
    """Documents of an iterator that wait until there are enough to learn from."""

    def __init__(self, model: OnlineLabeledLDA, size: int) -> None:
        self._model, self._size = model, check_integer("batch_size", size, 1)
        self._entries: list[LabeledText] = []
        self._new_labels: list[Any] = []

    def add(self, entry: Any) -> None:
        """Add a document; learn from the batch if it is full, or if documents change between texts and lists."""
        item = as_labeled_text(entry)
        if self._entries and isinstance(item.document, str) != isinstance(self._entries[0].document, str):
            self.flush()
        self._entries.append(item)
        if len(self._entries) == self._size:
            self.flush()

    def flush(self) -> None:
        """Learn from the documents that wait."""
        entries, self._entries = self._entries, []
        model = self._model
        if entries:
            before = model.n_docs_read_
            try:
                model.partial_fit([entry.document for entry in entries], [entry.labels for entry in entries])
            except KeyboardInterrupt:
                self._entries = entries[model.n_docs_read_ - before :]  # learned when the iterator is closed
                raise
            finally:
                if model.stream_ is not None and model.n_docs_read_ > before:
                    self._new_labels += model.stream_.new_labels
        if model.stream_ is not None:
            model.stream_.new_labels = self._new_labels

"""Documents of an iterator, learned from a batch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .online_reading import Pair, pair_of
from .parameters import whole_number

if TYPE_CHECKING:
    from .online import OnlineLabeledLDA


class Batch:
    """Documents of an iterator that wait to be learned from."""

    def __init__(self, model: OnlineLabeledLDA, size: int) -> None:
        self._model, self._size = model, whole_number("batch_size", size, 1)
        self._pairs: list[Pair] = []
        self._new: list[Any] = []

    def add(self, entry: Any) -> None:
        """One more; the batch is learned from when it is full, and when documents are of another kind."""
        pair = pair_of(entry)
        if self._pairs and isinstance(pair.document, str) != isinstance(self._pairs[0].document, str):
            self.flush()
        self._pairs.append(pair)
        if len(self._pairs) == self._size:
            self.flush()

    def flush(self) -> None:
        """Learn from those that wait."""
        pairs, self._pairs = self._pairs, []
        if pairs:
            before = self._model._n_read
            try:
                self._model.partial_fit([pair.document for pair in pairs], [pair.labels for pair in pairs])
            except KeyboardInterrupt:
                self._pairs = pairs[self._model._n_read - before :]  # they are learned before the iterator is left
                raise
            finally:
                if self._model._n_read > before:
                    self._new += self._model._stream.new_labels
        if self._model._has_begun:
            self._model._stream.new_labels = self._new

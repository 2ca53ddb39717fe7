"""What is known of documents, written to a store as they go by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, chain

import numpy as np

from .columns import Strings
from .core import as_labels
from .dates import NO_DATE
from .documents import Document
from .mapped import pieces
from .numbers import as_numbers
from .store import GrowingArray, NewStore

_FOUND = "labels.found"


class Notes:
    """Ids, labels, targets, dates and texts of a stream of documents; what no document has is left out at the end."""

    def __init__(self, store: NewStore, keep_texts: bool) -> None:
        self._store, self.keeps_texts = store, keep_texts
        self._ids, self._has_ids = _Strings(store, "ids"), False
        self._labels, self._has_labels = _Labels(store), False
        self._targets = _Targets(store)
        self._dates, self._has_dates = store.grow("dates", np.int64), False
        self._texts = _Strings(store, "texts") if keep_texts else None

    def add(self, documents: Sequence[Document]) -> None:
        """Note what is known of some documents."""
        self._has_ids |= any(document.id is not None for document in documents)
        self._has_labels |= any(document.labels is not None for document in documents)
        self._has_dates |= any(document.date is not None for document in documents)
        self._ids.add([f"line-{doc.line}" if doc.id is None else doc.id for doc in documents])
        self._labels.add([as_labels(document.labels) for document in documents])
        self._targets.add([document.target for document in documents])
        dates = [NO_DATE if document.date is None else document.date for document in documents]
        self._dates.append(np.array(dates, "datetime64[s]").view(np.int64))
        if self._texts is not None:
            self._texts.add([document.text for document in documents])

    def finish(self) -> None:
        """Leave out what is not known of any document."""
        self._labels.finish()
        left_out = {
            ("ids.bytes", "ids.offsets"): self._has_ids,
            ("labels.names.bytes", "labels.names.offsets", "labels.values", "labels.offsets"): self._has_labels,
            ("dates",): self._has_dates,
        }
        for name in chain.from_iterable(names for names, is_known in left_out.items() if not is_known):
            self._store.remove(name)


class _Strings:
    def __init__(self, store: NewStore, name: str) -> None:
        self._bytes, self._offsets = store.grow(f"{name}.bytes", np.uint8), store.grow(f"{name}.offsets", np.int64)
        self._offsets.append([0])

    def add(self, strings: Sequence[str]) -> None:
        packed, base = Strings.of(strings), len(self._bytes)
        self._bytes.append(packed.data)
        self._offsets.append(packed.offsets[1:] + base)


class _Labels:
    """Labels by number, as they come up; in the order of their names at the end."""

    def __init__(self, store: NewStore) -> None:
        self._store, self._number = store, dict[str, int]()
        self._found, self._offsets = store.grow(_FOUND, np.int32), store.grow("labels.offsets", np.int64)
        self._offsets.append([0])

    def add(self, labels: Sequence[tuple[str, ...]]) -> None:
        number, base = self._number, len(self._found)
        self._offsets.append([base + end for end in accumulate(map(len, labels))])
        self._found.append([number.setdefault(label, len(number)) for label in chain.from_iterable(labels)])

    def finish(self) -> None:
        names = sorted(self._number)
        new = np.empty(len(names), np.int32)
        new[[self._number[name] for name in names]] = np.arange(len(names))
        values = self._store.grow("labels.values", np.int32)
        for piece in pieces(self._store.so_far(_FOUND)):
            values.append(new[piece])
        self._store.remove(_FOUND)
        self._store.write_strings("labels.names", names)


class _Targets:
    """Numbers to predict: one a document, or as many for each; the first that is known tells which."""

    def __init__(self, store: NewStore) -> None:
        self._store, self._n_before = store, 0
        self._first: float | tuple[float, ...] | None = None
        self._values: GrowingArray | None = None

    def add(self, targets: Sequence[float | tuple[float, ...] | None]) -> None:
        for target in targets:
            if self._first is None:
                self._first = target
            elif target is not None and _shape(target) != _shape(self._first):
                as_numbers("targets", [self._first, target])  # says what is wrong
        if self._first is None:
            self._n_before += len(targets)
            return
        unknown = np.full(_shape(self._first), math.nan)
        if self._values is None:
            self._values = self._store.grow("targets", np.float64, unknown.shape)
            self._values.append(np.broadcast_to(unknown, (self._n_before, *unknown.shape)))
        self._values.append([unknown if target is None else target for target in targets])


def _shape(target: float | tuple[float, ...]) -> tuple[int, ...]:
    return (len(target),) if isinstance(target, tuple) else ()

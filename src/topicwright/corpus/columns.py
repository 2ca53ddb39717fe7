"""Strings and labels of documents in arrays, which may be on disk: entries are decoded when they are accessed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Entry = TypeVar("Entry")
Ints = NDArray[np.int64]

# Text from JSON may hold half of a surrogate pair; a model that was trained on it must still be saved.
_ERRORS = "surrogatepass"
_ROWS = 4096  # decoded at a time by iteration


class Column(Sequence[Entry], Generic[Entry]):
    """Sequence that equals a tuple of its entries; offsets say where each begins."""

    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, key: int) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, key: int | slice) -> Entry | tuple[Entry, ...]:
        rows = range(len(self))[key]
        if isinstance(rows, range):
            return tuple(self._decode(row, row + 1)[0] for row in rows)
        return self._decode(rows, rows + 1)[0]

    def __iter__(self) -> Iterator[Entry]:
        for first in range(0, len(self), _ROWS):
            yield from self._decode(first, min(first + _ROWS, len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Column, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = ", …" if len(self) > 3 else ""
        return f"<{type(self).__name__} of {len(self):,}: {', '.join(map(repr, self[:3]))}{more}>"

    @abstractmethod
    def _decode(self, first: int, last: int) -> list[Entry]:
        """Entries from first up to, but without, last."""


class Strings(Column[str]):
    """Strings as UTF-8 in one array of bytes.

    >>> names = Strings.of(["red", "été"])
    >>> names[1], names == ("red", "été"), names.offsets.tolist()
    ('été', True, [0, 3, 8])
    """

    def __init__(self, data: NDArray[np.uint8], offsets: Ints) -> None:
        self.data, self.offsets = data, offsets

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """Strings in arrays."""
        if isinstance(strings, Strings):
            return strings
        encoded = [string.encode("utf-8", _ERRORS) for string in strings]
        offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def _decode(self, first: int, last: int) -> list[str]:
        edges = self.offsets[first : last + 1].tolist()
        text = self.data[edges[0] : edges[-1]].tobytes()
        try:
            return [text[i - edges[0] : j - edges[0]].decode("utf-8", _ERRORS) for i, j in pairwise(edges)]
        except UnicodeDecodeError as error:
            raise InputError(f"strings must be UTF-8: {error.reason}") from None


class LabelLists(Column[tuple[str, ...]]):
    """Labels of each document, as positions in a list of names.

    >>> LabelLists.of([("red", "fruit"), ()])[0]
    ('red', 'fruit')
    """

    def __init__(self, names: Sequence[str], values: NDArray[np.int32], offsets: Ints) -> None:
        self.names, self.values, self.offsets = list(names), values, offsets

    @classmethod
    def of(cls, labels: Sequence[tuple[str, ...]]) -> LabelLists:
        """Labels in arrays; names are in alphabetical order."""
        if isinstance(labels, LabelLists):
            return labels
        names = sorted(set(chain.from_iterable(labels)))
        number = {name: i for i, name in enumerate(names)}
        values = np.array([number[label] for label in chain.from_iterable(labels)], dtype=np.int32)
        return cls(names, values, np.fromiter(accumulate(map(len, labels), initial=0), np.int64))

    def _decode(self, first: int, last: int) -> list[tuple[str, ...]]:
        edges = self.offsets[first : last + 1].tolist()
        flat = [self.names[value] for value in self.values[edges[0] : edges[-1]].tolist()]
        return [tuple(flat[i - edges[0] : j - edges[0]]) for i, j in pairwise(edges)]


def is_offsets(offsets: NDArray[Any], total: int) -> bool:
    """Whether an array rises from 0 to the total. Entries are compared, since differences may wrap around."""
    if offsets.ndim != 1 or len(offsets) == 0:
        return False
    return bool(offsets[0] == 0 and offsets[-1] == total and np.all(offsets[1:] >= offsets[:-1]))

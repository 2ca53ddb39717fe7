"""Strings and labels of documents in arrays, which may lie on disk: each entry is made when it is asked for."""

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
_ROWS = 4096  # that are made at a time when all are gone through


class Column(Sequence[Entry], Generic[Entry]):
    """A sequence like a tuple of its entries, which it equals; offsets tell where each begins."""

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
            return tuple(self._made(row, row + 1)[0] for row in rows)
        return self._made(rows, rows + 1)[0]

    def __iter__(self) -> Iterator[Entry]:
        for first in range(0, len(self), _ROWS):
            yield from self._made(first, min(first + _ROWS, len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Column, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(own == theirs for own, theirs in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = ", …" if len(self) > 3 else ""
        return f"<{type(self).__name__} of {len(self):,}: {', '.join(map(repr, self[:3]))}{more}>"

    @abstractmethod
    def _made(self, first: int, last: int) -> list[Entry]:
        """Neighbouring entries."""


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
        """The same strings in arrays."""
        if isinstance(strings, Strings):
            return strings
        encoded = [string.encode("utf-8", _ERRORS) for string in strings]
        offsets = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def _made(self, first: int, last: int) -> list[str]:
        edges = self.offsets[first : last + 1].tolist()
        text = self.data[edges[0] : edges[-1]].tobytes()
        try:
            return [text[i - edges[0] : j - edges[0]].decode("utf-8", _ERRORS) for i, j in pairwise(edges)]
        except UnicodeDecodeError as error:
            raise InputError(f"strings must be UTF-8: {error.reason}") from None


class LabelLists(Column[tuple[str, ...]]):
    """The labels of each document, as numbers of names.

    >>> LabelLists.of([("red", "fruit"), ()])[0]
    ('red', 'fruit')
    """

    def __init__(self, names: Sequence[str], values: NDArray[np.int32], offsets: Ints) -> None:
        self.names, self.values, self.offsets = list(names), values, offsets

    @classmethod
    def of(cls, labels: Sequence[tuple[str, ...]]) -> LabelLists:
        """The same labels in arrays; names are in alphabetical order."""
        if isinstance(labels, LabelLists):
            return labels
        names = sorted(set(chain.from_iterable(labels)))
        number = {name: i for i, name in enumerate(names)}
        values = np.array([number[label] for label in chain.from_iterable(labels)], dtype=np.int32)
        return cls(names, values, np.fromiter(accumulate(map(len, labels), initial=0), np.int64))

    def _made(self, first: int, last: int) -> list[tuple[str, ...]]:
        edges = self.offsets[first : last + 1].tolist()
        flat = [self.names[value] for value in self.values[edges[0] : edges[-1]].tolist()]
        return [tuple(flat[i - edges[0] : j - edges[0]]) for i, j in pairwise(edges)]


def is_offsets(offsets: NDArray[Any], total: int) -> bool:
    """Whether offsets rise from 0 to the total; compared, not subtracted: differences may wrap around."""
    if offsets.ndim != 1 or len(offsets) == 0:
        return False
    return bool(offsets[0] == 0 and offsets[-1] == total and np.all(offsets[1:] >= offsets[:-1]))


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    number = hasattr(value, "__float__") and not getattr(value, "shape", ()) and not hasattr(value, "__len__")
    return number and bool(value != value)


def as_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """The values as an array of floats; an error says what is wrong with them.

    >>> as_numbers("targets", [[1, 2], [3]])
    Traceback (most recent call last):
    topicwright.errors.InputError: targets must have as many numbers for each document: got 2 and 1
    """
    try:
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        if hasattr(values, "to_list"):  # a column of a frame, with lists in it
            return as_numbers(name, values.to_list())
        lengths = sorted({_length(entry) for entry in values}) if isinstance(values, (list, tuple)) else []
        if len(lengths) > 1:
            got = f"{lengths[-1]} and {lengths[0]}"
            raise InputError(f"{name} must have as many numbers for each document: got {got}") from None
        is_nested = "sequence" in str(error)  # NumPy's own words are about its arrays
        raise InputError(f"{name} must be numbers: {'got lists in lists' if is_nested else error}") from None


def _length(entry: Any) -> int:
    is_row = isinstance(entry, (list, tuple)) or (isinstance(entry, np.ndarray) and entry.ndim > 0)
    return len(entry) if is_row else 1

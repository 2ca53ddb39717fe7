"""Metadata of documents, as columns that may be on disk: ids, labels, targets, links, texts, further columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import index
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


# ---------------------------------------------------------------------- validation

METADATA_FIELDS = ("ids", "labels", "targets", "links", "dates", "texts", "metadata")
Labels = Sequence[tuple[str, ...]]
_PAIRS = "pairs of documents, such as [(0, 3), (2, 5)]"


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    number = hasattr(value, "__float__") and not getattr(value, "shape", ()) and not hasattr(value, "__len__")
    return number and bool(value != value)


def check_length(name: str, values: Any, n_docs: int) -> None:
    """Raise an error unless there is one entry per document."""
    if len(values) != n_docs:
        message = f"`{name}` must have one entry per document: got {len(values)}, expected {n_docs}"
        raise InputError(message, parameter=name, got=len(values))


def check_list(name: str, values: Any) -> None:
    """Raise an error for a single value where a list is expected."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(
            f"`{name}` must be a list with one entry per document: got a single {type(values).__name__}",
            parameter=name,
            got=values,
        )


def as_strings(name: str, values: Any) -> Sequence[str]:
    """Ids or texts as a tuple of strings, or as the ``Strings`` that they are."""
    check_list(name, values)
    return values if isinstance(values, Strings) else tuple(str(value) for value in values)


def as_label_lists(values: Any) -> Labels:
    """Labels of all documents as tuples, or as the ``LabelLists`` that they are."""
    check_list("labels", values)
    return values if isinstance(values, LabelLists) else tuple(map(as_labels, values))


def as_labels(value: Any) -> tuple[str, ...]:
    """Labels of one document: None is no label, a single value is one, a list is several, without None."""
    if is_missing(value):
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return (str(value),)
    return tuple(dict.fromkeys(str(label) for label in value if not is_missing(label)))


def as_targets(values: Any, n_docs: int) -> NDArray[np.float64]:
    """Targets as an array with one row per document; NaN where they are unknown."""
    numbers = as_numbers("targets", values)
    if numbers.ndim not in (1, 2) or len(numbers) != n_docs:
        message = f"`targets` must have one row per document: got shape {numbers.shape}, expected {n_docs}"
        raise InputError(message, parameter="targets", got=numbers.shape)
    if np.isinf(numbers).any():
        raise InputError(parameter="targets", expected="finite numbers, or NaN where unknown", got=np.inf)
    return numbers


def as_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Values as an array of floats.

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
            message = f"`{name}` must have as many numbers for each document: got {lengths[-1]} and {lengths[0]}"
            raise InputError(message, parameter=name, got=lengths) from None
        reason = "got lists in lists" if "sequence" in str(error) else error  # NumPy's own words are about its arrays
        raise InputError(f"`{name}` must be numbers: {reason}", parameter=name, got=values) from None


def _length(entry: Any) -> int:
    is_row = isinstance(entry, (list, tuple)) or (isinstance(entry, np.ndarray) and entry.ndim > 0)
    return len(entry) if is_row else 1


def as_links(links: Any, ids: Sequence[str] | None, n_docs: int) -> NDArray[np.int64]:
    """Links as an array of shape (n_links, 2); documents are named by their rows or ids.

    >>> as_links([(0, "b")], ["a", "b"], 2)
    array([[0, 1]])
    """
    is_array = isinstance(links, np.ndarray) and links.dtype.kind in "iu" and links.shape[1:] == (2,)
    rows = np.asarray(links if is_array else _link_rows(links, ids), dtype=np.int64).reshape(-1, 2)
    if len(rows) and (rows.min() < 0 or rows.max() >= n_docs):
        message = f"`links` must name rows from 0 to {n_docs - 1}: got {rows.min()} to {rows.max()}"
        raise InputError(message, parameter="links", got=(int(rows.min()), int(rows.max())))
    return rows


def _link_rows(links: Any, ids: Sequence[str] | None) -> list[list[int]]:
    pairs = [_link_entries(pair) for pair in _link_entries(links)]
    for pair in pairs:
        if len(pair) != 2:
            raise InputError(parameter="links", expected=_PAIRS, got=pair)
    has_ids = any(isinstance(end, str) for pair in pairs for end in pair)
    by_id = {name: row for row, name in enumerate(ids or ())} if has_ids else {}
    return [[_link_row(end, by_id) for end in pair] for pair in pairs]


def _link_entries(values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(parameter="links", expected=_PAIRS, got=values)
    return list(values)


def _link_row(end: Any, by_id: dict[str, int]) -> int:
    if isinstance(end, str):
        if end not in by_id:
            raise InputError(f"`links` name a document id that does not exist: {end!r}", parameter="links", got=end)
        return by_id[end]
    try:
        return index(end)
    except TypeError:
        message = f"`links` must name documents by row number or id: got {end!r}"
        raise InputError(message, parameter="links", got=end) from None

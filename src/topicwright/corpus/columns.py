"""Further columns of metadata: what a data frame says about documents besides labels, targets, ids and dates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .dates import as_date
from .metadata import check_list, is_missing

Columns = dict[str, NDArray[Any]]
_KIND_OF_DTYPE = {"b": "bool", "i": "integer", "f": "number", "M": "date", "O": "text"}
_DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "integer": np.int64,
    "number": np.float64,
    "date": "datetime64[s]",
    "text": object,
}
_DATES = ("datetime", "date", "Timestamp", "datetime64")


def as_columns(values: Any, n_docs: int) -> Columns:
    """Further columns of metadata by name: booleans, integers, numbers, dates, or strings with None where missing.

    Parameters
    ----------
    values : mapping, pandas or polars frame
        One entry per document in each column.
    n_docs : int
        Number of documents.

    Examples
    --------
    >>> as_columns({"party": ["a", None], "age": [31, None]}, 2)
    {'party': array(['a', None], dtype=object), 'age': array([31., nan])}
    """
    is_frame = hasattr(values, "columns") and hasattr(values, "__getitem__")
    if not is_frame and not isinstance(values, Mapping):
        expected = "a mapping of names to columns, or a data frame"
        raise InputError(parameter="metadata", expected=expected, got=type(values))
    columns = {str(name): _as_column(values[name]) for name in (values.columns if is_frame else values)}
    for name, column in columns.items():
        if len(column) != n_docs:
            message = f"`metadata` must have one entry per document: {name!r} has {len(column)}, expected {n_docs}"
            raise InputError(message, parameter="metadata", got=len(column))
    return columns


def _as_column(values: Any) -> NDArray[Any]:
    if _is_column(values):
        return np.asarray(values)
    check_list("metadata", values)
    entries = [None if is_missing(value) else value for value in values]
    known = [entry for entry in entries if entry is not None]
    if len(known) == len(entries) and all(isinstance(entry, (bool, np.bool_)) for entry in known):
        return np.array(entries, np.bool_)
    if known and all(isinstance(entry, (int, float, np.number)) for entry in known):
        is_whole = len(known) == len(entries) and all(isinstance(entry, (int, np.integer)) for entry in known)
        if is_whole and all(abs(int(entry)) < 2**63 for entry in known):
            return np.array(entries, np.int64)
        return np.array([np.nan if entry is None else float(entry) for entry in entries])
    if known and all(type(entry).__name__ in _DATES for entry in known):
        return np.array([np.datetime64("NaT") if entry is None else as_date(entry) for entry in entries], "M8[s]")
    column = np.empty(len(entries), object)
    column[:] = [None if entry is None else str(entry) for entry in entries]
    return column


def _is_column(values: Any) -> bool:
    """Whether values are in the form that a column has, as those of another corpus are."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype not in _DTYPES.values():
        return False
    return values.dtype != object or all(value is None or type(value) is str for value in values)


def columns_to_json(columns: Columns) -> list[str]:
    """Each column as one string of JSON: its name, kind and values; missing ones are null."""
    return [json.dumps(_column_to_data(name, column), ensure_ascii=True) for name, column in columns.items()]


def _column_to_data(name: str, column: NDArray[Any]) -> dict[str, Any]:
    kind = _KIND_OF_DTYPE[column.dtype.kind]
    if kind == "date":
        values: list[Any] = [None if np.isnat(value) else str(value) for value in column]
    elif kind == "number":  # JSON has no NaN and no infinity
        values = [value if np.isfinite(value) else None if np.isnan(value) else str(value) for value in column.tolist()]
    else:
        values = column.tolist()
    return {"name": name, "kind": kind, "values": values}


def columns_from_json(strings: Iterable[str]) -> Columns:
    """Columns that ``columns_to_json`` wrote; an ``InputError`` if they are anything else."""
    columns: Columns = {}
    for string in strings:
        try:
            data = json.loads(string)
            name, kind, values = data["name"], data["kind"], data["values"]
            column = np.empty(len(values), _DTYPES[kind])
            column[:] = [np.nan if value is None else float(value) for value in values] if kind == "number" else values
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            raise InputError("a column of metadata can't be read", parameter="metadata") from None
        if not isinstance(name, str) or name in columns:
            raise InputError("columns of metadata must have different names", parameter="metadata", got=name)
        columns[name] = _as_column(column)
    return columns

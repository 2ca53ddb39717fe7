"""Corpora from pandas and polars frames, told by how they look: neither library is imported for it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from ..errors import InputError
from .core import Corpus
from .documents import Document, Fields, corpus_of, parsed
from .missing import is_missing

_LOOKED_AT = 100  # rows


def is_frame(value: Any) -> bool:
    """Whether this is a table with named columns, such as a pandas or polars frame."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and len(getattr(value, "shape", ())) == 2


def column_names(frame: Any) -> list[str]:
    """The names of the columns, as strings."""
    return [str(name) for name in frame.columns]


def text_columns(frame: Any) -> list[str]:
    """The names of columns that hold texts, by their first values."""
    start = frame[:_LOOKED_AT]
    return [name for name in frame.columns if any(isinstance(value, str) for value in start[name])]


def from_frame(frame: Any, fields: Fields, on_error: str, **cut: Any) -> Corpus:
    """See ``Corpus.from_frame``."""
    if not is_frame(frame):
        raise InputError(f"frame must be a pandas or polars frame: got {type(frame).__name__}")
    fields.check_columns(list(frame.columns), "frame")
    wanted = [name for name in fields.names().values() if name in frame.columns]
    ids = repeat(None) if fields.id is not None else _names_of_rows(frame)
    rows = enumerate(zip(ids, *(frame[name] for name in wanted)))
    fill, leave_out = _remedies(frame, fields.text)

    def parse(row: tuple[Any, ...], where: str) -> Document:
        record = dict(zip(wanted, row[1:]))
        if fields.text is not None and is_missing(record[fields.text]):
            raise InputError(f"{where}: {fields.text!r} must be a string: got nothing; {fill} makes it an empty text")
        document = fields.document(record, where)
        return document if row[0] is None else document._replace(id=row[0])

    return corpus_of(parsed(rows, parse, "frame", on_error, unit="row", skip=leave_out), **cut)


def _names_of_rows(frame: Any) -> Iterable[str | None]:
    """What pandas' index calls the rows, where it has a name for each and does more than count them."""
    index = getattr(frame, "index", None)
    if index is None or index.nlevels > 1 or not index.is_unique or list(index) == list(range(len(index))):
        return repeat(None)
    return [f"row-{number}" if is_missing(name) else str(name) for number, name in enumerate(index)]


def _remedies(frame: Any, text: str | None) -> tuple[str, str]:
    """How missing texts are filled, and how their rows are left out."""
    if hasattr(frame, "dropna"):
        return f"frame.fillna({{{text!r}: ''}})", f"on_error='skip', or frame.dropna(subset=[{text!r}])"
    return f"frame.with_columns(pl.col({text!r}).fill_null(''))", f"on_error='skip', or frame.drop_nulls({text!r})"

"""Corpora from pandas and polars frames, told by how they look: neither library is imported for it."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .core import Corpus
from .documents import Document, Fields, corpus_of, parsed

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
    rows = enumerate(zip(*(frame[name] for name in wanted)))

    def parse(row: tuple[Any, ...], where: str) -> Document:
        return fields.document(dict(zip(wanted, row)), where)

    return corpus_of(parsed(rows, parse, "frame", on_error, unit="row"), **cut)

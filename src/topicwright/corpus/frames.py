"""Corpora from pandas and polars frames, told by how they look: neither library is imported for it."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .core import Corpus


def is_frame(value: Any) -> bool:
    """Whether this is a table with named columns, such as a pandas or polars frame."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def is_series(value: Any) -> bool:
    """Whether this is one column, such as a pandas or polars series."""
    return hasattr(value, "to_numpy") and hasattr(value, "dtype") and len(getattr(value, "shape", ())) == 1


def column_names(frame: Any) -> list[str]:
    """The names of the columns, as strings."""
    return [str(name) for name in frame.columns]


def from_frame(
    frame: Any, text: Any, labels: Any, target: Any, id: Any, label_separator: str | None, cut: Any
) -> Corpus:
    """See ``Corpus.from_frame``."""
    raise NotImplementedError

"""Numbers of documents: one for each, or rows of as many in all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


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

"""Assertions that tests of all packages share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from topicwright.errors import InputError


@contextmanager
def raises_input(parameter: str | None = None, *, match: str | None = None, **fields: Any) -> Iterator[Any]:
    """Expect an ``InputError`` about a parameter, with these fields (``got``, ``expected``, ``where``, ``hint``)."""
    with pytest.raises(InputError, match=match) as caught:
        yield caught
    if parameter is not None:
        assert caught.value.parameter == parameter
    for name, value in fields.items():
        assert getattr(caught.value, name) == value

"""JSON of model files: no NaN, no infinity, no duplicate keys, and nothing that is read back as another value."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from ..errors import InputError


def to_json(value: Any, name: str = "meta") -> str:
    """Value as JSON text; an ``InputError`` names the part that JSON cannot hold.

    >>> from topicwright.io.strict_json import from_json, to_json
    >>> to_json({"beta": 0.01, "sweeps": (1, 2)})
    '{"beta":0.01,"sweeps":[1,2]}'
    """
    try:
        return json.dumps(plain(value, name), allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to be saved") from None


def from_json(text: str) -> Any:
    """Value of JSON text; ``ValueError`` for anything that ``to_json`` would not have written."""
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_float=_finite, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def plain(value: Any, name: str) -> Any:
    """Value in the types of JSON: NumPy scalars become Python scalars, tuples become lists."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{name} must be a finite number to be saved: got {value}", got=value)
        return float(value)
    if isinstance(value, Mapping):
        return {_plain_key(key, name): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{name}[{index}]") for index, item in enumerate(value)]
    raise InputError(
        f"{name} must be text, a number, true, false, None, or lists and dicts of these to be saved: "
        f"got {type(value).__name__}",
        got=value,
    )


def _plain_key(key: Any, name: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"keys of {name} must be strings to be saved: got {key!r}", got=key)
    return str(key)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")

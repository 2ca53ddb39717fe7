"""Lists of strings as two arrays: a safetensors header has room for 100 MB, a vocabulary may need more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpus.columns import Strings, rises
from ..errors import InputError, ModelFileError


def pack_strings(strings: Iterable[str], name: str = "strings") -> dict[str, NDArray[Any]]:
    """Strings as ``{name}.bytes`` (UTF-8, uint8) and ``{name}.offsets`` (int64, one more than the strings).

    >>> from topicwright.io import pack_strings, unpack_strings
    >>> pack_strings(["red", "", "été"], "words")["words.offsets"]
    array([0, 3, 3, 8])
    >>> unpack_strings(pack_strings(["red", "", "été"], "words"), "words")
    ['red', '', 'été']
    """
    try:
        packed = Strings.of(strings)
    except AttributeError:
        raise InputError(f"{name} must be strings") from None
    return {f"{name}.bytes": packed.data, f"{name}.offsets": packed.offsets}


def unpack_strings(arrays: Mapping[str, NDArray[Any]], name: str = "strings") -> list[str]:
    """The strings that ``pack_strings`` stored; ``ModelFileError`` where the arrays hold anything else."""
    data, offsets = arrays.get(f"{name}.bytes"), arrays.get(f"{name}.offsets")
    if data is None or offsets is None:
        raise ModelFileError(f"'{name}' must be stored as '{name}.bytes' and '{name}.offsets': one is missing")
    if data.dtype != np.uint8 or data.ndim != 1 or offsets.dtype != np.int64:
        raise ModelFileError(f"'{name}' must be stored as uint8 bytes and int64 offsets, in one dimension")
    if not rises(offsets, len(data)):
        raise ModelFileError(f"'{name}.offsets' must rise from 0 to the number of bytes ({len(data)})")
    try:
        return list(Strings(data, offsets))
    except InputError as error:
        raise ModelFileError(f"'{name}': {error}") from None

"""Lists of strings as two arrays: a safetensors header has room for 100 MB, a vocabulary may need more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, ModelFileError

# Text from JSON may hold half of a surrogate pair; a model that was trained on it must still be saved.
_ERRORS = "surrogatepass"


def pack_strings(strings: Iterable[str], name: str = "strings") -> dict[str, NDArray[Any]]:
    """Strings as ``{name}.bytes`` (UTF-8, uint8) and ``{name}.offsets`` (int64, one more than the strings).

    >>> from topicwright.io import pack_strings, unpack_strings
    >>> pack_strings(["red", "", "été"], "words")["words.offsets"]
    array([0, 3, 3, 8])
    >>> unpack_strings(pack_strings(["red", "", "été"], "words"), "words")
    ['red', '', 'été']
    """
    try:
        encoded = [string.encode("utf-8", _ERRORS) for string in strings]
    except AttributeError:
        raise InputError(f"{name} must be strings") from None
    lengths = accumulate(map(len, encoded), initial=0)
    return {
        f"{name}.bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        f"{name}.offsets": np.fromiter(lengths, dtype=np.int64, count=len(encoded) + 1),
    }


def unpack_strings(arrays: Mapping[str, NDArray[Any]], name: str = "strings") -> list[str]:
    """The strings that ``pack_strings`` stored; ``ModelFileError`` where the arrays hold anything else."""
    data, offsets = arrays.get(f"{name}.bytes"), arrays.get(f"{name}.offsets")
    if data is None or offsets is None:
        raise ModelFileError(f"'{name}' must be stored as '{name}.bytes' and '{name}.offsets': one is missing")
    if data.dtype != np.uint8 or data.ndim != 1 or offsets.dtype != np.int64:
        raise ModelFileError(f"'{name}' must be stored as uint8 bytes and int64 offsets, in one dimension")
    if not rises(offsets, len(data)):
        raise ModelFileError(f"'{name}.offsets' must rise from 0 to the number of bytes ({len(data)})")
    text = data.tobytes()
    try:
        return [text[start:end].decode("utf-8", _ERRORS) for start, end in pairwise(offsets.tolist())]
    except UnicodeDecodeError as error:
        raise ModelFileError(f"'{name}' must be UTF-8: {error.reason}") from None


def rises(offsets: NDArray[Any], total: int) -> bool:
    """Whether offsets rise from 0 to the total; compared, not subtracted: differences may wrap around."""
    if offsets.ndim != 1 or len(offsets) == 0:
        return False
    return bool(offsets[0] == 0 and offsets[-1] == total and np.all(offsets[1:] >= offsets[:-1]))

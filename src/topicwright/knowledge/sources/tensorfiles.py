"""Word vectors in safetensors files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._replacing import StrPath
from ...corpus.files import decode, read_lines
from ...errors import InputError
from .vectors import WORDS_KEY, Vectors

_HEADER_LIMIT = 100_000_000  # the safetensors library reads no header above this
_BLOCK_ROWS = 1 << 14


def looks_like_safetensors(path: StrPath) -> bool:
    """Whether a file starts as safetensors files do: the length of the header, then the header, a JSON object."""
    with Path(path).open("rb") as file:
        start = file.read(9)
    return start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= _HEADER_LIMIT


def read_safetensors(path: StrPath, wanted: list[str] | None) -> Vectors:
    """The one tensor of the file, or those rows of it that are wanted."""
    import safetensors

    try:
        with safetensors.safe_open(str(path), framework="numpy") as file:
            tensor = _only_tensor(path, file)
            words = _words(path, file.metadata() or {})
            return _rows_of(path, tensor, words, wanted)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # the library has no one type for what a foreign file may hold
        raise InputError(f"{path} is damaged, or no safetensors file that numpy can read: {error}") from None


def _only_tensor(path: StrPath, file: Any) -> Any:
    slices = [file.get_slice(name) for name in file.keys()]  # noqa: SIM118 (not a dict)
    tables = [
        tensor for tensor in slices if len(tensor.get_shape()) == 2 and tensor.get_dtype() in ("F16", "F32", "F64")
    ]
    if len(tables) != 1:
        raise InputError(f"{path} must hold one float tensor with two dimensions: got {len(tables)}")
    return tables[0]


def _words(path: StrPath, metadata: dict[str, str]) -> list[str]:
    beside = Path(path).with_suffix(".vocab.txt")
    if WORDS_KEY in metadata:
        words = _words_of_json(path, metadata[WORDS_KEY])
    elif beside.exists():
        words = [decode(line, f"{beside}, line {number}") for number, line in read_lines(beside)]
    else:
        raise InputError(
            f"{path} must have its words in the metadata under '{WORDS_KEY}', or in {beside.name} beside it"
        )
    return words


def _words_of_json(path: StrPath, text: str) -> list[str]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"{path} must have a JSON list of words under '{WORDS_KEY}' in its metadata")
    return words


def _rows_of(path: StrPath, tensor: Any, words: list[str], wanted: list[str] | None) -> Vectors:
    n_rows = tensor.get_shape()[0]
    if n_rows != len(words):
        raise InputError(f"{path} must have one row per word: got {n_rows}, expected {len(words)}")
    keep = set(words if wanted is None else wanted)
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        if word in keep:
            rows.setdefault(word, row)
    matrix = _take(tensor, np.fromiter(rows.values(), dtype=np.int64, count=len(rows)))
    matrix.setflags(write=False)
    return Vectors(tuple(rows), matrix)


def _take(tensor: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Some rows, in rising order, read block by block: the file may be larger than memory."""
    n_rows, n_dimensions = tensor.get_shape()
    matrix = np.empty((len(rows), n_dimensions), dtype=np.float32)
    for start in range(0, n_rows, _BLOCK_ROWS):
        first, last = np.searchsorted(rows, [start, start + _BLOCK_ROWS])
        if first < last:
            block = np.asarray(tensor[start : min(start + _BLOCK_ROWS, n_rows)])
            with np.errstate(over="ignore"):  # what does not fit is infinite, and refused by Vectors
                matrix[first:last] = block[rows[first:last] - start]
    return matrix

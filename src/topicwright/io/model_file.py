"""Model files: one safetensors file, with JSON in its header and a checksum over all of it; no pickle.

The header's ``__metadata__`` has two keys: ``topicwright`` (JSON: format, library, kind, meta), ``checksum``.
Files are read by the safetensors library. They are written here, because the library's writer makes files
that only their owner can read, whatever the umask, and does not tell a full disk from other failures.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import safetensors
from numpy.typing import NDArray

from .._utils.atomic import StrPath, atomic_write
from .._version import __version__
from ..corpus.store.mmap import iter_chunks
from ..errors import InputError, ModelFileError
from .strict_json import from_json, to_json

if TYPE_CHECKING:
    from .fields import ModelFields

FORMAT_VERSION = 1
_KEY, _CHECKSUM = "topicwright", "checksum"
_HEADER_LIMIT = 100_000_000  # the safetensors library reads no header above this
_DTYPES = {
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
}
# pread needs half the memory of mmap, and survives a file that is cut while it is read; new in 0.8.
_BACKEND: dict[str, Any] = (
    {"backend": "pread"} if tuple(map(int, safetensors.__version__.split(".")[:2])) >= (0, 8) else {}
)


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds; the checksum was right, but ``meta`` and ``arrays`` may hold anything.

    ``fields`` gives the same with checks, and is what a model's loader should use.
    """

    path: str
    kind: str
    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    library: str = __version__

    @property
    def fields(self) -> ModelFields:
        """Typed and checked access to ``meta`` and ``arrays``."""
        from .fields import ModelFields

        return ModelFields(self.path, self.meta, self.arrays)


def write_model(
    path: StrPath, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, lasting: bool = True
) -> None:
    """Write a model file; a failure of any sort leaves what was there before.

    Parameters
    ----------
    path : path
        Where to write; the directory must exist.
    kind : str
        The kind of model, by which ``load`` finds the class.
    meta : dict
        What JSON can hold: text, finite numbers, booleans, None, lists and dicts. Long lists of strings
        belong in ``arrays``, through ``pack_strings``.
    arrays : dict of arrays
        Booleans, integers and floats up to 64 bits, in any shape.
    lasting : bool
        Whether the file must last through a power cut.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from topicwright.io import read_model, write_model
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_model(f"{directory}/m.tw", "lda", {"beta": 0.01}, {"alpha": np.ones(2)})
    ...     file = read_model(f"{directory}/m.tw")
    >>> file.kind, file.meta, file.arrays
    ('lda', {'beta': 0.01}, {'alpha': array([1., 1.])})
    """
    if not isinstance(kind, str) or not isinstance(meta, Mapping):
        raise InputError(f"kind must be a string and meta a dict: got {type(kind).__name__}, {type(meta).__name__}")
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    said = {"format": FORMAT_VERSION, "library": __version__, "kind": kind}
    text = f'{to_json(said)[:-1]},"meta":{to_json(meta, "meta")}}}'
    # The widest first, as the library has it, so that every array starts at a multiple of its width.
    order = sorted(stored, key=lambda name: (-stored[name].itemsize, name))
    header = _header({_KEY: text, _CHECKSUM: _checksum(text, stored)}, {name: stored[name] for name in order})
    with atomic_write(path, lasting=lasting) as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for name in order:
            for piece in _bytes_of(stored[name]):
                file.write(piece)


def read_model(path: StrPath) -> ModelFile:
    """Read a model file, trusting nothing in it: anything wrong with the contents is a ``ModelFileError``."""
    name = os.fspath(path)
    _check_path(name)
    try:
        with safetensors.safe_open(name, framework="numpy", **_BACKEND) as file:
            metadata = file.metadata() or {}
            said = _parse(name, metadata)
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
    except (ModelFileError, MemoryError):
        raise
    except Exception as error:  # the library has no one type for what a foreign file may hold
        _refuse(name, error)
    if metadata[_CHECKSUM] != _checksum(metadata[_KEY], arrays):
        raise ModelFileError(f"{name} is damaged: its contents do not match their checksum")
    return ModelFile(name, said["kind"], said["meta"], arrays, said["library"])


# ---------------------------------------------------------------------- writing


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(name, str) or not name.isascii() or name == "__metadata__":
        raise InputError(f"arrays must be named in ASCII, and not '__metadata__': got {name!r}")
    array = np.asarray(array)
    if array.dtype.name not in _DTYPES:
        raise InputError(f"array '{name}' must be of {', '.join(_DTYPES)} to be saved: got {array.dtype}")
    return _little_endian(array)


def _header(metadata: dict[str, str], arrays: dict[str, NDArray[Any]]) -> bytes:
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        entries[name] = {
            "dtype": _DTYPES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    header = json.dumps(entries, separators=(",", ":")).encode()
    if len(header) > _HEADER_LIMIT - 8:
        raise InputError(
            f"meta must have at most {_HEADER_LIMIT:,} bytes as JSON: got {len(header):,}; "
            "long lists belong in arrays (pack_strings for text)"
        )
    return header + b" " * (-len(header) % 8)


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def _bytes_of(array: NDArray[Any]) -> Iterator[memoryview]:
    """All of them, some at a time: an array may lie on disk and be larger than memory."""
    return (piece.data for piece in iter_chunks(array.reshape(-1).view(np.uint8)))


def _checksum(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    value = zlib.crc32(text.encode())
    for name in sorted(arrays):
        array = _little_endian(arrays[name])
        value = zlib.crc32(f"\0{name}\0{array.dtype.name}\0{array.shape}\0".encode(), value)
        for piece in _bytes_of(array):
            value = zlib.crc32(piece, value)
    return f"crc32:{value:08x}"


# ---------------------------------------------------------------------- reading


def _check_path(path: str) -> None:
    """Fail as ``open`` does where there is no file to read, and before a pipe could block."""
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise ModelFileError(f"{path} is not a topicwright model file: it is a device or a pipe")
    with open(path, "rb"):
        pass


def _parse(path: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of the header, with its outermost fields checked."""
    if _KEY not in metadata:
        raise ModelFileError(f"{path} is a safetensors file, but not a topicwright model")
    try:
        said = from_json(metadata[_KEY])
    except ValueError as error:
        raise ModelFileError(f"{path} is damaged: its description is not valid JSON: {error}") from None
    _check_version(path, said)
    if _CHECKSUM not in metadata:
        raise ModelFileError(f"{path} is damaged: its checksum is missing")
    for key, kind in (("kind", str), ("library", str), ("meta", dict)):
        if not isinstance(said.get(key), kind):
            raise ModelFileError(f"{path} is damaged: its '{key}' is missing or of the wrong type")
    return dict(said)


def _check_version(path: str, said: Any) -> None:
    version = said.get("format") if isinstance(said, dict) else None
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{path} is damaged: it does not say which format it has")
    if version > FORMAT_VERSION:
        writer = str(said.get("library"))[:40]
        raise ModelFileError(
            f"{path} was written by a newer version of topicwright ({writer}), format {version}; "
            f"this one ({__version__}) reads up to {FORMAT_VERSION}"
        )


def _refuse(path: str, error: Exception) -> NoReturn:
    """Say what the file is, where its first bytes tell."""
    with Path(path).open("rb") as file:
        start = file.read(9)
    # A safetensors file is the length of the header, then the header, which is a JSON object.
    if start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= _HEADER_LIMIT:
        raise ModelFileError(f"{path} is damaged or cut short: {error}") from None
    raise ModelFileError(f"{path} is not a topicwright model file{_looks_like(start)}") from None


def _looks_like(start: bytes) -> str:
    if not start:
        return ": it is empty"
    if start.startswith(b"PK\x03\x04"):
        return ": it looks like a zip archive"
    if start.startswith(b"\x1f\x8b"):
        return ": it looks like gzip"
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return ": it looks like a pickle, which topicwright never opens"
    return ""

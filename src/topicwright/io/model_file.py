"""Model files: one safetensors file with JSON in its header and a checksum of its contents; no pickle.

The ``__metadata__`` of the header has two keys: ``topicwright`` (JSON: format, library, kind, meta) and ``checksum``.
Files are read by the safetensors library. They are written here, because the writer of the library makes files that
only their owner can read, whatever the umask, and does not distinguish a full disk from other failures.
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
from ..corpus.store.arrays import iter_chunks
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
# pread needs half the memory of mmap, and survives a file that is truncated while it is read; new in 0.8.
_BACKEND: dict[str, Any] = (
    {"backend": "pread"} if tuple(map(int, safetensors.__version__.split(".")[:2])) >= (0, 8) else {}
)


@dataclass(frozen=True)
class ModelFile:
    """Contents of a model file. The checksum is verified, but ``meta`` and ``arrays`` may hold anything.

    Loaders of models read ``fields``, which validates them.

    Parameters
    ----------
    path : str
        Path of the file.
    kind : str
        Kind of model.
    meta : dict
        JSON part of the file.
    arrays : dict of arrays
        Arrays of the file.
    library : str
        Version of the library that wrote the file.
    """

    path: str
    kind: str
    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    library: str = __version__

    @property
    def fields(self) -> ModelFields:
        """Typed and validated access to ``meta`` and ``arrays``."""
        from .fields import ModelFields

        return ModelFields(self.path, self.meta, self.arrays)


def write_model(
    path: StrPath, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, durable: bool = True
) -> None:
    """Write a model file atomically: any failure leaves the old file.

    Parameters
    ----------
    path : path
        The file; its directory must exist.
    kind : str
        Kind of model, which determines the class that ``load`` returns.
    meta : dict
        JSON values: strings, finite numbers, booleans, None, lists and dicts. Long lists of strings belong in
        ``arrays``, see ``pack_strings``.
    arrays : dict of arrays
        Booleans, integers and floats up to 64 bits, in any shape.
    durable : bool
        Whether the file must survive a power failure.

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
        message = f"`kind` must be a string and `meta` a dict: got {type(kind).__name__}, {type(meta).__name__}"
        raise InputError(message, parameter="kind" if isinstance(meta, Mapping) else "meta")
    stored = {name: _storable(name, array) for name, array in arrays.items()}
    description = {"format": FORMAT_VERSION, "library": __version__, "kind": kind}
    text = f'{to_json(description)[:-1]},"meta":{to_json(meta, "meta")}}}'
    # The widest type first, as in the library, so that every array starts at a multiple of its item size.
    order = sorted(stored, key=lambda name: (-stored[name].itemsize, name))
    header = _header({_KEY: text, _CHECKSUM: _checksum(text, stored)}, {name: stored[name] for name in order})
    with atomic_write(path, durable=durable) as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for name in order:
            for chunk in _iter_bytes(stored[name]):
                file.write(chunk)


def read_model(path: StrPath) -> ModelFile:
    """Read a model file; invalid contents of any kind raise a ``ModelFileError``."""
    name = os.fspath(path)
    _check_path(name)
    try:
        with safetensors.safe_open(name, framework="numpy", **_BACKEND) as file:
            metadata = file.metadata() or {}
            description = _parse_description(name, metadata)
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
    except (ModelFileError, MemoryError):
        raise
    except Exception as error:  # the library has no common type for errors of foreign files
        _fail_reading(name, error)
    if metadata[_CHECKSUM] != _checksum(metadata[_KEY], arrays):
        raise ModelFileError(f"{name} is damaged: its contents do not match their checksum")
    return ModelFile(name, description["kind"], description["meta"], arrays, description["library"])


# ---------------------------------------------------------------------- writing


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(name, str) or not name.isascii() or name == "__metadata__":
        message = f"`arrays` must be named in ASCII, and not '__metadata__': got {name!r}"
        raise InputError(message, parameter="arrays", got=name)
    array = np.asarray(array)
    if array.dtype.name not in _DTYPES:
        message = f"array '{name}' must be of {', '.join(_DTYPES)} to be saved: got {array.dtype}"
        raise InputError(message, parameter="arrays", got=array.dtype)
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
            f"`meta` must have at most {_HEADER_LIMIT:,} bytes as JSON: got {len(header):,}; "
            "long lists belong in arrays (pack_strings for text)",
            parameter="meta",
            got=len(header),
        )
    return header + b" " * (-len(header) % 8)


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def _iter_bytes(array: NDArray[Any]) -> Iterator[memoryview]:
    """Bytes of an array in chunks, since it may be on disk and larger than memory."""
    return (chunk.data for chunk in iter_chunks(array.reshape(-1).view(np.uint8)))


def _checksum(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    value = zlib.crc32(text.encode())
    for name in sorted(arrays):
        array = _little_endian(arrays[name])
        value = zlib.crc32(f"\0{name}\0{array.dtype.name}\0{array.shape}\0".encode(), value)
        for chunk in _iter_bytes(array):
            value = zlib.crc32(chunk, value)
    return f"crc32:{value:08x}"


# ---------------------------------------------------------------------- reading


def _check_path(path: str) -> None:
    """Raise the error of ``open`` if there is no file to read, and do not block on a pipe."""
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise ModelFileError(f"{path} is not a topicwright model file: it is a device or a pipe")
    with open(path, "rb"):
        pass


def _parse_description(path: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    """JSON of the header, whose outermost fields are validated."""
    if _KEY not in metadata:
        raise ModelFileError(f"{path} is a safetensors file, but not a topicwright model")
    try:
        description = from_json(metadata[_KEY])
    except ValueError as error:
        raise ModelFileError(f"{path} is damaged: its description is not valid JSON: {error}") from None
    _check_version(path, description)
    if _CHECKSUM not in metadata:
        raise ModelFileError(f"{path} is damaged: its checksum is missing")
    for key, kind in (("kind", str), ("library", str), ("meta", dict)):
        if not isinstance(description.get(key), kind):
            raise ModelFileError(f"{path} is damaged: its '{key}' is missing or of the wrong type")
    return dict(description)


def _check_version(path: str, description: Any) -> None:
    version = description.get("format") if isinstance(description, dict) else None
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{path} is damaged: its format version is missing or invalid")
    if version > FORMAT_VERSION:
        writer = str(description.get("library"))[:40]
        raise ModelFileError(
            f"{path} was written by a newer version of topicwright ({writer}), format {version}; "
            f"this one ({__version__}) reads up to {FORMAT_VERSION}"
        )


def _fail_reading(path: str, error: Exception) -> NoReturn:
    """Raise an error that says what the file is, if its first bytes tell."""
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

"""Writing a corpus as a folder of arrays, which grow on disk and need never be in memory.

corpus.json                   manifest: names, shapes and checksums of the arrays
data-5f0c…/tokens.npy         the arrays, in NumPy's own format
data-5f0c…/offsets.npy        …

``corpus.json`` is written last and replaced atomically, so a folder holds either the old corpus or all of the new one.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import secrets
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath, atomic_write, sync_directory
from ..._utils.filelock import file_lock
from ..._version import __version__
from ...errors import InputError
from ..columns import columns_to_json
from ..metadata import METADATA_FIELDS, LabelLists, Strings

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..tokenizer import Tokenizer

_CHUNK_ENTRIES = 1 << 22


def iter_chunks(array: NDArray[Any], size: int = _CHUNK_ENTRIES) -> Iterator[NDArray[Any]]:
    """Consecutive chunks of an array; the memory of a mapped one is released before the next."""
    for start in range(0, len(array), size):
        yield array[start : start + size]
        release_pages(array)


def release_pages(array: NDArray[Any]) -> None:
    """Release the memory of the pages that were read of a mapped array; the next access reads them again.

    Nothing is done for an array that is not mapped, or that is copied on write, whose changes would be lost.
    """
    base: Any = array
    mode = "c"
    while isinstance(base, np.ndarray):
        mode = getattr(base, "mode", mode)
        base = base.base
    if isinstance(base, mmap.mmap) and mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def count_ids(ids: NDArray[np.int32], n_words: int) -> NDArray[np.int64]:
    """Number of occurrences of each id. NumPy's ``bincount`` alone would copy all ids at twice the size."""
    counts = np.zeros(n_words, np.int64)
    for chunk in iter_chunks(ids):
        counts += np.bincount(chunk, minlength=n_words)
    return counts


MANIFEST, FORMAT = "corpus.json", 1
DATA = re.compile(r"data-[0-9a-f]{16}")


class GrowingArray:
    """Array on disk that rows are appended to; its header is complete when it is closed."""

    def __init__(self, path: Path, dtype: Any, row: tuple[int, ...] = ()) -> None:
        self._path, self._dtype, self._row = path, np.dtype(dtype), row
        self._length, self._checksum = 0, 0
        with _writing(path.parent.parent):
            self._file = path.open("xb")
            self._write_header()

    def __len__(self) -> int:
        return self._length

    @property
    def description(self) -> dict[str, Any]:
        """Entry of the manifest: type, shape and checksum."""
        return {"dtype": self._dtype.str, "shape": [self._length, *self._row], "crc32": self._checksum}

    def append(self, rows: Any) -> None:
        """Append rows."""
        rows = np.ascontiguousarray(rows, self._dtype)
        data = rows.reshape(-1).view(np.uint8).data
        with _writing(self._path.parent.parent):
            self._file.write(data)
        self._length += len(rows)
        self._checksum = zlib.crc32(data, self._checksum)

    def close(self) -> None:
        """Write the length into the header and flush the file to disk."""
        if self._file.closed:
            return
        with _writing(self._path.parent.parent):
            self._file.seek(0)
            self._write_header()  # NumPy leaves room in it for any length
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def abort(self) -> None:
        """Close the file as it is."""
        with suppress(OSError):
            self._file.close()

    def _write_header(self) -> None:
        shape = (self._length, *self._row)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)


class StoreWriter:
    """Arrays of a corpus that is being written."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._arrays: dict[str, GrowingArray] = {}
        self.tokenizer: Tokenizer | None = None

    def grow(self, name: str, dtype: Any, row: tuple[int, ...] = ()) -> GrowingArray:
        """New array that rows can be appended to."""
        self._arrays[name] = GrowingArray(self._path(name), dtype, row)
        return self._arrays[name]

    def write(self, name: str, array: NDArray[Any]) -> None:
        """Write an array that exists, in memory or on disk."""
        growing = self.grow(name, array.dtype, array.shape[1:])
        for chunk in iter_chunks(array):
            growing.append(chunk)

    def write_strings(self, name: str, strings: Sequence[str]) -> None:
        """Write strings."""
        encoded = Strings.of(strings)
        self.write(f"{name}.bytes", encoded.data)
        self.write(f"{name}.offsets", encoded.offsets)

    def write_metadata(self, corpus: Corpus, names: Sequence[str] = METADATA_FIELDS) -> None:
        """Write metadata of a corpus."""
        for name in names:
            value: Any = getattr(corpus, name)
            if value is None:
                continue
            if name in ("ids", "texts"):
                self.write_strings(name, value)
            elif name == "metadata":
                self.write_strings(name, columns_to_json(value))
            elif name == "labels":
                labels = LabelLists.of(value)
                self.write_strings("labels.names", labels.names)
                self.write("labels.values", labels.values)
                self.write("labels.offsets", labels.offsets)
            else:
                self.write(name, value.view(np.int64) if name == "dates" else value)

    def finish_array(self, name: str) -> NDArray[Any]:
        """Close an array, to which nothing more is appended, and map it from disk."""
        self._arrays[name].close()
        return map_array(self._path(name), self._arrays[name].description)

    def finish_arrays(self) -> dict[str, NDArray[Any]]:
        """Close all arrays and map them from disk."""
        return {name: self.finish_array(name) for name in self._arrays}

    def remove(self, name: str) -> None:
        """Delete an array."""
        self._arrays.pop(name).abort()
        with suppress(OSError):  # a mapped file may have to stay until the end
            self._path(name).unlink()

    def finish(self) -> dict[str, Any]:
        """Close all arrays and return the manifest."""
        for array in self._arrays.values():
            array.close()
        arrays = {name: array.description for name, array in sorted(self._arrays.items())}
        settings = None if self.tokenizer is None else self.tokenizer.to_dict()
        return {"data": self._data.name, "arrays": arrays, "tokenizer": settings}

    def abort(self) -> None:
        """Close all arrays and delete them."""
        for array in self._arrays.values():
            array.abort()
        shutil.rmtree(self._data, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self._data / f"{name}.npy"


@contextmanager
def open_store_writer(path: StrPath) -> Iterator[StoreWriter]:
    """Writer of a corpus, which replaces that of the folder when the block succeeds; otherwise nothing changes."""
    folder = Path(os.path.abspath(path))
    with ExitStack() as stack:
        with _writing(folder):
            _make_folder(folder, stack)
            stack.enter_context(file_lock(folder / MANIFEST))
            data = folder / f"data-{secrets.token_hex(8)}"
            data.mkdir()
        store = StoreWriter(data)
        try:
            yield store
            manifest = store.finish()
            with _writing(folder):
                _write_manifest(folder, manifest)
        except BaseException:  # also Ctrl-C, which may come after the last step
            if not _is_current(folder, data):
                store.abort()
            raise
        _remove_others(folder, data)


def map_array(path: Path, description: dict[str, Any]) -> NDArray[Any]:
    """Read-only array that is mapped from disk. Copy on write would need as much memory as the array."""
    dtype, shape = np.dtype(description["dtype"]), tuple(description["shape"])
    n_bytes = dtype.itemsize * int(np.prod(shape))
    if n_bytes == 0:  # an empty file cannot be mapped
        return np.empty(shape, dtype)
    start = path.stat().st_size - n_bytes
    return np.asarray(np.memmap(path, dtype, "r", start, shape))


def checksum_of(manifest: dict[str, Any]) -> int:
    """Checksum of a manifest, without its own entry."""
    rest = {name: value for name, value in manifest.items() if name != "checksum"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def _make_folder(folder: Path, stack: ExitStack) -> None:
    """Create the folder, or check that it holds a corpus or nothing; a new folder is removed if writing fails."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"a corpus is stored in a folder: {folder} is a file", got=str(folder))
    if not folder.exists():
        folder.mkdir(parents=True)
        stack.callback(_remove_if_empty, folder)
    elif not (folder / MANIFEST).exists() and any(not _is_own_file(path.name) for path in folder.iterdir()):
        message = f"{folder} holds other files: use a folder that is new or empty, or holds a stored corpus"
        raise InputError(message, got=str(folder))


def _is_own_file(name: str) -> bool:
    """Whether a file is data, a lock, or a leftover of a process that was killed."""
    return DATA.fullmatch(name) is not None or name.startswith((f".{MANIFEST}.", ".topicwright-"))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _is_current(folder: Path, data: Path) -> bool:
    with suppress(OSError):
        return data.name in (folder / MANIFEST).read_text("utf-8")
    return False


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    content = {"topicwright": "corpus", "format": FORMAT, "library": __version__, **manifest}
    sync_directory(folder / manifest["data"])
    with atomic_write(folder / MANIFEST) as file:
        file.write(json.dumps({**content, "checksum": checksum_of(content)}, indent=1).encode())


def _remove_others(folder: Path, data: Path) -> None:
    """Remove earlier data and leftovers of processes that were killed."""
    for path in folder.iterdir():
        if DATA.fullmatch(path.name) and path != data:
            shutil.rmtree(path, ignore_errors=True)  # mapped files stay readable


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot store the corpus in {folder}: {error.strerror or error}"
        raise InputError(message, where=str(folder)) from None

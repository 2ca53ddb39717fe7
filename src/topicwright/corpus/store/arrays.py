"""A corpus as a folder of arrays, written as they grow: none of them need ever be in memory.

corpus.json                   which arrays there are, their shapes and checksums
data-5f0c…/tokens.npy         the arrays, in NumPy's own format
data-5f0c…/offsets.npy        …

``corpus.json`` is written last and replaced as a whole, so a folder holds the corpus that it held before or all of the
new one.
"""

from __future__ import annotations

import json
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
from ..columns import LabelLists, Strings
from .mmap import iter_chunks

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..tokenizer import Tokenizer

MANIFEST, FORMAT = "corpus.json", 1
DATA = re.compile(r"data-[0-9a-f]{16}")
METADATA = ("ids", "labels", "targets", "links", "dates", "texts")


class GrowingArray:
    """An array on disk that rows are added to; what it holds is complete when it is closed."""

    def __init__(self, path: Path, dtype: Any, row: tuple[int, ...] = ()) -> None:
        self._path, self._dtype, self._row = path, np.dtype(dtype), row
        self._length, self._checksum = 0, 0
        with _writing(path.parent.parent):
            self._file = path.open("xb")
            self._write_header()

    def __len__(self) -> int:
        return self._length

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of it."""
        return {"dtype": self._dtype.str, "shape": [self._length, *self._row], "crc32": self._checksum}

    def append(self, rows: Any) -> None:
        """Add rows."""
        rows = np.ascontiguousarray(rows, self._dtype)
        data = rows.reshape(-1).view(np.uint8).data
        with _writing(self._path.parent.parent):
            self._file.write(data)
        self._length += len(rows)
        self._checksum = zlib.crc32(data, self._checksum)

    def close(self) -> None:
        """Say how long it is, and see it safely on disk."""
        if self._file.closed:
            return
        with _writing(self._path.parent.parent):
            self._file.seek(0)
            self._write_header()  # NumPy leaves room in it for any length
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def give_up(self) -> None:
        """Close it as it is."""
        with suppress(OSError):
            self._file.close()

    def _write_header(self) -> None:
        shape = (self._length, *self._row)
        facts = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, facts)


class StoreWriter:
    """The arrays of a corpus that is being written."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._arrays: dict[str, GrowingArray] = {}
        self.tokenizer: Tokenizer | None = None

    def grow(self, name: str, dtype: Any, row: tuple[int, ...] = ()) -> GrowingArray:
        """A new array."""
        self._arrays[name] = GrowingArray(self._path(name), dtype, row)
        return self._arrays[name]

    def write(self, name: str, array: NDArray[Any]) -> None:
        """A new array that is there already, in memory or on disk."""
        growing = self.grow(name, array.dtype, array.shape[1:])
        for piece in iter_chunks(array):
            growing.append(piece)

    def write_strings(self, name: str, strings: Sequence[str]) -> None:
        """Strings that are there already."""
        packed = Strings.of(strings)
        self.write(f"{name}.bytes", packed.data)
        self.write(f"{name}.offsets", packed.offsets)

    def write_known(self, corpus: Corpus, names: Sequence[str] = METADATA) -> None:
        """What a corpus knows about its documents."""
        for name in names:
            value: Any = getattr(corpus, name)
            if value is None:
                continue
            if name in ("ids", "texts"):
                self.write_strings(name, value)
            elif name == "labels":
                labels = LabelLists.of(value)
                self.write_strings("labels.names", labels.names)
                self.write("labels.values", labels.values)
                self.write("labels.offsets", labels.offsets)
            else:
                self.write(name, value.view(np.int64) if name == "dates" else value)

    def so_far(self, name: str) -> NDArray[Any]:
        """An array that nothing more will be added to, mapped from disk."""
        self._arrays[name].close()
        return map_array(self._path(name), self._arrays[name].facts)

    def all_so_far(self) -> dict[str, NDArray[Any]]:
        """All arrays, likewise."""
        return {name: self.so_far(name) for name in self._arrays}

    def remove(self, name: str) -> None:
        """Leave an array out after all."""
        self._arrays.pop(name).give_up()
        with suppress(OSError):  # where it is mapped it may have to stay until the end
            self._path(name).unlink()

    def finish(self) -> dict[str, Any]:
        """Close what is open; returns the manifest."""
        for array in self._arrays.values():
            array.close()
        arrays = {name: array.facts for name, array in sorted(self._arrays.items())}
        cut = None if self.tokenizer is None else self.tokenizer.to_dict()
        return {"data": self._data.name, "arrays": arrays, "tokenizer": cut}

    def give_up(self) -> None:
        """Close what is open, and remove it."""
        for array in self._arrays.values():
            array.give_up()
        shutil.rmtree(self._data, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self._data / f"{name}.npy"


@contextmanager
def open_store_writer(folder: StrPath) -> Iterator[StoreWriter]:
    """A corpus that takes its place in a folder when the block ends well; otherwise all is as it was."""
    home = Path(os.path.abspath(folder))
    with ExitStack() as stack:
        with _writing(home):
            _make_home(home, stack)
            stack.enter_context(file_lock(home / MANIFEST))
            data = home / f"data-{secrets.token_hex(8)}"
            data.mkdir()
        store = StoreWriter(data)
        try:
            yield store
            manifest = store.finish()
            with _writing(home):
                _write_manifest(home, manifest)
        except BaseException:  # Ctrl-C too, which may come when all is done
            if not _is_current(home, data):
                store.give_up()
            raise
        _remove_others(home, data)


def map_array(path: Path, facts: dict[str, Any]) -> NDArray[Any]:
    """An array as it lies on disk. It can't be written to: a copy on write must fit in memory, the system says."""
    dtype, shape = np.dtype(facts["dtype"]), tuple(facts["shape"])
    n_bytes = dtype.itemsize * int(np.prod(shape))
    if n_bytes == 0:  # nothing can't be mapped
        return np.empty(shape, dtype)
    start = path.stat().st_size - n_bytes
    return np.asarray(np.memmap(path, dtype, "r", start, shape))


def checksum_of(manifest: dict[str, Any]) -> int:
    """Over all that a manifest says but the checksum."""
    rest = {name: value for name, value in manifest.items() if name != "checksum"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def _make_home(home: Path, stack: ExitStack) -> None:
    """Make the folder, or see that it is one of ours; one that was made goes again if nothing comes of it."""
    if home.exists() and not home.is_dir():
        raise InputError(f"a corpus is stored in a folder: {home} is a file")
    if not home.exists():
        home.mkdir(parents=True)
        stack.callback(_remove_if_empty, home)
    elif not (home / MANIFEST).exists() and any(not _is_ours(path.name) for path in home.iterdir()):
        raise InputError(f"{home} holds other files: give a folder that is new or empty, or holds a stored corpus")


def _is_ours(name: str) -> bool:
    """Data, a lock, or what a process that was killed had half written."""
    return DATA.fullmatch(name) is not None or name.startswith((f".{MANIFEST}.", ".topicwright-"))


def _remove_if_empty(home: Path) -> None:
    with suppress(OSError):
        home.rmdir()


def _is_current(home: Path, data: Path) -> bool:
    with suppress(OSError):
        return data.name in (home / MANIFEST).read_text("utf-8")
    return False


def _write_manifest(home: Path, manifest: dict[str, Any]) -> None:
    said = {"topicwright": "corpus", "format": FORMAT, "library": __version__, **manifest}
    sync_directory(home / manifest["data"])
    with atomic_write(home / MANIFEST) as file:
        file.write(json.dumps({**said, "checksum": checksum_of(said)}, indent=1).encode())


def _remove_others(home: Path, data: Path) -> None:
    """Remove what was there before, or what a process that was killed has left."""
    for path in home.iterdir():
        if DATA.fullmatch(path.name) and path != data:
            shutil.rmtree(path, ignore_errors=True)  # what somebody has mapped stays readable


@contextmanager
def _writing(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot store the corpus in {home}: {error.strerror or error}") from None

"""Opening a stored corpus: every file is validated; the vocabulary and further columns are read into memory."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._utils.atomic import StrPath
from ..._version import __version__
from ...errors import InputError
from ..columns import columns_from_json
from ..corpus import Corpus
from ..metadata import LabelLists, Strings, is_offsets
from ..tokenizer import Tokenizer
from .arrays import DATA, FORMAT, MANIFEST, checksum_of, iter_chunks, map_array

Arrays = dict[str, NDArray[Any]]
_CHUNK_BYTES = 1 << 22
_STRINGS = {"bytes": ("u1", 1), "offsets": ("i8", 1)}
_KINDS: dict[str, tuple[str, int]] = {  # type and dimensions, 0 for one or two
    "tokens": ("i4", 1),
    "offsets": ("i8", 1),
    "labels.values": ("i4", 1),
    "labels.offsets": ("i8", 1),
    "targets": ("f8", 0),
    "links": ("i8", 2),
    "dates": ("i8", 1),
    **{
        f"{name}.{part}": kind
        for name in ("vocabulary", "ids", "labels.names", "texts", "metadata")
        for part, kind in _STRINGS.items()
    },
}


def open_store(folder: StrPath, tokenizer: Tokenizer | None = None) -> Corpus:
    """See ``Corpus.open``; ``tokenizer`` replaces the stored one, which has lost a custom analyzer."""
    home = Path(folder)
    while True:
        manifest = _read_manifest(home)
        try:
            arrays = _open_arrays(home / manifest["data"], manifest["arrays"])
            break
        except FileNotFoundError as error:
            if _read_manifest(home) == manifest:  # otherwise another process has just stored a new corpus
                name = Path(error.filename).name
                raise InputError(f"{home} is damaged: {name} is missing", where=str(home)) from None
    settings = manifest["tokenizer"]
    try:
        return build_from_arrays(arrays, tokenizer or (None if settings is None else Tokenizer.from_dict(settings)))
    except (InputError, KeyError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise InputError(f"{home} is damaged or was edited: {reason}", where=str(home)) from None


def build_from_arrays(arrays: Arrays, tokenizer: Tokenizer | None) -> Corpus:
    """Corpus of arrays that are named as in a store."""
    return Corpus(
        arrays["tokens"],
        arrays["offsets"],
        np.array([*_strings(arrays, "vocabulary")], dtype=object),
        ids=_strings(arrays, "ids") if "ids.bytes" in arrays else None,
        labels=_labels(arrays) if "labels.values" in arrays else None,
        targets=arrays.get("targets"),
        links=arrays.get("links"),
        tokenizer=tokenizer,
        dates=arrays["dates"].view("datetime64[s]") if "dates" in arrays else None,
        texts=_strings(arrays, "texts") if "texts.bytes" in arrays else None,
        metadata=columns_from_json(_strings(arrays, "metadata")) if "metadata.bytes" in arrays else None,
    )


def _strings(arrays: Arrays, name: str) -> Strings:
    data, offsets = arrays[f"{name}.bytes"], arrays[f"{name}.offsets"]
    if not is_offsets(offsets, len(data)):
        raise InputError(f"{name}.offsets must rise from 0 to the number of bytes ({len(data)})")
    return Strings(data, offsets)


def _labels(arrays: Arrays) -> LabelLists:
    names = [*_strings(arrays, "labels.names")]
    values, offsets = arrays["labels.values"], arrays["labels.offsets"]
    if not is_offsets(offsets, len(values)):
        raise InputError(f"labels.offsets must rise from 0 to the number of labels ({len(values)})")
    if len(set(names)) != len(names):
        raise InputError("labels.names must have no entry twice")
    for chunk in iter_chunks(values):
        if chunk.min() < 0 or chunk.max() >= len(names):
            raise InputError(f"labels must be numbers from 0 to {len(names) - 1}")
    return LabelLists(names, values, offsets)


# ---------------------------------------------------------------------- files


def _read_manifest(home: Path) -> dict[str, Any]:
    """Manifest of a folder, validated before any array is opened."""
    path = home / MANIFEST
    if not path.is_file():
        reason = f"it has no {MANIFEST}" if home.is_dir() else "it is not a folder"
        raise InputError(f"{home} is not a stored corpus: {reason}", where=str(home))
    try:
        manifest = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", where=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: {error}", where=str(path)) from None
    if not isinstance(manifest, dict) or manifest.get("topicwright") != "corpus":
        raise InputError(f"{home} is not a stored corpus: {MANIFEST} is something else", where=str(path))
    if manifest.get("format") != FORMAT:
        raise InputError(
            f"{home} was stored by another version of topicwright ({str(manifest.get('library'))[:40]}), format "
            f"{str(manifest.get('format'))[:40]}; this one ({__version__}) reads format {FORMAT}",
            where=str(path),
        )
    if manifest.get("checksum") != checksum_of(manifest) or not _is_sound(manifest):
        raise InputError(f"{path} is damaged: its contents do not match their checksum", where=str(path))
    return manifest


def _is_sound(manifest: dict[str, Any]) -> bool:
    """Whether names stay in the folder, and types and shapes are those of a corpus."""
    data, arrays = manifest.get("data"), manifest.get("arrays")
    if not isinstance(data, str) or not DATA.fullmatch(data) or not isinstance(arrays, dict):
        return False
    return "tokenizer" in manifest and all(
        name in _KINDS and _fits(description, *_KINDS[name]) for name, description in arrays.items()
    )


def _fits(description: Any, dtype: str, ndim: int) -> bool:
    if not isinstance(description, dict) or set(description) != {"dtype", "shape", "crc32"}:
        return False
    shape = description["shape"]
    whole = isinstance(shape, list) and all(type(length) is int and 0 <= length < 2**48 for length in shape)
    return whole and len(shape) in ((1, 2) if ndim == 0 else (ndim,)) and description["dtype"] == np.dtype(dtype).str


def _open_arrays(data: Path, descriptions: dict[str, Any]) -> Arrays:
    return {name: _open_array(data / f"{name}.npy", description) for name, description in descriptions.items()}


def _open_array(path: Path, description: dict[str, Any]) -> NDArray[Any]:
    """Mapped array, after its checksum was verified; for that the file is read, so that memory stays free."""
    wanted = np.dtype(description["dtype"]).itemsize * int(np.prod(description["shape"], dtype=object))
    if path.exists() and not path.is_file():
        _fail(path, "it is not a file")
    try:
        with path.open("rb") as file:
            head = np.lib.format.read_magic(file), np.lib.format.read_array_header_1_0(file)
            if head != ((1, 0), (tuple(description["shape"]), False, np.dtype(description["dtype"]))):
                _fail(path, "it is not the array that was stored")
            if (left := os.fstat(file.fileno()).st_size - file.tell()) != wanted:
                _fail(path, f"its array must have {wanted:,} bytes: got {left:,}")
            checksum = 0
            while chunk := file.read(_CHUNK_BYTES):
                checksum = zlib.crc32(chunk, checksum)
        if checksum != description["crc32"]:
            _fail(path, "its contents do not match their checksum")
        return map_array(path, description)
    except FileNotFoundError:
        raise
    except (ValueError, OSError) as error:
        if isinstance(error, InputError):
            raise
        _fail(path, str(error))


def _fail(path: Path, reason: str) -> NoReturn:
    raise InputError(f"{path} is damaged or cut short: {reason}", where=str(path))

"""Damaged and hostile model files: rejected, or read without any change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import topicwright as tw
from topicwright.io import ModelFile, read_model, write_model
from topicwright.records.predictions import topic_models

from .attack import Attack, WrongResultError, locations, pick
from .targets import KINDS, empty_folder, model_file

_SIZES = [0, 1, -1, 2**31, 2**32, 2**40, 2**61, 2**63, 2**64, 1e300, None, "7", []]


class DamagedModels(Attack):
    """Bytes of a model file are flipped, cut, spliced or edited, which its checksum reveals."""

    name = "model-files"
    weight = 2.0

    def run_case(self, rng: np.random.Generator) -> None:
        path = model_file(self.folder, pick(rng, KINDS))
        damage = pick(rng, DAMAGES)
        self.description = f"{path.name}: {damage.__name__}"
        damaged = empty_folder(self.folder, self.name) / "damaged.tw"
        damaged.write_bytes(damage(path.read_bytes(), rng, self.folder))
        tw.load(damaged)
        check_same(read_model(damaged), read_model(path))


class HostileModels(Attack):
    """Well-formed model files with a changed array or number: rejected, or usable."""

    name = "hostile-models"
    weight = 2.0

    def run_case(self, rng: np.random.Generator) -> None:
        path = model_file(self.folder, pick(rng, KINDS))
        file = read_model(path)
        meta, arrays = json.loads(json.dumps(file.meta)), dict(file.arrays)
        change = pick(rng, [change_array, change_array, swap_arrays, change_number])
        self.description = f"{path.name}: {change(meta, arrays, rng)}"
        hostile = empty_folder(self.folder, self.name) / "hostile.tw"
        write_model(hostile, file.kind, meta, arrays, durable=False)
        use(tw.load(hostile), hostile)


def check_same(got: ModelFile, wanted: ModelFile) -> None:
    """Require the same contents: damage that goes unnoticed, such as a blank in the header, is harmless."""
    same = (got.kind, got.meta) == (wanted.kind, wanted.meta) and list(got.arrays) == list(wanted.arrays)
    if not same or any(got.arrays[name].tobytes() != array.tobytes() for name, array in wanted.arrays.items()):
        raise WrongResultError("a damaged file was read, with other contents")


def use(model: Any, path: Path) -> None:
    """Use a model that loads: transform, predict, resume, save and load again."""
    counts = np.ones((2, len(model.vocabulary_)), np.int64)
    for topics in topic_models(model).values():
        shares = np.asarray(topics.transform(counts))
        if not np.isfinite(shares).all() or not np.allclose(shares.sum(axis=1), 1.0):
            raise WrongResultError(f"invalid topic shares: {shares}")
        topics.top_words(3)
    if hasattr(model, "predict"):
        model.predict(counts)
    if model.__dict__.get("assignments_") is not None:
        model.resume(1)
    model.save(path.with_name("again.tw"))
    tw.load(path.with_name("again.tw"))


# ---------------------------------------------------------------------- damage to the bytes


def flip_bits(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(len(data) * 8, size=int(rng.integers(1, 10))):
        changed[place // 8] ^= 1 << int(place % 8)
    return bytes(changed)


def write_noise(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    start, noise = int(rng.integers(len(data))), rng.bytes(int(rng.integers(1, 200)))
    return data[:start] + noise + data[start + len(noise) :]


def cut(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    return data[: int(rng.integers(len(data)))]


def leave_out(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    start, end = sorted(rng.integers(len(data) + 1, size=2).tolist())
    return data[:start] + data[end:]


def lengthen(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    return data + rng.bytes(int(rng.integers(1, 300)))


def zeros(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    """As a power cut leaves a file that was never written out."""
    start, end = sorted(rng.integers(len(data) + 1, size=2).tolist())
    return data[:start] + bytes(end - start) + data[end:]


def splice(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    """The beginning of one file, the end of another."""
    other = model_file(folder, pick(rng, KINDS)).read_bytes()
    return data[: int(rng.integers(len(data)))] + other[int(rng.integers(len(other))) :]


def edit_header(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    """Sizes, types and places of arrays are others than they are."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    entry = header[pick(rng, sorted(set(header) - {"__metadata__"}))]
    key = pick(rng, ["shape", "data_offsets", "dtype"])
    if key == "dtype":
        entry[key] = pick(rng, ["I8", "U32", "F64", "F16", "BF16", "BOOL", "C64", "", 7])
    elif entry[key]:
        entry[key][int(rng.integers(len(entry[key])))] = pick(rng, _SIZES)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def edit_length(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    """The header says that it is longer or shorter than it is."""
    length = int(rng.integers(2**63)) >> int(rng.integers(63))
    return length.to_bytes(8, "little") + data[8:]


def noise_only(data: bytes, rng: np.random.Generator, folder: Path) -> bytes:
    return rng.bytes(int(rng.integers(400)))


DAMAGES = [
    flip_bits,
    write_noise,
    cut,
    leave_out,
    lengthen,
    zeros,
    splice,
    edit_header,
    edit_length,
    noise_only,
]

# ---------------------------------------------------------------------- changes with a correct checksum


def change_array(meta: Any, arrays: dict[str, Any], rng: np.random.Generator) -> str:
    """An array that is missing, shorter, shuffled, random, of another type, or has one entry that is extreme."""
    name = pick(rng, sorted(arrays))
    how = pick(rng, ["missing", "shorter", "longer", "shuffled", "random", "of another type", "extreme"])
    array = arrays.pop(name)
    if how == "shorter":
        arrays[name] = array[: int(rng.integers(len(array) + 1))]
    elif how == "longer":
        arrays[name] = np.concatenate([array, array[:1]])
    elif how == "shuffled":
        arrays[name] = rng.permutation(array)
    elif how == "random":
        arrays[name] = np.frombuffer(rng.bytes(array.nbytes), array.dtype).reshape(array.shape)
    elif how == "of another type":
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(pick(rng, ["int8", "int32", "uint64", "float32", "float64", "bool"]))
    elif how == "extreme":
        arrays[name] = _with_extreme(array, rng)
    return f"{name} is {how}"


def _with_extreme(array: Any, rng: np.random.Generator) -> Any:
    changed = array.copy()
    if changed.dtype.kind == "f":
        values: list[Any] = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 1e-300]
    elif changed.dtype.kind == "b":
        values = [True, False]
    else:
        values = [np.iinfo(changed.dtype).min, np.iinfo(changed.dtype).max, 0, 1]
    if changed.size:
        changed.flat[int(rng.integers(changed.size))] = pick(rng, values)
    return changed


def swap_arrays(meta: Any, arrays: dict[str, Any], rng: np.random.Generator) -> str:
    """Two arrays change places."""
    one, other = (pick(rng, sorted(arrays)) for _ in range(2))
    arrays[one], arrays[other] = arrays[other], arrays[one]
    return f"{one} and {other} are swapped"


def change_number(meta: Any, arrays: dict[str, Any], rng: np.random.Generator) -> str:
    """Something in the description is another, or is missing."""
    holder, key = pick(rng, locations(meta))
    values = [None, 0, -1, 1, 2**31, 2**63, 10**30, 0.5, 1e308, -1e-300, "", "x", True, [], {}, [1], "missing"]
    value = pick(rng, values)
    if value == "missing" and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = value
    return f"{key} is {value!r}"

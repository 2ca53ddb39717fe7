"""Truncated, corrupted, foreign or hostile files raise ModelFileError and never give wrong data."""

from __future__ import annotations

import io
import json
import os
import pickle
import resource
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from topicwright import InputError, ModelFileError
from topicwright import io as tio
from topicwright.io import model_file as modelfile
from topicwright.io import pack_strings, read_model, write_model

META = {"beta": 0.01, "seed": 7, "name": "naïve\\", "log_likelihood": [[1, -9.5]]}


@pytest.fixture
def intact(tmp_path: Path) -> bytes:
    path = tmp_path / "intact.tw"
    arrays = {
        "alpha": np.array([0.5, 0.25]),
        "tokens": np.arange(3, dtype=np.int32),
        **pack_strings(["ab", "é"]),
    }
    write_model(path, "lda", META, arrays)
    return path.read_bytes()


@pytest.fixture
def read_bytes(tmp_path: Path) -> Callable[[bytes], Any]:
    path = tmp_path / "model.tw"

    def read(data: bytes) -> Any:
        path.write_bytes(data)
        return read_model(path)

    return read


def container(header: Any, data: bytes = b"") -> bytes:
    """A safetensors file with any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def described(text: str, **arrays: np.ndarray) -> bytes:
    """A safetensors file with this JSON inside and a checksum that is right."""
    return save(arrays, {"topicwright": text, "checksum": modelfile._checksum(text, arrays)})


# ---------------------------------------------------------------------- damage


def test_rejects_truncated_files(intact: bytes, read_bytes: Any) -> None:
    for length in range(len(intact)):
        with pytest.raises(ModelFileError, match=r"model\.tw is (damaged|not a topicwright)"):
            read_bytes(intact[:length])


def test_rejects_trailing_bytes(intact: bytes, read_bytes: Any) -> None:
    with pytest.raises(ModelFileError, match="damaged"):
        read_bytes(intact + b"\0")


def test_flipped_bits_are_detected_or_harmless(intact: bytes, read_bytes: Any) -> None:
    wanted = read_bytes(intact)
    unnoticed = 0
    for position in range(len(intact) * 8):
        data = bytearray(intact)
        data[position // 8] ^= 1 << position % 8
        try:
            got = read_bytes(bytes(data))
        except ModelFileError:
            continue
        unnoticed += 1  # such as \u00ef written as \u00Ef
        assert (got.kind, got.meta, got.library) == (wanted.kind, wanted.meta, wanted.library)
        assert all(np.array_equal(got.arrays[name], array) for name, array in wanted.arrays.items())
    assert unnoticed <= 8


def test_a_flipped_bit_in_an_array_names_the_checksum(intact: bytes, read_bytes: Any) -> None:
    with pytest.raises(ModelFileError, match="is damaged: its contents do not match their checksum"):
        read_bytes(intact[:-1] + bytes([intact[-1] ^ 1]))


def test_edited_number_is_detected(intact: bytes, read_bytes: Any) -> None:
    assert intact.count(b"0.01") == 1
    with pytest.raises(ModelFileError, match="checksum"):
        read_bytes(intact.replace(b"0.01", b"0.91"))


def test_random_byte_changes_are_detected(intact: bytes, read_bytes: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        data = np.frombuffer(intact, dtype=np.uint8).copy()
        places = rng.integers(len(data), size=rng.integers(2, 20))
        data[places] = rng.integers(256, size=len(places))
        with pytest.raises(ModelFileError):
            read_bytes(data.tobytes())


def test_rejects_random_bytes(read_bytes: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        noise = rng.bytes(int(rng.integers(200)))
        for data in (noise, struct.pack("<Q", len(noise)) + noise, container(b"{" + noise)):
            with pytest.raises(ModelFileError):
                read_bytes(data)


# ---------------------------------------------------------------------- foreign files


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "hello")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a topicwright model file: it is empty"),
        (b"some text\n" * 20, "is not a topicwright model file"),
        (b'{"json": true}' * 9, "is not a topicwright model file"),
        (pickle.dumps({"a": 1}), "it looks like a pickle, which topicwright never opens"),
        (zipped(), "it looks like a zip archive"),
        (save({"a": np.ones(2)}), "is a safetensors file, but not a topicwright model"),
        (save({"a": np.ones(2)}, {"format": "pt"}), "is a safetensors file, but not a topicwright model"),
    ],
)
def test_files_of_other_formats_are_identified(read_bytes: Any, data: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_bytes(data)


def test_pickle_is_not_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "sprung"),)

    (tmp_path / "m").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelFileError):
        tio.load(tmp_path / "m")
    assert not (tmp_path / "sprung").exists()


def test_paths_fail_as_they_do_with_open(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "absent")
    with pytest.raises(IsADirectoryError):
        read_model(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="a device or a pipe"):
        read_model(tmp_path / "pipe")


# ---------------------------------------------------------------------- hostile files

TENSOR = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "header",
    [
        {"a": TENSOR | {"shape": [2**40], "data_offsets": [0, 2**43]}},
        {"a": TENSOR | {"shape": [2**61]}},
        {"a": TENSOR | {"shape": [2**32, 2**32]}},
        {"a": TENSOR | {"shape": [-1]}},
        {"a": TENSOR | {"data_offsets": [8, 0]}},
        {"a": TENSOR, "b": TENSOR},
        {"a": TENSOR | {"dtype": "OBJECT"}},
        {"a": TENSOR, "__metadata__": {"topicwright": 3}},
        {"a": TENSOR, "__metadata__": []},
        [],
        b'{"a":' + b"[" * 100_000,
    ],
)
def test_rejects_hostile_headers(read_bytes: Any, header: Any) -> None:
    with pytest.raises(ModelFileError):
        read_bytes(container(header, b"12345678"))


GOOD = '{"format":1,"library":"0","kind":"lda","meta":{}}'


@pytest.mark.parametrize(
    "tensor",
    [
        {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]},
        {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [1] * 100, "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]},
    ],
)
def test_rejects_arrays_that_numpy_cannot_hold(read_bytes: Any, tensor: Any) -> None:
    header = {"__metadata__": {"topicwright": GOOD, "checksum": "crc32:00000000"}, "a": tensor}
    with pytest.raises(ModelFileError, match="is damaged"):
        read_bytes(container(header, b"12345678"[: tensor["data_offsets"][1]]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"format":1,"format":1}', "a key occurs twice"),
        ('{"format":NaN}', "NaN is not a number"),
        ('{"format":-Infinity}', "-Infinity is not a number"),
        ('{"format":1e999}', "the number 1e999 is too large"),
        ('{"format":' + "9" * 10_000 + "}", "not valid JSON|newer version"),
        ("[]", "format version is missing"),
        ('"lda"', "format version is missing"),
        ("{}", "format version is missing"),
        ('{"format":true}', "format version is missing"),
        ('{"format":1.0}', "format version is missing"),
        ('{"format":0}', "format version is missing"),
        ('{"format":1,"library":"0","meta":{}}', "its 'kind' is missing or of the wrong type"),
        ('{"format":1,"library":"0","kind":["lda"],"meta":{}}', "its 'kind'"),
        ('{"format":1,"library":"0","kind":"lda","meta":[]}', "its 'meta'"),
        ('{"format":1,"library":3,"kind":"lda","meta":{}}', "its 'library'"),
    ],
)
def test_rejects_hostile_descriptions(read_bytes: Any, text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_bytes(described(text, a=np.ones(2)))


def test_newer_format_is_reported(read_bytes: Any) -> None:
    message = r"written by a newer version of topicwright \(9\.1\), format 12; this one \(.*\) reads up to 1"
    with pytest.raises(ModelFileError, match=message):
        read_bytes(described('{"format":12,"library":"9.1","other":[]}', a=np.ones(1)))


def test_rejects_missing_checksum(read_bytes: Any) -> None:
    with pytest.raises(ModelFileError, match="checksum is missing"):
        read_bytes(save({"a": np.ones(1)}, {"topicwright": GOOD}))


def test_declared_size_is_not_allocated(tmp_path: Path) -> None:
    size = 2**36  # 64 GiB, in a sparse file that is as long as it says
    header = container(
        {
            "__metadata__": {"topicwright": GOOD.replace("{}", "3"), "checksum": ""},
            "a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]},
        }
    )
    (tmp_path / "m").write_bytes(header)
    try:
        os.truncate(tmp_path / "m", len(header) + size)
    except OSError:
        pytest.skip("this file system has no sparse files of this size")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelFileError, match="'meta'"):  # met in the header, before any array
        read_model(tmp_path / "m")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


# ---------------------------------------------------------------------- load


class Recorder:
    """A model class that keeps the file it is loaded from."""

    def __init__(self, file: Any) -> None:
        self.file = file

    @classmethod
    def from_file(cls, file: Any) -> Recorder:
        if "bad" in file.fields:
            raise InputError("n_topics must be at least 1: got 0")
        return cls(file)


@pytest.fixture
def known_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tio.KINDS, "recorder", f"{__name__}:Recorder")


@pytest.mark.usefixtures("known_recorder")
def test_load_finds_the_class_by_its_kind(tmp_path: Path) -> None:
    write_model(tmp_path / "m", "recorder", {"a": 1}, {})
    model = tio.load(str(tmp_path / "m"))
    assert isinstance(model, Recorder)
    assert model.file.meta == {"a": 1}


@pytest.mark.usefixtures("known_recorder")
def test_a_model_that_refuses_the_contents_gives_a_model_file_error(tmp_path: Path) -> None:
    write_model(tmp_path / "m", "recorder", {"bad": 1}, {})
    with pytest.raises(ModelFileError, match="m is damaged or was edited: n_topics must be at least 1"):
        tio.load(tmp_path / "m")


def test_unknown_kind_error_lists_known_kinds(tmp_path: Path) -> None:
    write_model(tmp_path / "m", "hdp", {}, {})
    with pytest.raises(ModelFileError, match=r"unknown kind 'hdp'; known kinds: .*lda"):
        tio.load(tmp_path / "m")

"""Model files: round trips, and errors before writing for values that cannot be stored."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from topicwright import InputError, __version__
from topicwright.io import model_file as modelfile
from topicwright.io import pack_strings, read_model, unpack_strings, write_model

STORABLE = st.sampled_from(
    [
        "?",
        "i1",
        "u1",
        "<i2",
        ">i2",
        "<u2",
        "<i4",
        ">u4",
        "<i8",
        ">i8",
        "<u8",
        "<f2",
        "<f4",
        ">f4",
        "<f8",
        ">f8",
    ]
).map(np.dtype)
ARRAYS = hnp.arrays(STORABLE, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
NAMES = st.text(st.characters(max_codepoint=127), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


def through_a_file(meta: dict[str, Any], arrays: dict[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "model.tw"
        write_model(path, "lda", meta, arrays)
        assert [p.name for p in Path(directory).iterdir()] == ["model.tw"]
        return read_model(path)


def assert_same(got: np.ndarray, wanted: np.ndarray) -> None:
    assert got.dtype == wanted.dtype.newbyteorder("=")
    assert got.shape == wanted.shape
    assert got.tobytes() == wanted.astype(got.dtype).tobytes()  # bytes, so that NaN equals itself


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(ANY_TEXT, JSON, max_size=4), st.dictionaries(NAMES, ARRAYS, max_size=4))
def test_round_trip(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    file = through_a_file(meta, arrays)
    assert (file.kind, file.meta, file.library) == ("lda", meta, __version__)
    assert file.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_same(file.arrays[name], array)


def test_arrays_that_are_not_contiguous_keep_their_order() -> None:
    grid = np.arange(24).reshape(4, 6)
    arrays = {
        "transposed": grid.T,
        "strided": grid[::2, ::-1],
        "fortran": np.asfortranarray(grid),
        "zero_d": np.array(3),
    }
    file = through_a_file({}, arrays)
    for name, array in arrays.items():
        assert_same(file.arrays[name], array)


def test_loaded_arrays_are_writable() -> None:
    file = through_a_file({}, {"counts": np.arange(3, dtype=np.uint32)})
    file.arrays["counts"] += 1
    assert file.arrays["counts"].tolist() == [1, 2, 3]


def test_other_tools_read_the_file_as_safetensors(tmp_path: Path) -> None:
    write_model(
        tmp_path / "m",
        "lda",
        {"a": 1},
        {"x": np.eye(2), "flags": np.array([True, False]), "e": np.empty((0, 2))},
    )
    arrays = load_file(tmp_path / "m")
    assert arrays["x"].tolist() == [[1, 0], [0, 1]]
    assert arrays["flags"].tolist() == [True, False]
    assert arrays["e"].shape == (0, 2)


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_model(tmp_path / name, "lda", {"beta": 0.1}, {"y": np.ones(3), "x": np.zeros(2, np.int8)})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_numpy_scalars_and_tuples_become_plain() -> None:
    meta = {"k": np.int64(3), "beta": np.float32(0.5), "on": np.bool_(True), "pair": (1, (2, 3))}
    assert through_a_file(meta, {}).meta == {"k": 3, "beta": 0.5, "on": True, "pair": [1, [2, 3]]}


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"beta": float("nan")}, r"meta\['beta'\] must be a finite number"),
        ({"a": [1.0, np.float64("inf")]}, r"meta\['a'\]\[1\] must be a finite number"),
        ({1: "a"}, r"keys of meta must be strings.*got 1"),
        ({"a": {"b": object()}}, r"meta\['a'\]\['b'\] must be text.*got object"),
        ({"a": np.ones(2)}, "got ndarray"),
    ],
)
def test_rejects_metadata_that_is_not_json(tmp_path: Path, meta: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_model(tmp_path / "m", "lda", meta, {})
    assert not list(tmp_path.iterdir())


def test_rejects_oversized_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modelfile, "_HEADER_LIMIT", 1000)
    with pytest.raises(InputError, match=r"meta must have at most 1,000 bytes.*pack_strings"):
        write_model(tmp_path / "m", "lda", {"long": "x" * 1000}, {})


def test_rejects_recursive_metadata(tmp_path: Path) -> None:
    meta: dict[str, Any] = {}
    meta["again"] = meta
    with pytest.raises(InputError, match="nested too deeply"):
        write_model(tmp_path / "m", "lda", meta, {})


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.array(["a"], dtype=object)}, "array 'words' must be of .*: got object"),
        ({"words": np.array(["a"])}, "got <U1"),
        ({"z": np.ones(1, dtype=np.complex128)}, "got complex128"),
        ({"__metadata__": np.ones(1)}, "must be named in ASCII, and not '__metadata__'"),
        ({1: np.ones(1)}, "must be named in ASCII.*: got 1"),
        ({"é": np.ones(1)}, "must be named in ASCII.*: got 'é'"),
    ],
)
def test_rejects_arrays_that_cannot_be_stored(tmp_path: Path, arrays: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_model(tmp_path / "m", "lda", {}, arrays)
    assert not list(tmp_path.iterdir())


def test_rejects_kind_and_metadata_of_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kind must be a string and meta a dict: got int, list"):
        write_model(tmp_path / "m", 3, [], {})  # type: ignore[arg-type]


@given(st.lists(ANY_TEXT))
def test_packed_strings_round_trip(strings: list[str]) -> None:
    assert unpack_strings(pack_strings(strings)) == strings


def test_large_vocabulary_is_fast_and_keeps_the_header_small(tmp_path: Path) -> None:
    words = [f"wörd {i}" for i in range(300_000)]
    write_model(tmp_path / "m", "lda", {}, pack_strings(words, "vocabulary"))
    assert int.from_bytes((tmp_path / "m").read_bytes()[:8], "little") < 1000
    assert read_model(tmp_path / "m").fields.strings("vocabulary") == words


def test_only_strings_are_packed() -> None:
    with pytest.raises(InputError, match="ids must be strings"):
        pack_strings(["a", 3], "ids")  # type: ignore[list-item]

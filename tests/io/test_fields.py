"""Files with a valid checksum and invalid contents: every field is validated when read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topicwright import ModelFileError
from topicwright.corpus.metadata import is_offsets
from topicwright.io import ModelFields, ModelFile, pack_strings, read_model, unpack_strings, write_model

META = {
    "beta": 0.5,
    "k": 3,
    "huge": 10**400,
    "name": "lda",
    "on": True,
    "nothing": None,
    "log": [[1, -2.5], [2, -2]],
    "parameters": {"alpha": "x"},
}
ARRAYS = {
    "alpha": np.array([0.1, 0.2]),
    "odd": np.array([1.0, np.nan]),
    "ids": np.array([[0, 5], [2, 1]], dtype=np.uint32),
    "ends": np.array([0, 2, 2, 5]),
    "none": np.empty(0),
    **pack_strings(["b", "a", "b"], "words"),
    **pack_strings(['{"a": [1]}'], "json"),
    **pack_strings(["{"], "bad_json"),
}


@pytest.fixture
def fields() -> ModelFields:
    return ModelFile("m.tw", "lda", META, ARRAYS).fields


def test_valid_fields_are_returned(fields: ModelFields) -> None:
    assert fields.number("beta", minimum=0.5, maximum=0.5, above=0) == 0.5
    assert isinstance(fields.number("k"), float)
    assert fields.integer("k", minimum=3, maximum=3) == 3
    assert fields.text("name", choices=("lda", "llda")) == "lda"
    assert fields.flag("on") is True
    assert fields.value("nothing") is None
    assert fields.rows("log", int, float) == [(1, -2.5), (2, -2.0)]
    assert fields.array("ids", np.uint32, shape=(None, 2), maximum=5).shape == (2, 2)
    assert np.isnan(fields.array("odd", np.float64, finite=False, minimum=1, maximum=1)[1])
    assert fields.array("none", np.float64, ndim=1, minimum=3).size == 0
    assert fields.offsets("ends", 5, count=3).tolist() == [0, 2, 2, 5]
    assert fields.strings("words", count=3) == ["b", "a", "b"]
    assert fields.json("json") == {"a": [1]}


def test_a_field_that_is_null_or_absent_is_not_contained(fields: ModelFields) -> None:
    assert [name in fields for name in ("beta", "alpha", "words", "nothing", "absent")] == [True] * 3 + [False] * 2


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (lambda f: f.number("absent"), "'absent' is missing"),
        (lambda f: f.number("on"), "'on' must be a number: got True"),
        (lambda f: f.number("huge"), r"'huge' must be a number: got 1000.*\.\.\."),
        (lambda f: f.number("beta", minimum=1), "'beta' must be at least 1: got 0.5"),
        (lambda f: f.number("beta", maximum=0), "'beta' must be at most 0: got 0.5"),
        (lambda f: f.number("beta", above=0.5), "'beta' must be above 0.5: got 0.5"),
        (lambda f: f.integer("beta"), "'beta' must be a whole number: got 0.5"),
        (lambda f: f.integer("on"), "'on' must be a whole number: got True"),
        (lambda f: f.integer("k", maximum=2), "'k' must be at most 2: got 3"),
        (lambda f: f.text("k"), "'k' must be text: got 3"),
        (lambda f: f.text("name", choices=["a", "b"]), "'name' must be one of a, b: got 'lda'"),
        (lambda f: f.flag("k"), "'k' must be true or false: got 3"),
        (lambda f: f.rows("name", int), "'name' must be a list: got 'lda'"),
        (lambda f: f.rows("log", int, int), r"'log' must be a list of rows of \(int, int\)"),
        (lambda f: f.rows("log", int), r"'log' must be a list of rows of \(int\)"),
        (lambda f: f.section("k"), "'k' must be an object: got 3"),
        (lambda f: f.section("parameters").number("alpha"), "'parameters.alpha' must be a number: got 'x'"),
        (lambda f: f.array("absent", np.int32), "'absent' must be an array: it is missing"),
        (lambda f: f.array("alpha", np.float32), "'alpha' must be an array of float32: got float64"),
        (lambda f: f.array("alpha", np.float64, ndim=2), r"'alpha' must have 2 dimensions: got shape \(2,\)"),
        (lambda f: f.array("alpha", np.float64, shape=(3,)), r"'alpha' must have shape \(3,\): got \(2,\)"),
        (lambda f: f.array("ids", np.uint32, shape=(None,)), "'ids' must have shape"),
        (lambda f: f.array("odd", np.float64), "'odd' must be finite"),
        (lambda f: f.array("odd", np.float64, finite=False, minimum=2), "'odd' must be at least 2: got 1.0"),
        (lambda f: f.array("ids", np.uint32, maximum=4), "'ids' must be at most 4: got 5"),
        (lambda f: f.array("alpha", np.float64, above=0.1), "'alpha' must be above 0.1: got 0.1"),
        (lambda f: f.offsets("ends", 6), "'ends' must rise from 0 to 6"),
        (lambda f: f.offsets("ends", 5, count=4), r"'ends' must have shape \(5,\)"),
        (lambda f: f.strings("words", count=2), "'words' must have 2 entries: got 3"),
        (lambda f: f.strings("words", unique=True), "'words' must have no entry twice"),
        (lambda f: f.strings("absent"), "'absent' must be stored as .*: one is missing"),
        (lambda f: f.json("words"), "'words' must have 1 entries: got 3"),
        (lambda f: f.json("bad_json"), "'bad_json' must be valid JSON"),
    ],
)
def test_errors_name_the_problem(fields: ModelFields, take: Callable[[ModelFields], Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=f"^m.tw is damaged or was edited: {message}"):
        take(fields)


# Each step is positive in int64 arithmetic, which wraps around once on the way.
AROUND = [0, 2**62, 2**63 - 1, -(2**63), -(2**62), 0, 3]


@pytest.mark.parametrize(
    ("data", "offsets", "message"),
    [
        (b"abc", [0, 2, 1, 3], "must rise from 0 to the number of bytes"),
        (b"abc", [0, 2], "must rise"),
        (b"abc", [1, 3], "must rise"),
        (b"abc", [0, 4], "must rise"),
        (b"abc", [], "must rise"),
        (b"abc", [-1, 3], "must rise"),
        (b"abc", AROUND, "must rise"),
        (b"abc", [[0, 3]], "must rise"),
        ("é".encode(), [0, 1, 2], "must be UTF-8"),
        (b"\xff", [0, 1], "must be UTF-8"),
    ],
)
def test_rejects_hostile_strings(tmp_path: Path, data: bytes, offsets: Any, message: str) -> None:
    arrays: dict[str, Any] = {
        "s.bytes": np.frombuffer(data, np.uint8),
        "s.offsets": np.array(offsets, dtype=np.int64),
    }
    write_model(tmp_path / "m", "lda", {}, arrays)
    with pytest.raises(ModelFileError, match=message):
        read_model(tmp_path / "m").fields.strings("s")


def test_rejects_packed_strings_of_another_type() -> None:
    packed = pack_strings(["a"])
    for name, array in packed.items():
        with pytest.raises(ModelFileError, match="uint8 bytes and int64 offsets"):
            unpack_strings(packed | {name: array.astype(np.float32)})


def test_offsets_are_compared_and_not_subtracted() -> None:
    around = np.array(AROUND)
    assert np.all(np.diff(around) >= 0)
    assert not is_offsets(around, 3)

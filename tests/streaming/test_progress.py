"""Read progress in the model file: optional, round trips, and validated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import ModelFileError
from topicwright.io import read_model, write_model
from topicwright.models.online.state import ReadProgress, SourcePosition

KIND = "online-labeled-lda"


def saved(path: Path) -> tw.OnlineLabeledLDA:
    model = tw.OnlineLabeledLDA(n_particles=2).fit(["ship sea", "bread"], [["sea"], ["kitchen"]])
    model.stream_.progress = ReadProgress(
        (SourcePosition("a.jsonl", 3, 90, "12ab", "34cd", 30), SourcePosition("-")), 1
    )
    model.stream_.monitor_state = {"counts": np.arange(6).reshape(2, 3), "names.bytes": np.zeros(0, np.uint8)}
    model.save(path)
    return model


def test_progress_round_trip(tmp_path: Path) -> None:
    model = saved(tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    assert loaded.stream_.progress == model.stream_.progress
    assert {name: part.tolist() for name, part in loaded.stream_.monitor_state.items()} == {
        "counts": [[0, 1, 2], [3, 4, 5]],
        "names.bytes": [],
    }
    loaded.save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "m.tw").read_bytes()
    assert loaded.fit(["ship"], [["sea"]]).stream_.progress == ReadProgress()


def test_file_without_progress(tmp_path: Path) -> None:
    tw.OnlineLabeledLDA(n_particles=2).fit(["ship"], [["sea"]]).save(tmp_path / "m.tw")
    assert "reading" not in read_model(tmp_path / "m.tw").meta
    assert tw.load(tmp_path / "m.tw").stream_.progress == ReadProgress()


HOSTILE: dict[str, Callable[[Any], Any]] = {
    "no object": lambda reading: [1],
    "no places": lambda reading: {"bad_lines": 1},
    "no list": lambda reading: {**reading, "places": {"name": "a"}},
    "short row": lambda reading: {**reading, "places": [["a", 3]]},
    "number for a name": lambda reading: {**reading, "places": [[1, 3, 90, "x", "y", 30]]},
    "text for a number": lambda reading: {**reading, "places": [["a", "3", 90, "x", "y", 30]]},
    "negative": lambda reading: {**reading, "places": [["a", -3, 90, "x", "y", 30]]},
    "more lines than bytes": lambda reading: {**reading, "places": [["a", 91, 90, "x", "y", 30]]},
    "line longer than all": lambda reading: {**reading, "places": [["a", 3, 90, "x", "y", 91]]},
    "huge": lambda reading: {**reading, "places": [["a", 3, 2**70, "x", "y", 30]]},
    "bad lines": lambda reading: {**reading, "bad_lines": -1},
    "no number of bad lines": lambda reading: {**reading, "bad_lines": "many"},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_rejects_invalid_contents(what: str, tmp_path: Path) -> None:
    saved(tmp_path / "m.tw")
    file = read_model(tmp_path / "m.tw")
    meta = {**file.meta, "reading": HOSTILE[what](file.meta["reading"])}
    write_model(tmp_path / "m.tw", KIND, meta, file.arrays)
    with pytest.raises(ModelFileError, match=r"m\.tw is damaged or was edited: 'reading"):
        tw.load(tmp_path / "m.tw")

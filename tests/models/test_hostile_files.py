"""Model files that are well formed, checksum and all, but hold nonsense: one clear error, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import ModelFileError
from topicwright.io import read_model, write_model

Parts = tuple[dict[str, Any], dict[str, np.ndarray]]


@pytest.fixture(scope="module", params=[True, False], ids=["with corpus", "without"])
def parts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Parts:
    path = tmp_path_factory.mktemp("models") / "model.tw"
    tw.LDA(n_topics=3, n_sweeps=2).fit(texts).save(path, include_corpus=request.param)
    file = read_model(path)
    return dict(file.meta), dict(file.arrays)


def set_array(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: arrays.update({name: np.asarray(value)}) if name in arrays else pytest.skip("not there")


WRONG = {
    "a topic that does not exist": set_array("assignments", np.full(720, 3, np.uint32)),
    "too few assignments": set_array("assignments", np.zeros(5, np.uint32)),
    "assignments of another type": set_array("assignments", np.zeros(720, np.int64)),
    "a negative alpha": set_array("alpha", np.array([0.1, -1.0, 0.1])),
    "an infinite alpha": set_array("alpha", np.array([0.1, np.inf, 0.1])),
    "an alpha beyond all sums": set_array("alpha", np.array([1e307, 0.1, 0.1])),
    "an alpha that is all but zero": set_array("alpha", np.array([1e-222, 0.1, 0.1])),
    "alpha for another number of topics": set_array("alpha", np.full(4, 0.1)),
    "a beta of zero": set_array("beta", np.zeros(1)),
    "beta for some of the words": set_array("beta", np.full(5, 0.1)),
    "offsets that fall": set_array("offsets", np.array([0, 700, 12, 720])),
    "a word that does not exist": set_array("tokens", np.full(720, 99, np.int32)),
    "negative counts": set_array("counts.values", np.full(3, -1)),
    "counts of words that do not exist": set_array("counts.words", np.full(3, 77, np.int32)),
    "counts of no topic": set_array("counts.offsets", np.array([0])),
    "a million million topics": lambda meta, arrays: meta["parameters"].update(n_topics=10**12),
    "no topics": lambda meta, arrays: meta["parameters"].update(n_topics=0),
    "a fraction of a sweep": lambda meta, arrays: meta.update(sweeps=1.5),
    "a curve of words": lambda meta, arrays: meta.update(log_likelihood=[["one", "two"]]),
    "no seed": lambda meta, arrays: meta.pop("seed"),
    "no parameters": lambda meta, arrays: meta.pop("parameters"),
}


@pytest.mark.parametrize("name", WRONG)
def test_nonsense_is_refused(parts: Parts, tmp_path: Path, name: str) -> None:
    meta, arrays = {**parts[0], "parameters": dict(parts[0]["parameters"])}, dict(parts[1])
    WRONG[name](meta, arrays)
    write_model(tmp_path / "wrong.tw", "lda", meta, arrays)
    with pytest.raises(ModelFileError):
        tw.load(tmp_path / "wrong.tw")


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_array_may_be_missing_or_changed(parts: Parts, tmp_path: Path, data: st.DataObject) -> None:
    """What loads can be used; what can't be used does not load."""
    arrays = dict(parts[1])
    name = data.draw(st.sampled_from(sorted(arrays)))
    kind = data.draw(st.sampled_from(["missing", "shorter", "shuffled", "random"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    original = arrays.pop(name)
    if kind == "shorter":
        arrays[name] = original[: len(original) // 2]
    elif kind == "shuffled":
        arrays[name] = rng.permutation(original)
    elif kind == "random":
        arrays[name] = rng.integers(0, 256, original.nbytes, dtype=np.uint8).view(original.dtype)
    write_model(tmp_path / "changed.tw", "lda", parts[0], arrays)
    try:
        model = tw.load(tmp_path / "changed.tw")
    except ModelFileError:
        return
    model.transform(np.ones((2, len(model.vocabulary_)), np.int64))
    model.top_words(3)
    if model.assignments_ is not None:
        model.resume(1)

"""Well-formed model files with a valid checksum and invalid contents raise ModelFileError."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import ModelFileError
from topicwright.io import pack_strings, read_model, unpack_strings, write_model

Parts = tuple[dict[str, Any], dict[str, np.ndarray]]


KNOWLEDGE = [
    tw.MustLinks([("ship", "wave")]),
    tw.SeedWords({"kitchen": ["bread", "oven"], 2: ["law", "bread"]}),
    tw.DocumentLabels({0: "sea"}),
]


@pytest.fixture(scope="module", params=[True, False], ids=["with corpus", "without"])
def parts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Parts:
    return parts_of(tmp_path_factory, texts, request.param, [])


@pytest.fixture(scope="module")
def with_knowledge(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Parts:
    """A model with knowledge."""
    return parts_of(tmp_path_factory, texts, True, KNOWLEDGE)


@pytest.fixture(scope="module")
def compact(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> Parts:
    """A model with knowledge and without its corpus."""
    return parts_of(tmp_path_factory, texts, False, KNOWLEDGE)


def parts_of(folders: pytest.TempPathFactory, texts: list[str], has_corpus: bool, knowledge: list[Any]) -> Parts:
    path = folders.mktemp("models") / "model.tw"
    tw.LDA(n_topics=3, n_sweeps=2, knowledge=knowledge).fit(texts).save(path, include_corpus=has_corpus)
    file = read_model(path)
    return dict(file.meta), dict(file.arrays)


def set_array(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: arrays.update({name: np.asarray(value)}) if name in arrays else pytest.skip("not there")


def set_knowledge(**changes: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    def change(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        (text,) = unpack_strings(arrays, "knowledge")
        arrays.update(pack_strings([json.dumps({**json.loads(text), **changes})], "knowledge"))

    return change


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

WRONG_KNOWLEDGE = {
    "knowledge of no kind": set_knowledge(kinds=[{"must-link": []}]),
    "knowledge that is a number": set_knowledge(kinds=7),
    "knowledge that is a list of numbers": set_knowledge(kinds=[7]),
    "a link of one word": set_knowledge(kinds=[{"must-links": [["ship"]]}]),
    "a link that is infinitely strong": set_knowledge(kinds=[{"must-links": [["ship", "wave", 0]]}]),
    "something else in knowledge": set_knowledge(more=1),
    "a name for a topic that does not exist": set_knowledge(topics={"kitchen": 3}),
    "a name for no topic": set_knowledge(topics={"kitchen": -1}),
    "one topic for two names": set_knowledge(topics={"kitchen": 0, "sea": 0}),
    "topics that are no numbers": set_knowledge(topics={"kitchen": "0"}),
    "topics that are a list": set_knowledge(topics=["kitchen"]),
}

WRONG_SEEDS = {
    "negative words of seeds": set_array("seeds.words", np.array([-1, 1, 2, 3], np.int32)),
    "words of seeds that do not exist": set_array("seeds.words", np.array([0, 1, 2, 99], np.int32)),
    "words of seeds in disorder": set_array("seeds.words", np.array([3, 2, 1, 0], np.int32)),
    "a seed twice": set_array("seeds.words", np.array([1, 1, 1, 1], np.int32)),
    "too few words of seeds": set_array("seeds.words", np.array([0, 1], np.int32)),
    "topics of seeds that do not exist": set_array("seeds.topics", np.array([0, 1, 2, 3], np.uint32)),
    "topics of seeds of another type": set_array("seeds.topics", np.array([0, 1, 2, 0])),
    "seeds that weigh nothing": set_array("seeds.extra", np.zeros(4)),
    "seeds that weigh less than nothing": set_array("seeds.extra", np.array([1.0, 1.0, 1.0, -1.0])),
    "seeds that weigh NaN": set_array("seeds.extra", np.array([1.0, 1.0, 1.0, np.nan])),
    "seeds beyond all sums": set_array("seeds.extra", np.full(4, 1e308)),
    "too many weights of seeds": set_array("seeds.extra", np.ones(5)),
}

# These are read only beside the documents that they speak of.
WRONG_BESIDE_A_CORPUS = {
    "labels of documents that do not exist": set_knowledge(kinds=[{"document-labels": {"labels": {"nobody": "sea"}}}]),
    "labels of too few documents": set_knowledge(kinds=[{"document-labels": ["sea"]}]),
    "more labels than topics": set_knowledge(kinds=[{"seeds": {"a": ["ship"], "b": ["ship"], "c": ["ship"]}}]),
    "links of the corpus where it has none": set_knowledge(kinds=[{"document-links": True}]),
    "a million background topics": set_knowledge(
        kinds=[{"document-labels": {"labels": ["a"] * 60, "background": 10**6}}]
    ),
    "a sentence that is not there": set_knowledge(kinds=[{"sentence-labels": [[0, [0, 999], "sea"]]}]),
    "a pair that is linked both ways": set_knowledge(
        kinds=[{"must-links": [["ship", "wave"]], "cannot-links": [["ship", "wave"]]}]
    ),
}


def damaged(arrays: dict[str, np.ndarray], data: st.DataObject) -> dict[str, np.ndarray]:
    """One array is missing, or holds something else."""
    arrays = dict(arrays)
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
        arrays[name] = arrays[name].reshape(original.shape)
    return arrays


def is_refused(parts: Parts, folder: Path, change: Callable[[dict[str, Any], dict[str, np.ndarray]], None]) -> None:
    meta, arrays = {**parts[0], "parameters": dict(parts[0]["parameters"])}, dict(parts[1])
    change(meta, arrays)
    write_model(folder / "wrong.tw", "lda", meta, arrays)
    with pytest.raises(ModelFileError):
        tw.load(folder / "wrong.tw")


@pytest.mark.parametrize("name", WRONG)
def test_rejects_invalid_contents(parts: Parts, tmp_path: Path, name: str) -> None:
    is_refused(parts, tmp_path, WRONG[name])


@pytest.mark.parametrize("name", WRONG_KNOWLEDGE)
def test_rejects_invalid_knowledge(with_knowledge: Parts, compact: Parts, tmp_path: Path, name: str) -> None:
    is_refused(with_knowledge, tmp_path, WRONG_KNOWLEDGE[name])
    is_refused(compact, tmp_path, WRONG_KNOWLEDGE[name])


@pytest.mark.parametrize("name", WRONG_SEEDS)
def test_rejects_invalid_seeds(compact: Parts, tmp_path: Path, name: str) -> None:
    is_refused(compact, tmp_path, WRONG_SEEDS[name])


@pytest.mark.parametrize("name", WRONG_BESIDE_A_CORPUS)
def test_rejects_knowledge_of_another_corpus(with_knowledge: Parts, tmp_path: Path, name: str) -> None:
    is_refused(with_knowledge, tmp_path, WRONG_BESIDE_A_CORPUS[name])


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_missing_or_changed_arrays_are_an_error_or_harmless(
    parts: Parts, with_knowledge: Parts, compact: Parts, tmp_path: Path, data: st.DataObject
) -> None:
    """A model that loads is usable."""
    meta, arrays = data.draw(st.sampled_from([parts, with_knowledge, compact]))
    write_model(tmp_path / "changed.tw", "lda", meta, damaged(arrays, data))
    try:
        model = tw.load(tmp_path / "changed.tw")
    except ModelFileError:
        return
    model.transform(np.ones((2, len(model.vocabulary_)), np.int64))
    model.top_words(3)
    str(model.knowledge_report(before=False))
    if model.assignments_ is not None:
        model.resume(1)

"""OnlineLabeledLDA in model files: identical continuation, and errors for invalid contents."""

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
from topicwright.io import pack_strings, read_model, write_model

from ..test_persistence import Parts
from .test_model import KINDS, state_of, stream_of

KIND = "online-labeled-lda"
TEXTS, LABELS = stream_of(60, without=0.2)


def saved(model: tw.OnlineLabeledLDA, folder: Path) -> tw.OnlineLabeledLDA:
    model.save(folder / "m.tw")
    loaded = tw.load(folder / "m.tw")
    assert isinstance(loaded, tw.OnlineLabeledLDA)
    return loaded


@pytest.mark.parametrize("kind", KINDS)
def test_loaded_stream_continues_identically(kind: str, tmp_path: Path) -> None:
    whole = tw.OnlineLabeledLDA(**KINDS[kind]).fit(TEXTS, LABELS)
    half = tw.OnlineLabeledLDA(**KINDS[kind]).fit(TEXTS[:31], LABELS[:31])
    loaded = saved(half, tmp_path)
    assert state_of(loaded) == state_of(half)
    new = ["ship law salt", "bread bread"]
    np.testing.assert_array_equal(loaded.predict_proba(new), half.predict_proba(new))
    assert loaded.predict(new) == half.predict(new)
    for text, own in zip(TEXTS[31:], LABELS[31:]):
        loaded = saved(loaded, tmp_path) if len(text) % 7 == 0 else loaded
        loaded.partial_fit([text], [own])
    half.partial_fit(TEXTS[31:], LABELS[31:])
    assert state_of(loaded) == state_of(half) == state_of(whole)
    np.testing.assert_array_equal(loaded.predict_proba(new), whole.predict_proba(new))
    assert loaded.threshold_ == whole.threshold_
    assert loaded.running_perplexity_ == whole.running_perplexity_


def test_other_saved_attributes(tmp_path: Path) -> None:
    seeds = tw.SeedWords({"sea": ["port"]})
    tokenizer = tw.Tokenizer(stop_words=["the"])
    model = tw.OnlineLabeledLDA(tokenizer=tokenizer, knowledge=[seeds], threshold=0.3, label_prior="flat", alpha=0.2)
    model.fit(["the ship", "port"], ["sea", "sea"])
    loaded = saved(model.set_params(n_particles=3), tmp_path)  # which waits for the next stream
    assert loaded.n_particles == 8
    assert (loaded.threshold, loaded.label_prior, loaded.alpha) == (0.3, "flat", 0.2)
    assert repr(loaded.knowledge) == repr([seeds])
    assert loaded.tokenizer("the ship") == ["ship"]
    assert state_of(loaded.fit(["the ship", "port"], ["sea", "sea"])) == state_of(model.set_params(n_particles=8))


def test_large_n_jobs_round_trip(tmp_path: Path) -> None:
    assert saved(tw.OnlineLabeledLDA(n_jobs=10**6).fit(TEXTS, LABELS), tmp_path).n_jobs == 10**6


def test_numeric_labels(tmp_path: Path) -> None:
    model = tw.OnlineLabeledLDA().fit(["ship", "law"], [[3], [1, 3]])
    assert saved(model, tmp_path).classes_.tolist() == [3, 1]


# ---------------------------------------------------------------------- hostile files


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    path = tmp_path_factory.mktemp("models") / "m.tw"
    tw.OnlineLabeledLDA(n_particles=2, reservoir=200).fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    return dict(file.meta), dict(file.arrays)


def first(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """Another first entry."""

    def change(meta: dict[str, Any], arrays: dict[str, Any]) -> None:
        array = arrays[name].copy()
        array.flat[0] = value
        arrays[name] = array

    return change


def parameter(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda meta, arrays: meta.update(parameters={**meta["parameters"], name: value})


HOSTILE: dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]] = {
    "pair's label": first("stream.pairs.labels", 99),
    "pair's word": first("stream.pairs.words", 2**31),
    "pair twice": lambda m, a: a.update(
        {n: np.repeat(a[n][:1], len(a[n]), 0) for n in list(a) if n[:13] == "stream.pairs."}
    ),
    "no counts": first("stream.pairs.counts", 0),
    "negative count": first("stream.pairs.counts", -5),
    "totals": first("stream.totals", 1e9),
    "totals NaN": first("stream.totals", np.nan),
    "alpha": first("stream.alpha", 7.0),
    "seen words": first("stream.words", 5),
    "weights": first("stream.weights", 0.3),
    "increment": first("stream.numbers", 1e300),
    "counters": first("stream.counters", 2**64 - 1),
    "reservoir's word": first("stream.reservoir.words", 10**6),
    "reservoir's label": first("stream.reservoir.labels", 10**6),
    "choice": first("stream.reservoir.choices", 60_000),
    "in_doc": first("stream.reservoir.in_doc", 1000),
    "first token": first("stream.reservoir.first_token", 3),
    "first label": first("stream.reservoir.first_label", 2**63),
    "size": first("stream.reservoir.size", 10**9),
    "increments": first("stream.reservoir.increments", 1e9),
    "bound": first("stream.reservoir.bound", 0.0),
    "dtype": lambda m, a: a.update({"stream.pairs.counts": a["stream.pairs.counts"].astype(np.float64)}),
    "classes": lambda m, a: a.update(pack_strings(['["a", "a", "b"]'], "classes")),
    "more classes": lambda m, a: a.update(pack_strings(['["a", "b", "c", "d"]'], "classes")),
    "no classes": lambda m, a: a.update(pack_strings(["[]"], "classes")),
    "vocabulary": lambda m, a: a.update(pack_strings(["ship"], "vocabulary")),
    "knowledge": lambda m, a: a.update(pack_strings(['{"must_links": [["a", "b"]]}'], "knowledge")),
    "tokenizer": lambda m, a: a.update(pack_strings(['{"lowercase": 3}'], "tokenizer")),
    "regression's weight": first("regression.weights", np.nan),
    "regression's labels": first("regression.numbers", -1),
    "regression's frequency": first("regression.frequencies", 10**6),
    "no intercepts": lambda m, a: a.pop("regression.intercepts"),
    "recent token": first("recent.tokens", -1),
    "recent label": first("recent.labels", 99),
    "recent offsets": first("recent.offsets", 4),
    "label counts": first("label_counts", -1),
    "n_particles": parameter("n_particles", 3),
    "many particles": parameter("n_particles", 10**400),
    "huge alpha": parameter("alpha", 10**400),
    "text for beta": parameter("beta", "0.1"),
    "forgetting": parameter("forgetting", 0.0),
    "window": parameter("window", 10**12),
    "threshold": lambda m, a: m.update(threshold=10**400),
    "seed": lambda m, a: m.update(seed=-1),
    "jobs": lambda m, a: m.update(n_jobs=0),
    "form": lambda m, a: m.update(form="matrix"),
    "field": lambda m, a: m.update(field=["tags"]),
    "fractions": lambda m, a: m.update(has_fractions=True),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_rejects_invalid_contents(what: str, parts: Parts, tmp_path: Path) -> None:
    meta, arrays = dict(parts[0]), dict(parts[1])
    HOSTILE[what](meta, arrays)
    write_model(tmp_path / "m.tw", KIND, meta, arrays)
    with pytest.raises(ModelFileError, match=r"m\.tw is damaged"):
        tw.load(tmp_path / "m.tw")


def test_every_array_is_required(parts: Parts, tmp_path: Path) -> None:
    optional = {"tokenizer.bytes", "tokenizer.offsets", "field", "regression"}  # the last: as in earlier versions
    for number, missing in enumerate([*parts[0], *parts[1]]):
        meta = {name: value for name, value in parts[0].items() if name != missing}
        arrays = {name: value for name, value in parts[1].items() if name != missing}
        write_model(tmp_path / "m.tw", KIND, meta, arrays)
        if missing not in optional:
            with pytest.raises(ModelFileError):
                tw.load(tmp_path / "m.tw")
        assert number < 60


@pytest.mark.filterwarnings("ignore::topicwright.errors.UnknownWordsWarning")  # the vocabulary may be changed too
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_arrays_are_an_error_or_harmless(data: st.DataObject, parts: Parts, tmp_path: Path) -> None:
    meta, arrays = dict(parts[0]), dict(parts[1])
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name].copy()
    if array.size:
        place = data.draw(st.integers(0, array.size - 1))
        value = data.draw(st.sampled_from([0, 1, 2, 3, 7, 255]) | st.just(array.flat[-1]))
        array.flat[place] = np.array(value).astype(array.dtype)
    arrays[name] = array
    write_model(tmp_path / "m.tw", KIND, meta, arrays)
    try:
        model = tw.load(tmp_path / "m.tw")
    except ModelFileError:
        return
    model.partial_fit(TEXTS[:20], LABELS[:20])
    assert np.isfinite(model.predict_proba(["ship law salt bread"])).all()

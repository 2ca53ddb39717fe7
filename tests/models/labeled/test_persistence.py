"""LabeledLDA in model files: round trips, and errors for invalid contents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import topicwright as tw
from topicwright.errors import InputError, ModelFileError
from topicwright.io import pack_strings, read_model, write_model

from ..test_persistence import Parts, damaged, set_array, set_knowledge
from .documents import LABELS, NAMES, TEXTS

KIND = "labeled-lda"
NEW = ["ship law oven", "bread salt", "wave"]


def new_model(**options: Any) -> tw.LabeledLDA:
    return tw.LabeledLDA(**{"n_sweeps": 6, "n_background_topics": 1, "evaluate_every": 3, **options})


def saved(model: tw.LabeledLDA, folder: Path, **options: Any) -> tw.LabeledLDA:
    model.save(folder / "m.tw", **options)
    loaded = tw.load(folder / "m.tw")
    assert isinstance(loaded, tw.LabeledLDA)
    return loaded


FORMS: dict[str, Any] = {
    "lists": [*LABELS[:-2], None, []],
    "classes": [labels[0] for labels in LABELS],
    "numbers": [len(labels) for labels in LABELS],
    "indicator": np.array([[name in labels for name in NAMES] for labels in LABELS], dtype=int),
}


@pytest.mark.parametrize("form", FORMS)
def test_loaded_model_equals_saved_model(form: str, tmp_path: Path) -> None:
    knowledge = [tw.CannotLinks([("law", "oven")]), tw.SeedWords({0: ["law"]})]
    model = new_model(knowledge=knowledge).fit(TEXTS, FORMS[form])
    for has_corpus in (True, False):
        loaded = saved(model, tmp_path, include_corpus=has_corpus)
        assert loaded.classes_.tolist() == model.classes_.tolist()
        assert loaded.topic_names_ == model.topic_names_
        np.testing.assert_array_equal(loaded.label_word_, model.label_word_)
        np.testing.assert_array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))
        assert list(map(str, loaded.predict(NEW))) == list(map(str, model.predict(NEW)))
        assert loaded.perplexity(NEW, model.predict(NEW)) == model.perplexity(NEW, model.predict(NEW))
        assert loaded.log_likelihood_ == model.log_likelihood_
        assert loaded.attribute(NEW[0]).words == model.attribute(NEW[0]).words
        assert list(map(repr, loaded.knowledge)) == list(map(repr, knowledge))
        assert loaded.get_params().keys() == model.get_params().keys()


def test_loaded_model_resumes_identically(tmp_path: Path) -> None:
    whole = new_model(n_sweeps=9).fit(TEXTS, LABELS)
    part = saved(new_model().fit(TEXTS, LABELS), tmp_path).resume(3)
    np.testing.assert_array_equal(part.assignments_, whole.assignments_)
    assert part.log_likelihood_ == whole.log_likelihood_
    assert saved(part, tmp_path).threshold_ == whole.threshold_
    assert clone(part).fit(["red sky"], [["x"]]).classes_.tolist() == ["x"]  # alpha is one number again


def test_parameters_round_trip(tmp_path: Path) -> None:
    model = new_model(alpha=[0.1, 0.2, 0.3, 0.4], threshold=0.2, label_prior="flat", tol=0.5, n_jobs=None, beta="learn")
    loaded = saved(model.fit(TEXTS, LABELS), tmp_path)
    assert (loaded.threshold, loaded.label_prior, loaded.tol, loaded.n_jobs, loaded.beta) == (
        0.2,
        "flat",
        0.5,
        None,
        "learn",
    )
    assert loaded.alpha.tolist() == model.alpha
    assert (loaded.converged_, loaded.sweeps_) == (model.converged_, model.sweeps_)


def test_large_integers_round_trip(tmp_path: Path) -> None:
    model = new_model(n_sweeps=10**10, evaluate_every=10**11).fit(TEXTS, LABELS, on_sweep=lambda sweep: False)
    loaded = saved(model, tmp_path)
    assert (loaded.n_sweeps, loaded.evaluate_every, loaded.sweeps_) == (10**10, 10**11, 1)


def test_label_field_round_trip(tmp_path: Path) -> None:
    model = new_model().fit(TEXTS, LABELS)
    assert saved(model, tmp_path).field_ is None
    model.field_ = "tags"
    assert saved(model, tmp_path).field_ == "tags"
    assert saved(model, tmp_path).fit(TEXTS, LABELS).field_ is None  # what is learned now came from elsewhere


def test_without_documents(tmp_path: Path) -> None:
    loaded = saved(new_model().fit(TEXTS, LABELS), tmp_path, include_corpus=False)
    for ask in (lambda: loaded.resume(1), lambda: loaded.doc_topic_):
        with pytest.raises(InputError, match="saved without it"):
            ask()
    again = saved(loaded, tmp_path, include_corpus=False)
    assert again.threshold_ == loaded.threshold_
    assert again.predict(NEW) == loaded.predict(NEW)


def test_rejects_labels_that_cannot_be_stored(tmp_path: Path) -> None:
    model = new_model().fit(TEXTS, [[("sea", 1)], [("law", 2)]] * 30)
    with pytest.raises(InputError, match="text, numbers or booleans"):
        model.save(tmp_path / "m.tw")


# ---------------------------------------------------------------------- hostile files


def parts_of(folder: Path, has_corpus: bool) -> Parts:
    knowledge = [tw.CannotLinks([("law", "oven")]), tw.SeedWords({"sea": ["ship", "tide"], "background 1": ["law"]})]
    model = new_model(n_sweeps=2, knowledge=knowledge).fit(TEXTS, [*LABELS[:-2], None, []])
    model.save(folder / "m.tw", include_corpus=has_corpus)
    file = read_model(folder / "m.tw")
    assert file.kind == KIND
    return dict(file.meta), dict(file.arrays)


@pytest.fixture(scope="module", params=[True, False], ids=["with corpus", "without"])
def parts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return parts_of(tmp_path_factory.mktemp("models"), request.param)


def set_classes(classes: str) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: arrays.update(pack_strings([classes], "classes"))


def set_meta(**changes: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: meta.update(changes)


def set_parameter(**changes: Any) -> Callable[[dict[str, Any], dict[str, np.ndarray]], None]:
    return lambda meta, arrays: meta["parameters"].update(changes)


WRONG = {
    "no classes": set_classes("[]"),
    "classes that are no list": set_classes("7"),
    "classes of lists": set_classes('[["court"], "kitchen", "sea"]'),
    "classes that are not JSON": set_classes("[court"),
    "a class too few": set_classes('["court", "kitchen"]'),
    "a class too many": set_classes('["court", "kitchen", "moon", "sea"]'),
    "a class twice": set_classes('["court", "sea", "sea"]'),
    "classes in another order": set_classes('["sea", "kitchen", "court"]'),
    "another class": set_classes('["court", "kitchen", "moon"]'),
    "a class called like the background": set_classes('["court", "kitchen", "background 1"]'),
    "counts of too few labels": set_array("label_counts", np.array([1, 2])),
    "negative counts of labels": set_array("label_counts", np.array([1, 2, -3])),
    "fractions of documents": set_array("label_counts", np.array([1.0, 2.0, 3.0])),
    "negative documents": set_meta(labelled=-1),
    "an unknown form": set_meta(form="tree"),
    "a field that is no name": set_meta(field=3),
    "no form": lambda meta, arrays: meta.pop("form"),
    "a threshold beyond one": set_meta(threshold=1.5),
    "a threshold of words": set_meta(threshold="much"),
    "a threshold of lists": set_meta(threshold=["auto"]),
    "a threshold found beyond one": set_meta(threshold_found=1.5),
    "an unknown prior": set_meta(label_prior="odd"),
    "a prior from words without a regression": set_meta(regression=False),
    "a regression of other words": set_array("regression.words", np.array([1, 0], np.int32)),
    "weights of other words": set_array("regression.weights", np.zeros((1, 3), np.float32)),
    "intercepts of other labels": set_array("regression.intercepts", np.zeros(2)),
    "endless weights": set_array("regression.intercepts", np.full(3, 1e300)),
    "a negative tol": set_meta(tol=-1.0),
    "no flag of convergence": set_meta(converged=1),
    "a million background topics": set_parameter(n_background_topics=10**6),
    "another number of background topics": set_parameter(n_background_topics=2),
    "no sweeps": set_parameter(n_sweeps=0),
    "alpha for another number of topics": set_array("alpha", np.full(3, 0.1)),
    "an alpha of zero": set_array("alpha", np.array([0.1, 0.1, 0.1, 0.0])),
    "beta for some of the words": set_array("beta", np.full(5, 0.1)),
    "a topic that does not exist": set_array("assignments", np.full(504, 4, np.uint32)),
    "too few assignments": set_array("assignments", np.zeros(5, np.uint32)),
    "a label that is no class": lambda meta, arrays: (
        arrays.update(pack_strings(["court", "kitchen", "moon", "background 1"], "labels.names"))
        if "labels.values" in arrays
        else pytest.skip("not there")
    ),
    "knowledge without labels": set_knowledge(kinds=[{"cannot-links": [["ship", "oven"]]}]),
    "no knowledge": lambda meta, arrays: [arrays.pop(f"knowledge.{part}") for part in ("bytes", "offsets")],
    "labels of its own": set_knowledge(kinds=[{"document-labels": [["sea"]] * 60}]),
    "another background": set_knowledge(kinds=[{"document-labels": {"labels": True, "background": 0}}]),
    "topics in another order": set_knowledge(topics={"court": 1, "kitchen": 0, "sea": 2, "background 1": 3}),
    "a topic that is no label": set_knowledge(topics={"court": 0, "kitchen": 1, "moon": 2, "background 1": 3}),
}


@pytest.mark.parametrize("name", WRONG)
def test_rejects_invalid_contents(parts: Parts, tmp_path: Path, name: str) -> None:
    meta, arrays = {**parts[0], "parameters": dict(parts[0]["parameters"])}, dict(parts[1])
    WRONG[name](meta, arrays)
    write_model(tmp_path / "wrong.tw", KIND, meta, arrays)
    with pytest.raises(ModelFileError):
        tw.load(tmp_path / "wrong.tw")


def test_threshold_is_required_without_documents(parts: Parts, tmp_path: Path) -> None:
    meta, arrays = parts
    write_model(tmp_path / "m.tw", KIND, {**meta, "threshold_found": None}, arrays)
    if "assignments" in arrays:
        assert 0 < tw.load(tmp_path / "m.tw").threshold_ < 1
    else:
        with pytest.raises(ModelFileError, match="threshold_found"):
            tw.load(tmp_path / "m.tw")


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_missing_or_changed_arrays_are_an_error_or_harmless(parts: Parts, tmp_path: Path, data: st.DataObject) -> None:
    """A model that loads is usable."""
    write_model(tmp_path / "changed.tw", KIND, parts[0], damaged(parts[1], data))
    try:
        model = tw.load(tmp_path / "changed.tw")
    except ModelFileError:
        return
    row = np.ones((1, len(model.vocabulary_)), np.int64)
    model.predict(row)
    model.rank(row)
    model.attribute(row).to_html()
    model.explain(row)
    model.perplexity(row, [model.classes_[:1].tolist()])
    model.save(tmp_path / "again.tw")
    if model.assignments_ is not None:
        model.resume(1)

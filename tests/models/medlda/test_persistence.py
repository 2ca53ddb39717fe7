"""Supervised models in model files: round trips, and errors for invalid contents."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import InputError, ModelFileError
from topicwright.io import pack_strings, read_model, write_model
from topicwright.losses import Hinge

from ...conftest import THEMES, themed_texts
from ..test_persistence import damaged

Parts = tuple[str, dict[str, Any], dict[str, np.ndarray]]
NEW = themed_texts(30, seed=1)
CLASSES = [list(THEMES)[i % 3] for i in range(60)]
MODELS: dict[str, Callable[[list[str]], Any]] = {
    "classes": lambda texts: tw.MedLDAClassifier(n_topics=4, n_sweeps=6).fit(texts, CLASSES),
    "two classes": lambda texts: tw.MedLDAClassifier(n_topics=4, n_sweeps=6).fit(texts, np.arange(60) % 2 == 0),
    "a model each": lambda texts: tw.MedLDAClassifier(n_topics=4, strategy="one-vs-rest", n_sweeps=6).fit(
        texts, CLASSES
    ),
    "labels": lambda texts: tw.MedLDAClassifier(n_topics=4, n_sweeps=6).fit(texts, [[name] for name in CLASSES]),
    "logistic": lambda texts: tw.MedLDAClassifier(n_topics=4, loss="logistic", n_sweeps=6).fit(texts, CLASSES),
    "weights": lambda texts: tw.MedLDAClassifier(n_topics=4, n_sweeps=6, class_weight={"sea": 2.0}).fit(texts, CLASSES),
    "words": lambda texts: tw.MedLDAClassifier(n_topics=4, n_sweeps=6, word_weights=True).fit(texts, CLASSES),
    "words a model each": lambda texts: tw.MedLDAClassifier(
        n_topics=4, n_sweeps=6, strategy="one-vs-rest", word_weights=0.5
    ).fit(texts, CLASSES),
    "a number by words": lambda texts: tw.MedLDARegressor(n_topics=4, n_sweeps=6, word_weights=True).fit(
        texts, np.arange(60) % 3
    ),
    "a loss": lambda texts: tw.MedLDAClassifier(n_topics=4, loss=Hinge(1.0, 8.0), n_sweeps=6).fit(texts, CLASSES),
    "knowledge": lambda texts: tw.MedLDAClassifier(
        n_topics=4, n_sweeps=6, knowledge=[tw.SeedWords({"boats": ["ship"]})], strategy="one-vs-rest"
    ).fit(texts, CLASSES),
    "a number": lambda texts: tw.MedLDARegressor(n_topics=4, n_sweeps=6).fit(texts, np.arange(60) % 3),
    "numbers": lambda texts: tw.MedLDARegressor(n_topics=4, n_sweeps=6).fit(
        texts, np.column_stack([np.arange(60) % 3, np.where(np.arange(60) % 2, np.nan, 1.0 * np.arange(60))])
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_model_file_round_trip(texts: list[str], tmp_path: Path, name: str) -> None:
    model = MODELS[name](texts)
    model.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    if isinstance(model, tw.MedLDAClassifier):
        assert again.decision_function(NEW).tobytes() == model.decision_function(NEW).tobytes()
        assert again.classes_.tolist() == model.classes_.tolist()
        assert again.classes_.dtype == model.classes_.dtype
        assert again.multilabel_ == model.multilabel_
    assert str(again.describe()) == str(model.describe())
    given = {**model.get_params(), "alpha": None, "knowledge": None}
    assert {**again.get_params(), "alpha": None, "knowledge": None} == given
    assert again.alpha == model.alpha_[0]
    assert (again.sweeps_, again.interrupted_, again.log_likelihood_) == (6, False, model.log_likelihood_)
    np.testing.assert_array_equal(again.resume(5).predict(NEW), model.resume(5).predict(NEW))
    assert again.log_likelihood_ == model.log_likelihood_
    again.save(tmp_path / "again.tw")
    model.save(tmp_path / "model.tw")
    assert (tmp_path / "again.tw").stat().st_size == pytest.approx((tmp_path / "model.tw").stat().st_size, rel=0.01)


@pytest.mark.parametrize("name", MODELS)
def test_compact_model_predicts(texts: list[str], tmp_path: Path, name: str) -> None:
    model = MODELS[name](texts)
    model.save(tmp_path / "model.tw", include_corpus=False)
    assert not any("assign" in key or "tasks" in key for key in read_model(tmp_path / "model.tw").arrays)
    again = tw.load(tmp_path / "model.tw")
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert str(again.describe()) == str(model.describe())
    assert str(again.explain(NEW[0])) == str(model.explain(NEW[0]))
    with pytest.raises(InputError, match="saved without it"):
        again.resume(1)
    again.save(tmp_path / "again.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "again.tw").predict(NEW), model.predict(NEW))


def test_large_integers_round_trip(texts: list[str], tmp_path: Path) -> None:
    model = tw.MedLDAClassifier(n_topics=3, n_sweeps=10**10, evaluate_every=10**11)
    model.fit(texts, CLASSES, on_sweep=lambda sweep: False).save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert (again.n_sweeps, again.evaluate_every, again.sweeps_) == (10**10, 10**11, 1)


def test_rejects_classes_that_cannot_be_stored(texts: list[str], tmp_path: Path) -> None:
    days = [date(2020, 1, 1 + i % 3) for i in range(60)]
    model = tw.MedLDAClassifier(n_topics=3, n_sweeps=4).fit(texts, days)
    with pytest.raises(InputError, match="text, numbers or booleans"):
        model.save(tmp_path / "model.tw")
    assert not (tmp_path / "model.tw").exists()


class OwnLoss(Hinge):
    """Custom loss."""


def test_custom_loss_must_be_given_again_to_resume(texts: list[str], tmp_path: Path) -> None:
    model = tw.MedLDAClassifier(n_topics=3, loss=OwnLoss(), n_sweeps=4).fit(texts, CLASSES)
    model.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    with pytest.raises(InputError, match=r"loss must be one of 'hinge', 'logistic', or an object .*: got None"):
        again.resume(2)
    again.loss = OwnLoss()
    np.testing.assert_array_equal(again.resume(2).coef_, model.resume(2).coef_)


# ---------------------------------------------------------------------- nonsense


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> dict[str, Parts]:
    """The contents of some files, with the corpus and without it."""
    folder = tmp_path_factory.mktemp("models")
    contents = {}
    for name in ("classes", "a model each", "weights", "knowledge", "numbers", "words"):
        for has_corpus in (True, False):
            MODELS[name](texts).save(folder / "model.tw", include_corpus=has_corpus)
            file = read_model(folder / "model.tw")
            contents[name if has_corpus else f"{name}, small"] = (file.kind, dict(file.meta), dict(file.arrays))
    return contents


def of(name: str, **changes: Any) -> tuple[str, Callable[[dict[str, Any], dict[str, np.ndarray]], None]]:
    """Replaced arrays, by name with ``__`` for a dot; None removes one."""

    def change(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        for key, value in changes.items():
            key = key.lstrip("_").replace("__", ".")
            assert key in arrays
            if value is None:
                del arrays[key]
            else:
                arrays[key] = value

    return name, change


def with_meta(name: str, **changes: Any) -> tuple[str, Callable[[dict[str, Any], dict[str, np.ndarray]], None]]:
    return name, lambda meta, arrays: meta.update(changes)


def classes(json: str) -> tuple[str, Callable[[dict[str, Any], dict[str, np.ndarray]], None]]:
    return "classes", lambda meta, arrays: arrays.update(pack_strings([json], "classes"))


WRONG = {
    "a topic that does not exist": of("classes", assignments=np.full(720, 4, np.uint32)),
    "no assignments of the second model": of("a model each", _1__assignments=None),
    "no weights": of("classes", eta=None),
    "no mean": of("classes, small", weights=None),
    "weights of another number of topics": of("classes", eta=np.zeros((3, 5))),
    "weights of another number of classes": of("classes", average=np.zeros((2, 4))),
    "infinite weights": of("classes", average=np.full((3, 4), np.inf)),
    "weights beyond all products": of("classes", eta=np.full((3, 4), 1e200)),
    "no targets": of("classes", tasks__targets=None),
    "too few targets": of("classes", tasks__targets=np.ones((59, 3))),
    "targets of other tasks": of("classes", tasks__targets=np.ones((60, 2))),
    "targets that are neither": of("classes", tasks__targets=np.full((60, 3), 0.5)),
    "infinite numbers": of("numbers", tasks__targets=np.full((60, 2), np.inf)),
    "negative costs": of("weights", tasks__cost_weights=np.full((60, 3), -1.0)),
    "too few costs": of("weights", tasks__cost_weights=np.ones((6, 3))),
    "a scale of nothing": of("numbers", scale=np.zeros(2)),
    "no scale of a target": of("numbers", scale=np.ones(1)),
    "no target": of("numbers, small", centre=np.zeros(0), scale=np.zeros(0)),
    "alpha for another number of topics": of("classes", alpha=np.ones(3)),
    "a negative beta": of("classes", beta=-np.ones(1)),
    "no beta": of("classes", beta=np.ones(0)),
    "beta for some of the words": of("classes", beta=np.ones(5)),
    "counts of words that do not exist": of("classes, small", counts__words=np.full(24, 99, np.int32)),
    "negative counts": of("a model each, small", _2__counts__values=np.full(24, -1)),
    "words that count for nothing": of("words", words__idf=np.zeros(24)),
    "one class": classes('["sea"]'),
    "a class twice": classes('["sea", "sea", "kitchen"]'),
    "more classes than tasks": classes('["a", "b", "c", "d"]'),
    "a class that is a list": classes('[["sea"], "a", "b"]'),
    "no list of classes": classes('"sea"'),
    "another form": with_meta("classes", form="tree"),
    "a field that is no name": with_meta("classes", field=3),
    "another strategy": with_meta("classes", strategy="each"),
    "the strategy of another file": with_meta("classes", strategy="one-vs-rest"),
    "another sampler": with_meta("classes", sampler="quick"),
    "a loss with no name": with_meta("classes", loss="huber"),
    "a loss that is code": with_meta("classes", loss={"eval": {}}),
    "a loss with other parameters": with_meta("classes", loss={"Hinge": {"power": 2}}),
    "a loss that costs nothing": with_meta("classes", loss={"Hinge": {"cost": 0}}),
    "a loss that is a number": with_meta("classes", loss=7),
    "no C that was found": with_meta("classes", C_found=None),
    "a C that was found below zero": with_meta("classes", C_found=-1),
    "no C of a regressor": with_meta("numbers", C=None),
    "a negative C": with_meta("classes", C=-1),
    "a margin of nothing": with_meta("classes", margin=0),
    "weights of no class": with_meta("classes", class_weight=[["lake", 2.0]]),
    "weights that are negative": with_meta("classes", class_weight=[["sea", -2.0]]),
    "weights that are a number": with_meta("classes", class_weight=3),
    "too few seeds": with_meta("a model each", seeds=[[0], [1]]),
    "negative seeds": with_meta("classes", seeds=[[-1], [-1]]),
    "no seeds": with_meta("classes", seeds=[]),
    "sweeps of another kind": with_meta("classes", sweeps="many"),
    "a number that is two": with_meta("numbers", flat=True),
    "no epsilon": with_meta("numbers", epsilon=0),
}


@pytest.mark.parametrize("name", WRONG)
def test_rejects_invalid_contents(parts: dict[str, Parts], tmp_path: Path, name: str) -> None:
    origin, change = WRONG[name]
    kind, meta, arrays = parts[origin]
    meta, arrays = dict(meta), dict(arrays)
    change(meta, arrays)
    write_model(tmp_path / "wrong.tw", kind, meta, arrays)
    with pytest.raises(ModelFileError):
        tw.load(tmp_path / "wrong.tw")


@given(data=st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_missing_or_changed_arrays_are_an_error_or_harmless(
    parts: dict[str, Parts], tmp_path: Path, data: st.DataObject
) -> None:
    """A model that loads is usable."""
    kind, meta, arrays = parts[data.draw(st.sampled_from(sorted(parts)))]
    write_model(tmp_path / "changed.tw", kind, meta, damaged(arrays, data))
    try:
        model = tw.load(tmp_path / "changed.tw")
    except ModelFileError:
        return
    counts = np.ones((2, len(model.vocabulary_)), np.int64)
    model.predict(counts)
    str(model.explain(counts[0]))
    str(model.describe())
    if getattr(model, "estimators_", [model])[0].assignments_ is not None:
        model.resume(1)

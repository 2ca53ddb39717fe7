"""Updates of LabeledLDA: labels keep their numbers, new ones follow, and the past counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError

TEXTS = ["ship sails sea", "bread oven flour", "ship bread sea"] * 10
LABELS: list[Any] = [["sea"], ["kitchen"], ["sea", "kitchen"]] * 10
NEW = ["ball goal team", "ship harbor sea"] * 10
NEW_LABELS: list[Any] = [["sport"], ["sea"]] * 10


def words_of(model: Any, label: Any) -> set[str]:
    counts = model.topic_word_counts_[[model.classes_.tolist().index(label)], :].toarray().ravel()
    return set(model.vocabulary_[counts > 0])


@pytest.mark.parametrize("n_background", [0, 1])
def test_new_labels_follow_the_old_ones(n_background: int) -> None:
    model: Any = tw.LabeledLDA(n_background_topics=n_background).fit(TEXTS, LABELS)
    before = model.topic_word_counts_.toarray()
    report = model.update(NEW, NEW_LABELS, n_sweeps=5)
    background = ["background 1"] * n_background
    assert model.classes_.tolist() == ["kitchen", "sea", "sport"]
    assert model.topic_names_ == ["kitchen", "sea", "sport", *background]
    assert report.new_topics == [2]
    past = model.earlier_.words.toarray()[:, : before.shape[1]]
    np.testing.assert_array_equal(past[[0, 1, *range(3, 3 + n_background)]], before)
    assert past[2].sum() == 0
    assert words_of(model, "sport") <= {"ball", "goal", "team"}
    assert "harbor" in model.vocabulary_
    assert model.label_counts_.tolist() == [20, 30, 10]
    assert model.predict(["ball team", "oven", "harbor"]) == [("sport",), ("kitchen",), ("sea",)]
    assert len(report.topics) == 3 + n_background


def test_memory_weighs_the_frequencies_of_labels() -> None:
    model: Any = tw.LabeledLDA().fit(TEXTS, LABELS)
    model.update(NEW, NEW_LABELS, memory=0.5, n_sweeps=2)
    assert model.label_counts_.tolist() == [10, 20, 10]
    assert model.earlier_.words.sum() == 45


@pytest.mark.parametrize("include_corpus", [True, False])
def test_files(tmp_path: Path, include_corpus: bool) -> None:
    model: Any = tw.LabeledLDA().fit(TEXTS, LABELS)
    model.update(NEW, NEW_LABELS, n_sweeps=3)
    model.save(tmp_path / "m.tw", include_corpus=include_corpus)
    again = tw.load(tmp_path / "m.tw")
    assert again.topic_names_ == model.topic_names_
    for one in (model, again):
        one.update(["bread ship"] * 6, [None, ["sea"]] * 3, n_sweeps=3)
    np.testing.assert_array_equal(again.assignments_, model.assignments_)
    assert again.resume(2).sweeps_ == 58


def test_one_class_each_and_unknown_labels() -> None:
    model: Any = tw.LabeledLDA().fit(TEXTS[:20], ["sea", "kitchen"] * 10)
    model.update([*NEW, "oven flour"], ["sport", "sea"] * 10 + [None], n_sweeps=3)
    assert not model.multilabel_
    assert model.predict(["ball"]).tolist() == ["sport"]
    assert model.topic_names_[model.doc_topic_[-1].argmax()] == "kitchen"


def test_knowledge_stays() -> None:
    model: Any = tw.LabeledLDA(knowledge=[tw.MustLinks([("ship", "sails")]), tw.SeedWords({"sea": ["sails"]})])
    model.fit(TEXTS, LABELS).update(NEW, NEW_LABELS, n_sweeps=2)
    assert [type(item).__name__ for item in model.knowledge] == ["MustLinks", "SeedWords", "TopicNames"]
    assert model.update(NEW, NEW_LABELS, n_sweeps=2).new_topics == []


def test_errors_change_nothing() -> None:
    model: Any = tw.LabeledLDA(n_background_topics=1, knowledge=[tw.ForbiddenWords({2: ["ship"]})]).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="background 1"):
        model.update(NEW, NEW_LABELS)
    with pytest.raises(InputError, match="no document has any"):
        model.update(NEW, [[]] * 20)
    with pytest.raises(InputError, match="X has no labels"):
        model.update(NEW)
    assert model.classes_.tolist() == ["kitchen", "sea"]
    assert model.corpus_.n_docs == 30


def test_prior_from_words_keeps_old_labels_and_learns_new_ones():
    model = tw.LabeledLDA(n_sweeps=10, random_state=0, label_prior="words")
    model.fit(["ship sails sea", "bread oven flour", "ship bread"] * 10, ["sea", "kitchen", "sea"] * 10)
    before = model._label_regression()
    model.update(["ball goal team", "ship harbor sea"] * 10, ["sport", "sea"] * 10)
    after = model._label_regression()
    assert len(after.idf) == len(model.vocabulary_)
    assert after.weights.shape[1] == 3
    known = len(before.idf)
    np.testing.assert_array_equal(after.idf[:known], before.idf)
    np.testing.assert_array_equal(after.words[: len(before.words)], before.words)
    number = {word: n for n, word in enumerate(model.vocabulary_)}
    weight = dict(zip(after.words.tolist(), after.weights))
    assert weight[number["ball"]].argmax() == model.classes_.tolist().index("sport")
    oven = before.weights[before.words.tolist().index(number["oven"])]
    assert weight[number["oven"]].tolist() == [*oven.tolist(), 0.0]  # the new documents do not have the word
    assert model.predict(["goal team", "bread flour"]).tolist() == ["sport", "kitchen"]

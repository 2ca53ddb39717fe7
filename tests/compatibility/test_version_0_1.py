"""Files written by version 0.1 load and give the same results.

``files_0_1`` was written by version 0.1.0 before the package was rearranged; it is never written again.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw

FILES = Path(__file__).parent / "files_0_1"
ANSWERS: dict[str, Any] = json.loads((FILES / "answers.json").read_text(encoding="utf-8"))
MODELS = sorted(path.stem for path in FILES.glob("*.tw") if path.stem != "steered")
TOPICS: dict[str, Any] = json.loads((FILES / "topic_word.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MODELS)
def test_models_give_the_same_results(name: str) -> None:
    model, then, new = tw.load(FILES / f"{name}.tw"), ANSWERS[name], ANSWERS["new"]
    if name in TOPICS:  # version 0.1 drew θ of new documents, later ones compute it
        np.testing.assert_allclose(model.topic_word_, TOPICS[name], atol=1e-8)
        assert [list(words) for words in model.top_words(3)] == then["top_words"]
    has_labels = isinstance(model, (tw.LabeledLDA, tw.OnlineLabeledLDA))
    if has_labels:  # shares of labels and their threshold are computed, too: the best label is the same
        np.testing.assert_array_equal(
            model.decision_function(new).argmax(axis=1), np.argmax(then["decision_function"], axis=1)
        )
        return
    if "decision_function" in then:
        np.testing.assert_allclose(model.decision_function(new), then["decision_function"], rtol=1e-6, atol=1e-6)
    if "predict" in then:
        given = model.predict(new)
        assert [list(entry) if np.ndim(entry) else entry for entry in given] == then["predict"]


@pytest.mark.parametrize("name", ["lda", "lda_knowledge", "labeled", "classifier", "regressor"])
def test_training_resumes(name: str) -> None:
    model = tw.load(FILES / f"{name}.tw")
    before = model.sweeps_
    assert model.resume(2).sweeps_ == before + 2


@pytest.mark.parametrize("name", ["lda", "lda_knowledge", "labeled"])
def test_models_are_updated(name: str) -> None:
    model = tw.load(FILES / f"{name}.tw")
    topics, words = model.topic_names_, model.vocabulary_.tolist()
    model.update(ANSWERS["texts"], **({"labels": ANSWERS["labels"]} if name == "labeled" else {}), n_sweeps=3)
    assert model.vocabulary_.tolist()[: len(words)] == words
    assert topics is None or model.topic_names_[: len(topics)] == topics
    assert model.doc_topic_.shape[0] == len(ANSWERS["texts"])


def test_a_stream_continues() -> None:
    model = tw.load(FILES / "online.tw")
    model.partial_fit(ANSWERS["texts"][:4], ANSWERS["labels"][:4])
    assert set(model.classes_) == {"bake", "money", "sea"}


@pytest.fixture
def steered(tmp_path: Path) -> Path:
    shutil.copy(FILES / "steered.tw", tmp_path)
    shutil.copytree(FILES / "steered.tw.steps", tmp_path / "steered.tw.steps")
    return tmp_path / "steered.tw"


def test_a_steered_model_opens_with_its_steps(steered: Path) -> None:
    then = ANSWERS["steered"]
    with tw.Steering.open(steered) as session:
        assert len(session.steps) == len(then["sentences"])
        assert [str(name) for name in session.model.topic_names_ or []] == then["names"]
        assert same_words(session.model.top_words(3), then["top_words"])


def same_words(found: list[list[str]], then: list[list[str]]) -> bool:
    """Whether topics have the same words; the order may differ, since seeds and links act in another way now."""
    return [set(words) for words in found] == [set(words) for words in then]


def test_steps_are_replayed_without_the_state(steered: Path) -> None:
    shutil.rmtree(steered.with_name("steered.tw.steps") / "states")
    with tw.Steering.open(steered) as session:
        assert same_words(session.model.top_words(3), ANSWERS["steered"]["top_words"])


def test_a_knowledge_file_has_the_same_kinds() -> None:
    """Soft seeds in a model file are known topics now, so that its topics stay what they are."""
    kinds = [type(item) for item in tw.read_knowledge(FILES / "knowledge.yaml")]
    loaded = [type(item) for item in tw.load(FILES / "lda_knowledge.tw").knowledge]
    assert loaded == [tw.KnownTopics if kind is tw.SeedWords else kind for kind in kinds]


def test_stored_corpus_opens() -> None:
    corpus = tw.Corpus.open(FILES / "stored_corpus")
    assert corpus.n_docs == len(ANSWERS["texts"])
    assert [" ".join(corpus.words(d)) for d in range(corpus.n_docs)] == ANSWERS["texts"]
    assert [list(names) for names in corpus.labels or ()] == ANSWERS["labels"]

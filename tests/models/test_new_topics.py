"""New topics open when a subject is new, and not by chance."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError

K, V, LENGTH = 8, 600, 50
TOPICS = np.random.default_rng(0).dirichlet(np.full(V, 0.03), K + 2)


def documents(n: int, seed: int, new_share: float = 0.0, new: int = K) -> list[list[str]]:
    """Documents of eight subjects, and with a share of them about another one; words come in bursts."""
    rng, texts = np.random.default_rng(seed), []
    for _ in range(n):
        theta = np.zeros(K + 2)
        theta[:K] = rng.dirichlet(np.full(K, 0.2))
        if rng.random() < new_share:
            theta *= 0.4
            theta[new] = 0.6
        own: dict[int, Any] = {}
        words = []
        for k in rng.choice(K + 2, LENGTH, p=theta):
            if k not in own:
                own[k] = rng.dirichlet(TOPICS[k] * 60 + 1e-9)
            words.append(f"w{rng.choice(V, p=own[k])}")
        texts.append(words)
    return texts


@cache
def past() -> list[list[str]]:
    return documents(1200, seed=1, new_share=0.002)


def fitted(**options: Any) -> Any:
    return tw.LDA(K, n_sweeps=60, **options).fit(past())


def similarity(model: Any, topic: int, subject: int = K) -> float:
    """Overlap of a topic with a generating subject."""
    columns = [int(word[1:]) for word in model.vocabulary_]
    return float(np.sqrt(model.topic_word_[topic] * TOPICS[subject][columns]).sum())


@pytest.mark.parametrize("options", [{}, {"alpha": "learn"}])
def test_a_new_subject_gets_a_topic(options: dict[str, Any]) -> None:
    model = fitted(**options)
    report = model.update(documents(600, 2, new_share=0.06))
    assert report.new_topics == [K] == model.new_topics_
    assert len(model.alpha_) == model.n_topics == K + 1
    assert similarity(model, K) > 0.8
    assert report.topics[K].status == "new"
    assert report.topics[K].share_before == 0
    assert model.updates_[0]["new_topics"] == [K]
    known = set(model.vocabulary_)
    about = model.transform([[w for w in words if w in known] for words in documents(200, 3, new_share=1.0)])
    assert (about.argmax(axis=1) == K).mean() > 0.8
    assert "1 new topic," in repr(report)


def test_the_topic_opens_once_and_a_second_subject_opens_another() -> None:
    model = fitted()
    model.update(documents(600, 2, new_share=0.06))
    assert model.update(documents(600, 4, new_share=0.06)).new_topics == []
    report = model.update(documents(600, 5, new_share=0.06, new=K + 1))
    assert report.new_topics == [K + 1]
    assert similarity(model, K + 1, K + 1) > 0.8


def test_none_opens_by_chance() -> None:
    model, n_opened = fitted(), 0
    for seed in range(20, 28):
        n_opened += len(model.update(documents(400, seed, new_share=0.002), n_sweeps=10).new_topics)
    assert n_opened == 0


def test_max_topics_is_a_bound() -> None:
    model = fitted()
    assert model.update(documents(600, 2, new_share=0.06), max_topics=K).new_topics == []
    assert len(model.alpha_) == K


def test_same_answer_on_any_number_of_threads_and_from_a_file(tmp_path: Path) -> None:
    models = [fitted(), fitted(n_jobs=2)]
    models[0].save(tmp_path / "m.tw")
    models.append(tw.load(tmp_path / "m.tw"))
    for model in models:
        model.update(documents(600, 2, new_share=0.06))
        np.testing.assert_array_equal(model.assignments_, models[0].assignments_)
    models[0].save(tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").new_topics_ == [K]


def test_new_topics_respect_names_and_knowledge() -> None:
    model = fitted(knowledge=[tw.TopicNames({1: "one"}), tw.MustLinks([tuple(past()[0][:2])])])
    model.update(documents(600, 2, new_share=0.06))
    assert model.topic_names_ == ["0", "one", *map(str, range(2, K + 1))]
    model.resume(2)
    assert model.doc_topic_counts_.shape == (600, K + 1)


def test_one_topic_per_document() -> None:
    model = tw.LDA(K, one_topic_per_document=True, beta=0.1, n_sweeps=30).fit(past())
    model.update(documents(600, 2, new_share=0.06))
    assert len(model.alpha_) <= K + 1


# ---------------------------------------------------------------------- decisions of the user


def updated() -> Any:
    model = fitted()
    model.update(documents(600, 2, new_share=0.06))
    return model


def test_accept() -> None:
    model = updated()
    model.accept_topics({K: "arrival"})
    assert model.new_topics_ == []
    assert model.topic_names_[K] == "arrival"
    other = updated()
    other.accept_topics([K])
    assert (other.new_topics_, other.topic_names_) == ([], None)


def test_merge() -> None:
    model = updated()
    before = model.topic_word_counts_.toarray()
    model.merge_topics(K, into=2)
    after = model.topic_word_counts_.toarray()
    np.testing.assert_array_equal(after[2], before[2] + before[K])
    assert after[K].sum() == 0
    assert model.new_topics_ == []
    np.testing.assert_array_equal(np.delete(after, [2, K], axis=0), np.delete(before, [2, K], axis=0))
    model.resume(3)
    assert model.topic_word_counts_[[K], :].sum() == 0  # nothing is ever drawn into it again


def test_refuse() -> None:
    model = updated()
    model.refuse_topics([K])
    assert model.new_topics_ == []
    assert model.topic_word_counts_[[K], :].sum() == 0
    assert model.doc_topic_counts_.sum() == model.corpus_.n_tokens
    with pytest.raises(InputError, match="topics that are new"):
        model.refuse_topics([0])
    with pytest.raises(InputError, match="topics that are new"):
        model.accept_topics([0])
    with pytest.raises(InputError):
        model.merge_topics(1, into=1)

"""Report of an update: drift against chance, topics that died down, documents that no topic explains."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import topicwright as tw

K, V, LENGTH = 6, 300, 60
RNG = np.random.default_rng(0)
TOPICS = RNG.dirichlet(np.full(V, 0.05), K)


def documents(n: int, seed: int, topics: Any = TOPICS, share: Any = None) -> list[list[str]]:
    """Documents of a known model, whose words come in bursts: each document has its own version of a topic."""
    rng, texts = np.random.default_rng(seed), []
    for _ in range(n):
        theta = rng.dirichlet(np.full(K, 0.2) if share is None else share)
        own: dict[int, Any] = {}
        words = []
        for k in rng.choice(K, LENGTH, p=theta):
            if k not in own:
                own[k] = rng.dirichlet(topics[k] * 60 + 1e-9)
            words.append(f"w{rng.choice(V, p=own[k])}")
        texts.append(words)
    return texts


@cache
def past() -> list[list[str]]:
    return documents(900, seed=1)


def fitted() -> tw.LDA:
    return tw.LDA(K, n_sweeps=60).fit(past())


def number_of(model: Any, topic: int) -> int:
    """Topic of the model that is most similar to one of the generating topics."""
    columns = [int(word[1:]) for word in model.vocabulary_]
    return int((model.topic_word_ @ TOPICS[topic][columns]).argmax())


def test_chance_alone_changes_nothing() -> None:
    drifts, n_changed = [], 0
    model = fitted()
    for seed in range(2, 6):
        report = model.update(documents(250, seed), max_topics=K, n_sweeps=15)
        drifts += [change.drift for change in report.topics]
        n_changed += sum(change.status != "" for change in report.topics)
    assert n_changed == 0
    assert 0.7 < np.median(drifts) < 1.3


def test_a_changed_topic_is_found() -> None:
    model = fitted()
    topic, topics = number_of(model, 3), TOPICS.copy()
    other = np.random.default_rng(9).dirichlet(np.full(V, 0.05))
    topics[3] = 0.6 * topics[3] + 0.4 * other
    report = model.update(documents(300, 7, topics), max_topics=K)
    assert report.topics[topic].status == "changed"
    others = [change.drift for change in report.topics if change.topic != topic]
    assert report.topics[topic].drift > 2 * max(others)
    assert {f"w{w}" for w in np.argsort(-other)[:3]} & set(report.topics[topic].gained)


def test_a_topic_that_dies_down() -> None:
    model = fitted()
    topic = number_of(model, 2)
    share = np.full(K, 0.2)
    share[2] = 1e-6
    report = model.update(documents(200, 8, share=share), max_topics=K)
    assert report.topics[topic].status == "died down"
    assert report.topics[topic].share < 0.1 * report.topics[topic].share_before


def test_documents_that_no_topic_explains() -> None:
    rng = np.random.default_rng(4)
    strange = [[f"w{w}" for w in rng.choice(V, LENGTH)] for _ in range(2)]
    model = fitted()
    report = model.update([*documents(200, 9), *strange], max_topics=K)
    assert {200, 201} <= {document.row for document in report.unexplained}
    assert len(report.unexplained) <= 5
    assert report.unexplained[0].score <= report.unexplained[-1].score < 0


def test_similar_topics_are_suggested_for_a_merge() -> None:
    model = tw.LDA(3, knowledge=[tw.DocumentLabels([["a"], ["b"], ["c"]] * 20)], n_sweeps=10)
    texts = ["ship sea sails boat", "ship sea sails boat", "bread oven flour loaf"] * 20
    report = model.fit(texts).update(texts, max_topics=3, n_sweeps=2)
    assert [(merge.into, merge.other) for merge in report.merges] == [(0, 1)]


def test_text_and_data() -> None:
    model = tw.LDA(2, n_sweeps=20, knowledge=[tw.TopicNames({0: "first"})]).fit(["ship sea", "bread oven"] * 20)
    report = model.update(["ship harbor", "bread yeast"] * 5, max_topics=2)
    text, data = repr(report), json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert text.startswith("Update: 10 new documents with 20 tokens, 2 new words, 0 new topics, past weighted 1")
    assert "0 first" in text
    assert data["new_words"] == ["harbor", "yeast"]
    assert [topic["topic"] for topic in data["topics"]] == [0, 1]
    assert data["topics"][0]["name"] == "first"
    assert data["topics"][1]["name"] is None
    assert sum(topic["share"] for topic in data["topics"]) == pytest.approx(1)

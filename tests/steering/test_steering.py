"""What steps do to a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.steering import (
    Apart,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    Show,
    SplitTopic,
    Steering,
    Together,
    Unpin,
)

from ..assertions import raises_input
from .conftest import Count, top

# ---------------------------------------------------------------------- the sampler follows


def test_update_equals_resume(base: tw.LDA, steering: Steering) -> None:
    """The steering sampler draws the same as the plain sampler and as one compiled for the same knowledge."""
    steering.update(4)
    plain = Steering(base).model
    assert plain is base
    resumed = tw.LDA(5, n_sweeps=25, random_state=3).fit(base.corpus_).resume(4)
    assert np.array_equal(steering.model.assignments_, resumed.assignments_)
    assert steering.model.log_likelihood_ == resumed.log_likelihood_
    steering.add(Together(("ship", "bread")))
    steering.add(Apart(("ship", "law")))
    steering.update(3)
    resumed.knowledge = steering.model.knowledge
    assert np.array_equal(steering.model.assignments_, resumed.resume(3).assignments_)


def test_one_sweep_removes_forbidden_assignments(base: tw.LDA, steering: Steering, count: Count) -> None:
    topic = top(base, "ship")
    assert count(base, "ship", topic) > 10
    steering.add(NeverIn(("ship",), topic))
    assert count(steering.model, "ship", topic) > 10  # nothing happens before the update
    steering.update(1)
    assert count(steering.model, "ship", topic) == 0
    assert steering.model.topic_word_counts_.sum() == base.corpus_.n_tokens


def test_words_move_to_their_topics(base: tw.LDA, steering: Steering) -> None:
    topic = top(base, "bread")
    word = list(base.vocabulary_).index("ship")
    steering.add(InTopic(("ship",), topic))
    steering.update(60)
    counts = steering.model.topic_word_counts_[:, [word]].toarray().ravel()
    before = base.topic_word_counts_[:, [word]].toarray().ravel()
    assert before[topic] == 0
    assert counts[topic] > 0.9 * counts.sum()


def test_frequent_words_pull_documents_less(base: tw.LDA, steering: Steering) -> None:
    """All words of a topic together add at most a quarter of an average topic to its prior in the documents."""
    steering.add(InTopic(("ship",), 1))
    steering.add(InTopic(("bread", "sugar"), 2))
    steering.update(1)
    seeds = [item for item in steering.model.knowledge if isinstance(item, tw.SeedWords)]
    assert [(item.seeds, item.weight) for item in seeds] == [({1: ["ship"]}, 10.0), ({2: ["bread", "sugar"]}, 10.0)]
    priors = steering.model.fit_state_.compiled.document_priors
    added = np.bincount(priors.topics, weights=priors.extra, minlength=5)
    assert added == pytest.approx([0, *[0.25 * base.corpus_.n_tokens / 5] * 2, 0, 0])
    rare = tw.LDA(2, n_sweeps=5).fit([*["sea ship wave sail " * 50] * 4, "puck sea"])
    other = Steering(rare)
    other.add(InTopic(("puck",), 0))
    other.update(1)
    assert other.model.knowledge[0].pull == 10.0


def test_links_take_no_words_out_of_a_pinned_topic(base: tw.LDA, steering: Steering) -> None:
    topic = top(base, "ship")
    column = list(base.vocabulary_).index("ship")

    def share(model: tw.LDA) -> float:
        counts = model.topic_word_counts_[:, [column]].toarray().ravel()
        return float(counts[topic] / counts.sum())

    alone = Steering(base)
    for one in (alone, steering):
        one.add(Pin(topic))
    steering.add(Together(("ship", "bread")))
    for one in (alone, steering):
        one.update(20)
    assert share(steering.model) >= share(alone.model) > 0.7


def test_partners_of_words_in_a_pinned_topic_become_its_seeds(base: tw.LDA, steering: Steering) -> None:
    topic = top(base, "ship")
    steering.add(Pin(topic))
    steering.add(NeverIn(("bread",), topic))
    steering.add(Together(("sugar", "ship", "bread")))
    steering.update(1)
    kinds = {type(item): item for item in steering.model.knowledge}
    assert kinds[tw.MustLinks].links == (("sugar", "bread"),)
    assert kinds[tw.SeedWords].seeds == {topic: ["sugar"]}
    steering.add(Unpin(topic))
    steering.update(1)
    kinds = {type(item): item for item in steering.model.knowledge}
    assert kinds[tw.MustLinks].links == (("sugar", "ship", "bread"),)
    assert tw.SeedWords not in kinds


def test_together_and_apart(base: tw.LDA, steering: Steering) -> None:
    def overlap(model: tw.LDA, one: str, other: str) -> float:
        words = [list(model.vocabulary_).index(word) for word in (one, other)]
        counts = model.topic_word_counts_[:, words].toarray().astype(float)
        return float(np.minimum(*(counts / counts.sum(axis=0)).T).sum())

    steering.add(Together(("ship", "law")))
    steering.add(Apart(("ship", "wave")))
    steering.update(10)
    assert overlap(steering.model, "ship", "law") > 0.3 > 0.1 > overlap(base, "ship", "law")  # the texts say otherwise
    assert overlap(steering.model, "ship", "wave") < 0.1 < overlap(base, "ship", "wave")


def test_document_moves_to_its_label(base: tw.LDA, steering: Steering) -> None:
    """A document is said to be of another topic than most of its words, the one that suits it second best."""
    expected = np.asarray(base.corpus_.to_matrix() @ base.topic_word_.T)
    expected[np.arange(60), base.doc_topic_counts_.toarray().argmax(axis=1)] = 0.0
    document, topic = map(int, np.unravel_index(expected.argmax(), expected.shape))
    steering.add(LabelDocument(document, topic))
    steering.update(5)
    assert steering.model.doc_topic_counts_[document, topic] > 6 > base.doc_topic_counts_[document, topic]


def test_pinned_topic_is_unchanged(base: tw.LDA) -> None:
    topic = top(base, "ship")
    moved = {}
    for pinned in (False, True):
        steering = Steering(base)
        if pinned:
            steering.add(Pin(topic))
            assert steering.pinned == {topic}
        assert steering.add(Together(("ship", "law", "bread"))) == []
        moved[pinned] = steering.update(20).topics[topic].distance
    assert moved[True] < moved[False] / 2
    assert steering.add(InTopic(("jury",), topic)) == [
        f"topic {topic} is pinned and hardly changes until it is unpinned"
    ]
    steering.add(Unpin(topic))
    assert not steering.pinned
    assert any(isinstance(item, tw.KnownTopics) for item in steering.model.knowledge)  # until the next update
    steering.update(1)
    assert not any(isinstance(item, tw.KnownTopics) for item in steering.model.knowledge)


# ---------------------------------------------------------------------- topics


def test_merge_is_immediate_and_leaves_an_empty_topic(base: tw.LDA, steering: Steering) -> None:
    steering.add(Rename(2, "gone"))
    steering.add(MergeTopics(0, (2, 3)))
    sizes = [np.asarray(model.topic_word_counts_.sum(axis=1)).ravel() for model in (base, steering.model)]
    assert sizes[1].tolist() == [sizes[0][[0, 2, 3]].sum(), sizes[0][1], 0, 0, sizes[0][4]]
    assert (steering.free, steering.names) == ({2, 3}, {})
    steering.update(20)
    assert not np.isin(steering.model.assignments_, [2, 3]).any()
    assert np.isfinite(steering.model.log_likelihood_[-1][1])
    assert steering.model.doc_topic_[:, [2, 3]].max() < 1e-50


def test_merge_carries_over_constraints(steering: Steering) -> None:
    steering.add(InTopic(("ship",), 2))
    steering.add(NeverIn(("law",), 2))
    steering.add(NeverIn(("bread",), 0))
    steering.add(InTopic(("bread",), 2))
    steering.add(LabelDocument(4, 2))
    assert steering.add(MergeTopics(0, (2,))) == [
        "bread stays out of topic 0, because an earlier edit forbids it there"
    ]
    kinds = {type(item): item for item in steering.model.knowledge}
    assert kinds[tw.SeedWords].seeds == {0: ["ship"]}
    assert kinds[tw.ForbiddenWords].words == {0: ["bread"]}
    assert kinds[tw.DocumentTopics].topics == {4: 0}


def test_split_uses_an_empty_or_new_topic(base: tw.LDA, steering: Steering) -> None:
    ours, others = top(base, "ship"), [topic for topic in range(5) if topic != top(base, "ship")]
    steering.add(MergeTopics(ours, tuple(others)))  # everything in one topic
    steering.add(SplitTopic(ours))
    assert steering.steps[-1] == SplitTopic(ours, (), min(others))
    model = steering.model
    halves = [set(model.top_words(8)[topic]) for topic in (ours, min(others))]
    assert not halves[0] & halves[1]  # whole themes
    sizes = np.asarray(model.topic_word_counts_.sum(axis=1)).ravel()
    assert sizes[ours] >= sizes[min(others)] > 0
    for _ in others:
        steering.add(SplitTopic(ours))
    assert steering.steps[-1] == SplitTopic(ours, (), 5)
    assert len(steering.model.alpha_) == steering.model.n_topics == 6
    steering.update(3)
    assert steering.model.topic_word_.shape[0] == 6


def test_a_split_around_words(base: tw.LDA, steering: Steering, count: Count) -> None:
    topic = top(base, "ship")
    own = {word: count(base, word, topic) for word in base.vocabulary_}
    steering.add(SplitTopic(topic, ("ship", "wave")))
    after = steering.model
    assert [count(after, word, topic) for word in ("ship", "wave")] == [0, 0]
    assert all(count(after, word, topic) + count(after, word, 5) == n for word, n in own.items())
    assert count(after, "ship", 5) == own["ship"]


def test_split_is_reproducible(base: tw.LDA) -> None:
    halves = []
    for _ in range(2):
        steering = Steering(base)
        steering.add(SplitTopic(0))
        halves.append(steering.model.assignments_)
    assert np.array_equal(*halves)
    steering.undo()
    steering.add(Hide(1))
    steering.add(SplitTopic(0))  # the number of the step is part of the seed
    assert not np.array_equal(steering.model.assignments_, halves[0])


def test_names_take_effect_immediately(base: tw.LDA, steering: Steering, tmp_path: Any) -> None:
    steering.add(Rename(3, "  the \n sea "))
    assert steering.names == {3: "the sea"}
    assert (steering.name(3), steering.name(4)) == ("the sea", "topic 4")
    assert steering.model.topic_names_ == ["0", "1", "2", "the sea", "4"]
    assert steering.model.assignments_ is base.assignments_
    steering.save(tmp_path / "named.tw")
    assert tw.load(tmp_path / "named.tw").topic_names_ == steering.model.topic_names_
    steering.add(Rename(3, ""))
    assert (steering.names, steering.model.topic_names_) == ({}, None)


def test_hidden_topics(steering: Steering) -> None:
    before = steering.model
    steering.add(Hide(1))
    assert steering.hidden == {1}
    steering.add(Show(1))
    assert (steering.hidden, steering.model) == (frozenset(), before)


def test_learned_prior_is_fixed_when_topics_are_pinned(corpus: tw.Corpus) -> None:
    steering = Steering(tw.LDA(3, alpha="learn", beta="learn", n_sweeps=25).fit(corpus))
    steering.update(10)
    learned = steering.model.beta_
    steering.add(Pin(0))
    steering.update(10)
    assert steering.model.beta_ == learned


def test_a_model_of_labels_and_seeds_can_be_steered(corpus: tw.Corpus) -> None:
    seeds = tw.SeedWords({"sea": ["ship"], "kitchen": ["bread"]})
    steering = Steering(tw.LDA(4, n_sweeps=20, knowledge=[seeds]).fit(corpus))
    assert steering.names == {0: "sea", 1: "kitchen"}
    assert steering.add(Rename(0, "water")) == [
        "in model files the topic is still called sea, as in the knowledge of the model"
    ]
    steering.add(Rename(3, "court"))
    steering.add(LabelDocument(0, "water"))
    steering.update(3)
    assert steering.names == {0: "water", 1: "kitchen", 3: "court"}
    assert steering.model.topic_names_ == ["sea", "kitchen", "2", "court"]
    with raises_input("others", match="kitchen is part of the model's knowledge"):
        steering.add(MergeTopics(0, (1,)))

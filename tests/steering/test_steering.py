"""What steps do to a model, and what they refuse."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, StoppedWarning
from topicwright.steering import (
    Apart,
    Busy,
    Changes,
    Forget,
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
    Step,
    Together,
    Unpin,
    Update,
)

Count = Callable[[tw.LDA, str, int], int]


def top(base: tw.LDA, word: str) -> int:
    """The topic that has a word most."""
    return int(base.topic_word_counts_[:, [list(base.vocabulary_).index(word)]].toarray().argmax())


# ---------------------------------------------------------------------- the sampler follows


def test_an_update_is_what_resume_does(base: tw.LDA, steering: Steering) -> None:
    """The sampler that has room for everything draws what the plain one draws, and what one for the same knowledge."""
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


def test_one_sweep_mends_what_is_forbidden(base: tw.LDA, steering: Steering, count: Count) -> None:
    topic = top(base, "ship")
    assert count(base, "ship", topic) > 10
    steering.add(NeverIn(("ship",), topic))
    assert count(steering.model, "ship", topic) > 10  # nothing happens before the update
    steering.update(1)
    assert count(steering.model, "ship", topic) == 0
    assert steering.model.topic_word_counts_.sum() == base.corpus_.n_tokens


def test_words_go_where_they_belong(base: tw.LDA, steering: Steering) -> None:
    topic = top(base, "bread")
    word = list(base.vocabulary_).index("ship")
    steering.add(InTopic(("ship",), topic))
    steering.update(20)
    counts = steering.model.topic_word_counts_[:, [word]].toarray().ravel()
    before = base.topic_word_counts_[:, [word]].toarray().ravel()
    assert counts[topic] > before[topic]
    assert steering.model.top_words(3)[topic][0] == "ship"


def test_together_and_apart(base: tw.LDA, steering: Steering) -> None:
    def overlap(model: tw.LDA, one: str, other: str) -> float:
        words = [list(model.vocabulary_).index(word) for word in (one, other)]
        counts = model.topic_word_counts_[:, words].toarray().astype(float)
        return float(np.minimum(*(counts / counts.sum(axis=0)).T).sum())

    steering.add(Together(("ship", "law")))
    steering.add(Apart(("ship", "wave")))
    steering.update(10)
    assert overlap(steering.model, "ship", "law") > 0.5 > overlap(base, "ship", "law")
    assert overlap(steering.model, "ship", "wave") < 0.1 < overlap(base, "ship", "wave")


def test_a_document_follows_its_label(base: tw.LDA, steering: Steering) -> None:
    """Two of the three themes have two topics each: a document of one is said to be of the other."""
    expected = base.corpus_.to_matrix() @ base.topic_word_.T
    second = np.argsort(-np.asarray(expected), axis=1)[:, 1]
    document = int(np.argmax(np.asarray(expected)[np.arange(60), second]))
    topic = int(second[document])
    steering.add(LabelDocument(document, topic))
    steering.update(5)
    assert steering.model.doc_topic_counts_[document, topic] > 6 > base.doc_topic_counts_[document, topic]


def test_a_pinned_topic_stays_while_others_move(base: tw.LDA) -> None:
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
        f"topic {topic} is pinned, and hardly changes until that is taken back"
    ]
    steering.add(Unpin(topic))
    assert not steering.pinned
    assert not any(isinstance(item, tw.KnownTopics) for item in steering.model.knowledge) or steering.pending


# ---------------------------------------------------------------------- topics


def test_a_merge_acts_at_once_and_leaves_an_empty_number(base: tw.LDA, steering: Steering) -> None:
    steering.add(Rename(2, "gone"))
    steering.add(MergeTopics(0, (2, 3)))
    sizes = [np.asarray(model.topic_word_counts_.sum(axis=1)).ravel() for model in (base, steering.model)]
    assert sizes[1].tolist() == [sizes[0][[0, 2, 3]].sum(), sizes[0][1], 0, 0, sizes[0][4]]
    assert (steering.free, steering.names) == ({2, 3}, {})
    steering.update(20)
    assert not np.isin(steering.model.assignments_, [2, 3]).any()
    assert np.isfinite(steering.model.log_likelihood_[-1][1])
    assert steering.model.doc_topic_[:, [2, 3]].max() < 1e-50


def test_a_merge_takes_along_what_was_said(steering: Steering) -> None:
    steering.add(InTopic(("ship",), 2))
    steering.add(NeverIn(("law",), 2))
    steering.add(NeverIn(("bread",), 0))
    steering.add(InTopic(("bread",), 2))
    steering.add(LabelDocument(4, 2))
    assert steering.add(MergeTopics(0, (2,))) == ["bread stays out of topic 0, as was said"]
    kinds = {type(item): item for item in steering.model.knowledge}
    assert kinds[tw.SeedWords].seeds == {0: ["ship"]}
    assert kinds[tw.ForbiddenWords].words == {0: ["bread"]}
    assert kinds[tw.DocumentTopics].about == {4: 0}


def test_a_split_takes_a_free_number_or_a_new_one(base: tw.LDA, steering: Steering) -> None:
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


def test_the_same_split_has_the_same_outcome(base: tw.LDA) -> None:
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


def test_names_are_in_the_model_at_once(base: tw.LDA, steering: Steering, tmp_path: Any) -> None:
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


def test_a_learned_prior_is_held_once_there_are_seeds(corpus: tw.Corpus) -> None:
    steering = Steering(tw.LDA(3, alpha="learn", beta="learn", n_sweeps=25).fit(corpus))
    steering.update(10)
    learned = steering.model.beta_
    steering.add(InTopic(("ship",), 0))
    steering.update(10)
    assert steering.model.beta_ == learned


def test_a_model_of_labels_and_seeds_can_be_steered(corpus: tw.Corpus) -> None:
    seeds = tw.SeedWords({"sea": ["ship"], "kitchen": ["bread"]})
    steering = Steering(tw.LDA(4, n_sweeps=20, knowledge=[seeds]).fit(corpus))
    assert steering.names == {0: "sea", 1: "kitchen"}
    assert steering.add(Rename(0, "water")) == [
        "in model files the topic is still called sea, as the model's own knowledge has it"
    ]
    steering.add(Rename(3, "court"))
    steering.add(LabelDocument(0, "water"))
    steering.update(3)
    assert steering.names == {0: "water", 1: "kitchen", 3: "court"}
    assert steering.model.topic_names_ == ["sea", "kitchen", "2", "court"]
    with pytest.raises(InputError, match="the model's own knowledge speaks of kitchen"):
        steering.add(MergeTopics(0, (1,)))


# ---------------------------------------------------------------------- what makes no sense


REFUSED: list[tuple[Any, str]] = [
    (Together(("ship", "submarine")), "the vocabulary has no word 'submarine'"),
    (Together(("ship",)), "needs 2 words or more"),
    (Apart(("ship", "ship")), "each word must be named once"),
    (Apart(("wave", "law", "ship")), "ship and wave were said to belong together: undo that, or forget one of them"),
    (InTopic(("ship",), 5), "a topic must be a number from 0 to 4: got 5"),
    (InTopic((), 1), "needs 1 words or more"),
    (InTopic(("law",), 1), "law was said never to be in topic 1: undo that, or forget law, first"),
    (NeverIn(("jury",), 1), "jury was said to belong to topic 1"),
    (NeverIn(("law",), -1), "a topic must be a number from 0 to 4: got -1"),
    (MergeTopics(1, ()), "a merge needs different topics"),
    (MergeTopics(1, (1,)), "a merge needs different topics"),
    (MergeTopics(1, (2, 2)), "a merge needs different topics"),
    (MergeTopics(1, (4,)), "topic 4 was merged into another, and is empty"),
    (SplitTopic(4), "topic 4 was merged into another"),
    (SplitTopic(1, (), 9), "the new topic must have the number 4: got 9"),
    (Rename(1, "x" * 101), "at most 100 characters: got 101"),
    (Rename(1, "sea"), "topic 0 is called 'sea' already"),
    (Hide(3), "that changes nothing: topic 3 is hidden already"),
    (Unpin(3), "that changes nothing"),
    (LabelDocument(60, 1), "a document must be an id or a row from 0 to 59: got 60"),
    (LabelDocument("d1", 1), "there is no document with the id 'd1'"),
    (LabelDocument(1, "space"), "no topic is called 'space'"),
    (Forget(("trial",)), "nothing was said of trial"),
    (Update(3), "an update can't be added: call update()"),
    (Pin("1"), "topic of a step must be int"),
    ("pin", "a step must be one of"),
]


@pytest.fixture(scope="module")
def busy_branch(base: tw.LDA) -> Steering:
    steering = Steering(base)
    steps = [Together(("ship", "wave")), NeverIn(("law",), 1), InTopic(("jury",), 1), MergeTopics(0, (4,))]
    for step in [*steps, Rename(0, "sea"), Hide(3)]:
        steering.add(step)
    return steering


@pytest.mark.parametrize(("step", "reason"), REFUSED, ids=[str(step) for step, _ in REFUSED])
def test_what_makes_no_sense_is_refused(busy_branch: Steering, step: Step, reason: str) -> None:
    before = busy_branch.steps
    with pytest.raises(InputError) as error:
        busy_branch.add(step)
    assert reason in str(error.value)
    assert busy_branch.steps == before


def test_a_word_must_be_somewhere(steering: Steering) -> None:
    for topic in range(4):
        steering.add(NeverIn(("ship",), topic))
    with pytest.raises(InputError, match="ship is kept out of all other topics already"):
        steering.add(NeverIn(("ship",), 4))


def test_warnings_tell_of_detours(steering: Steering) -> None:
    assert steering.add(Together(("ship", "wave"))) == []
    assert steering.add(Together(("wave", "sail"))) == []
    assert steering.add(Apart(("ship", "sail"))) == [
        "sail and ship are kept apart, and yet joined over words that belong together"
    ]
    assert steering.add(InTopic(("ship",), 1)) == []
    assert steering.add(InTopic(("ship",), 2)) == ["ship was said to belong to topic 1 too: it is drawn to both"]


def test_what_was_said_of_a_word_is_forgotten(steering: Steering) -> None:
    for step in (Together(("ship", "wave", "sail")), Apart(("ship", "law")), NeverIn(("ship", "law"), 0)):
        steering.add(step)
    steering.add(Forget(("ship",)))
    steering.add(Apart(("ship", "wave")))
    steering.update(1)
    kinds = {type(item): item for item in steering.model.knowledge}
    assert kinds[tw.MustLinks].links == (("wave", "sail"),)
    assert kinds[tw.CannotLinks].links == (("ship", "wave"),)
    assert kinds[tw.ForbiddenWords].words == {0: ["law"]}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (tw.LDA(2), "fitted and has its corpus"),
        (tw.LabeledLDA(), "an LDA can be steered, and no other model yet: got LabeledLDA"),
        ("model.tw", "got str"),
    ],
)
def test_models_that_cannot_be_steered(model: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Steering(model)


# ---------------------------------------------------------------------- undo, redo, changes


def test_every_step_can_be_taken_back_and_again(base: tw.LDA, steering: Steering) -> None:
    steps: list[Step] = [Together(("ship", "wave")), NeverIn(("law",), 0), Rename(1, "one"), Pin(1), Hide(2)]
    steps += [LabelDocument(3, 1), MergeTopics(0, (4,)), SplitTopic(1, ("bread",)), SplitTopic(0)]
    seen: list[Any] = []

    def look() -> Any:
        names, model = steering.names, steering.model
        return names, steering.hidden, steering.pinned, steering.free, model.assignments_.tobytes(), steering.changes

    for step in steps:
        seen.append(look())
        steering.add(step)
        if isinstance(step, (Pin, MergeTopics)):
            seen.append(look())
            steering.update(2)
    seen.append(look())
    for expected in reversed(seen[:-1]):
        steering.undo()
        assert look() == expected
    assert (steering.model, steering.can_undo) == (base, False)
    for expected in seen[1:]:
        steering.redo()
        assert look() == expected
    assert not steering.can_redo


def test_a_new_step_ends_what_could_be_taken_again(steering: Steering) -> None:
    with pytest.raises(InputError, match="no step to take back"):
        steering.undo()
    steering.add(Hide(1))
    assert steering.undo() == Hide(1)
    assert steering.can_redo
    steering.add(Hide(2))
    with pytest.raises(InputError, match="no step to take again"):
        steering.redo()


def test_changes_tell_of_an_update(base: tw.LDA, steering: Steering) -> None:
    topic = top(base, "ship")
    assert steering.changes is None
    steering.add(NeverIn(("ship", "wave", "sail"), topic))
    assert steering.pending == steering.steps
    changes = steering.update(5)
    assert changes is steering.changes
    assert (steering.pending, changes.n_sweeps) == ((), 5)
    change = changes.topics[topic]
    assert {"ship", "wave", "sail"} <= set(change.words_before)
    assert not {"ship", "wave", "sail"} & set(change.words_after)
    assert change.notable
    assert change in changes.notable
    assert [one.distance for one in changes.notable] == sorted((one.distance for one in changes.notable), reverse=True)
    assert sum(one.share_before for one in changes.topics) == pytest.approx(1)
    assert change.share_after < change.share_before
    moved = np.mean(base.assignments_ != steering.model.assignments_)
    assert changes.moved == pytest.approx(float(moved))
    assert Changes.from_dict(changes.to_dict()) == changes


def test_distances_are_those_of_the_definition(base: tw.LDA, steering: Steering) -> None:
    """With 24 words at most, and 20 of each kept, the rest is small: the plain distance is an upper bound, and near."""
    from scipy.spatial.distance import jensenshannon

    changes = steering.update(10)
    for change in changes.topics:
        rows = [model.topic_word_counts_[[change.topic], :].toarray().ravel() for model in (base, steering.model)]
        exact = jensenshannon(*rows, base=2)
        assert change.distance <= exact + 1e-4
        assert change.distance == pytest.approx(exact, abs=0.03)


# ---------------------------------------------------------------------- updates that are stopped, and threads


def test_a_stopped_update_is_one_of_fewer_sweeps(base: tw.LDA, steering: Steering) -> None:
    changes = steering.update(50, lambda sweep: sweep.number < 28)
    assert (changes.n_sweeps, steering.steps) == (3, (Update(3),))
    assert steering.model.interrupted_ is False
    straight = Steering(base)
    straight.update(3)
    assert np.array_equal(straight.model.assignments_, steering.model.assignments_)
    assert straight.model.log_likelihood_ == steering.model.log_likelihood_


def test_ctrl_c_before_the_first_sweep_is_no_update(steering: Steering, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def interrupted() -> Iterator[threading.Event]:
        event = threading.Event()
        event.set()
        yield event

    steering.update(2)
    before = steering.steps, steering.model, steering.changes
    monkeypatch.setattr("topicwright.models.training._interruptible", interrupted)
    with pytest.warns(StoppedWarning):
        assert steering.update(2).n_sweeps == 0
    assert (steering.steps, steering.model, steering.changes) == before


def test_an_update_that_fails_keeps_nothing(base: tw.LDA, steering: Steering) -> None:
    def fail(sweep: Any) -> None:
        raise RuntimeError("the window was closed")

    with pytest.raises(RuntimeError, match="the window was closed"):
        steering.update(5, fail)
    assert (steering.steps, steering.model, steering.busy) == ((), base, False)
    steering.update(1)


def test_others_read_while_one_updates(base: tw.LDA, steering: Steering) -> None:
    started, go_on, told = threading.Event(), threading.Event(), []
    steering.add(Hide(0))
    end = steering.subscribe(lambda one: told.append((one.busy, len(one.steps))))

    def wait(sweep: Any) -> None:
        started.set()
        go_on.wait(60)

    worker = threading.Thread(target=steering.update, args=(50, wait))
    worker.start()
    assert started.wait(60)
    assert steering.busy
    assert (steering.model, steering.steps) == (base, (Hide(0),))
    for act in (lambda: steering.add(Hide(1)), steering.undo, steering.redo, steering.update):
        with pytest.raises(Busy, match="an update is running"):
            act()
    steering.stop()
    go_on.set()
    worker.join(60)
    assert not steering.busy
    assert steering.steps == (Hide(0), Update(1))
    assert told == [(True, 1), (False, 2)]
    end()
    end()
    steering.undo()
    assert len(told) == 2


def test_preparing_changes_nothing(base: tw.LDA, steering: Steering) -> None:
    steering.add(NeverIn(("ship",), 0))
    steering.prepare()
    assert (steering.model, steering.steps, steering.changes) == (base, (NeverIn(("ship",), 0),), None)


def test_threads_do_not_change_the_answer(base: tw.LDA) -> None:
    one, other = Steering(base, n_jobs=1), Steering(base, n_jobs=2)
    for steering in (one, other):
        steering.add(SplitTopic(0))
        steering.update(3)
    assert np.array_equal(one.model.assignments_, other.model.assignments_)
    assert one.model.n_jobs == other.model.n_jobs == base.n_jobs

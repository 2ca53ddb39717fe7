"""Updates: what they change, undo and redo, those that are stopped, and threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, StoppedWarning
from topicwright.steering import (
    Changes,
    Hide,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    SplitTopic,
    Steering,
    Step,
    Together,
    Update,
    UpdateInProgressError,
)
from topicwright.steering.comparison import NOTABLE

from .conftest import top

# ---------------------------------------------------------------------- undo, redo, changes


def test_every_step_can_be_undone_and_redone(base: tw.LDA, steering: Steering) -> None:
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


def test_new_step_clears_redo(steering: Steering) -> None:
    with pytest.raises(InputError, match="no step to undo"):
        steering.undo()
    steering.add(Hide(1))
    assert steering.undo() == Hide(1)
    assert steering.can_redo
    steering.add(Hide(2))
    with pytest.raises(InputError, match="no step to redo"):
        steering.redo()


def test_changes_describe_an_update(base: tw.LDA, steering: Steering) -> None:
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


def test_target_topics_of_constrained_words_are_marked() -> None:
    """However small a part of the topic they are."""
    texts = [f"{'sea ship wave sail ' * 15} oil", f"{'law court judge jury ' * 15} oil"] * 30
    lda = tw.LDA(2, alpha=0.1, n_sweeps=20, random_state=0).fit(texts)
    steering = Steering(lda)
    assert not steering.update(5).notable
    topic = top(lda, "court")
    steering.add(NeverIn(("oil",), topic))
    changes = steering.update(5)
    assert max(change.distance for change in changes.topics) < NOTABLE
    assert len(changes.notable) == 2
    assert Changes.from_dict(changes.to_dict()) == changes


def test_distances_equal_the_definition(base: tw.LDA, steering: Steering) -> None:
    """With 24 words at most, and 20 of each kept, the rest is small: the plain distance is an upper bound, and near."""
    from scipy.spatial.distance import jensenshannon

    changes = steering.update(10)
    for change in changes.topics:
        rows = [model.topic_word_counts_[[change.topic], :].toarray().ravel() for model in (base, steering.model)]
        exact = jensenshannon(*rows, base=2)
        assert change.distance <= exact + 1e-4
        assert change.distance == pytest.approx(exact, abs=0.03)


# ---------------------------------------------------------------------- updates that are stopped, and threads


def test_stopped_update_equals_fewer_sweeps(base: tw.LDA, steering: Steering) -> None:
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
    monkeypatch.setattr("topicwright.models._training._interruptible", interrupted)
    with pytest.warns(StoppedWarning):
        assert steering.update(2).n_sweeps == 0
    assert (steering.steps, steering.model, steering.changes) == before


def test_failed_update_leaves_no_trace(base: tw.LDA, steering: Steering) -> None:
    def fail(sweep: Any) -> None:
        raise RuntimeError("the window was closed")

    with pytest.raises(RuntimeError, match="the window was closed"):
        steering.update(5, fail)
    assert (steering.steps, steering.model, steering.busy) == ((), base, False)
    steering.update(1)


def test_reads_during_an_update(base: tw.LDA, steering: Steering) -> None:
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
        with pytest.raises(UpdateInProgressError, match="an update is running"):
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


def test_preparing_does_not_change_the_model(base: tw.LDA, steering: Steering) -> None:
    steering.add(NeverIn(("ship",), 0))
    steering.prepare()
    assert (steering.model, steering.steps, steering.changes) == (base, (NeverIn(("ship",), 0),), None)


def test_result_does_not_depend_on_threads(base: tw.LDA) -> None:
    one, other = Steering(base, n_jobs=1), Steering(base, n_jobs=2)
    for steering in (one, other):
        steering.add(SplitTopic(0))
        steering.update(3)
    assert np.array_equal(one.model.assignments_, other.model.assignments_)
    assert one.model.n_jobs == other.model.n_jobs == base.n_jobs

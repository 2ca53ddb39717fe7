"""Random steps with undo and redo: the state depends on the remaining steps only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError
from topicwright.steering import (
    Apart,
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


def any_step(rng: np.random.Generator, words: list[str], n_topics: int) -> Step:
    some = tuple(rng.choice(words, rng.integers(1, 4), replace=False).tolist())
    one, other = rng.integers(0, n_topics + 1, 2).tolist()
    steps: list[Any] = [Together(some), Apart(some), InTopic(some, one), NeverIn(some, one), Forget(some), Pin(one)]
    steps += [MergeTopics(one, (other,)), SplitTopic(one), SplitTopic(one, some), Unpin(one), Hide(one), Show(one)]
    steps += [Rename(one, some[0]), Rename(one, ""), LabelDocument(int(rng.integers(0, 60)), one)]
    return steps[rng.integers(len(steps))]  # type: ignore[no-any-return]


def walk(steering: Steering, rng: np.random.Generator, n: int) -> None:
    words = steering.model.vocabulary_.tolist()
    for _ in range(n):
        act = rng.random()
        try:
            if act < 0.15:
                steering.update(int(rng.integers(1, 3)))
            elif act < 0.35:
                steering.undo()
            elif act < 0.5:
                steering.redo()
            else:
                steering.add(any_step(rng, words, len(steering.model.alpha_)))
        except InputError:
            pass
        sound(steering)


def sound(steering: Steering) -> None:
    model = steering.model
    n_topics = len(model.alpha_)
    assert model.n_topics == n_topics == model.topic_word_counts_.shape[0]
    assert not np.isin(model.assignments_, list(steering.free)).any()
    counts = np.bincount(model.assignments_, minlength=n_topics)
    assert np.array_equal(counts, np.asarray(model.topic_word_counts_.sum(axis=1)).ravel())
    assert max([0, *steering.hidden, *steering.pinned, *steering.free, *steering.names]) < n_topics
    assert not steering.free & (steering.hidden | steering.pinned | set(steering.names))


@pytest.mark.parametrize("seed", range(6))
def test_state_does_not_depend_on_the_path(base: tw.LDA, path: Path, seed: int) -> None:
    with Steering.open(path) as steering:
        walk(steering, np.random.default_rng(seed), 60)
        straight = Steering(base)
        for step in steering.steps:
            if isinstance(step, Update):
                straight.update(step.n_sweeps)
            else:
                straight.add(step)
        steering.save(path.with_name("a.tw"))
        straight.save(path.with_name("b.tw"))
        assert path.with_name("a.tw").read_bytes() == path.with_name("b.tw").read_bytes()
    with Steering.open(path) as again:
        again.save(path.with_name("c.tw"))
        assert path.with_name("a.tw").read_bytes() == path.with_name("c.tw").read_bytes()
        assert (again.names, again.pinned, again.changes) == (straight.names, straight.pinned, straight.changes)
        while again.can_undo:
            again.undo()
        assert np.array_equal(again.model.assignments_, base.assignments_)

"""Validation of steps and of models to steer."""

from __future__ import annotations

from typing import Any

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
    SplitTopic,
    Steering,
    Step,
    Together,
    Unpin,
    Update,
)

from ..assertions import raises_input

INVALID: list[tuple[Any, str | None, str]] = [  # a step, the parameter that is wrong, part of the message
    (Together(("ship", "submarine")), "words", "no word 'submarine'"),
    (Together(("ship",)), "words", "at least 2 words"),
    (Apart(("ship", "ship")), "words", "different words"),
    (Apart(("wave", "law", "ship")), "words", "an earlier edit says that ship and wave belong together"),
    (InTopic(("ship",), 5), "topic", "from 0 to 4: got 5"),
    (InTopic((), 1), "words", "at least 1 words"),
    (InTopic(("law",), 1), "words", "an earlier edit says that law is never in topic 1"),
    (NeverIn(("jury",), 1), "words", "an earlier edit says that jury belongs to topic 1"),
    (NeverIn(("law",), -1), "topic", "from 0 to 4: got -1"),
    (MergeTopics(1, ()), "others", "different topics"),
    (MergeTopics(1, (1,)), "others", "different topics"),
    (MergeTopics(1, (2, 2)), "others", "different topics"),
    (MergeTopics(1, (4,)), "topic", "topic 4 was merged into another"),
    (SplitTopic(4), "topic", "topic 4 was merged into another"),
    (SplitTopic(1, (), 9), "new", "4 or None: got 9"),
    (Rename(1, "x" * 101), "name", "at most 100 characters: got 101"),
    (Rename(1, "sea"), "name", "topic 0 is called 'sea' already"),
    (Hide(3), "topic", "changes nothing: topic 3 is hidden already"),
    (Unpin(3), "topic", "changes nothing"),
    (LabelDocument(60, 1), None, "from 0 to 59"),
    (LabelDocument("d1", 1), None, "'d1'"),
    (LabelDocument(1, "space"), "topic", "no topic is called 'space'"),
    (Forget(("trial",)), "words", "no constraints on trial"),
    (Update(3), "step", "cannot be added"),
    (Pin("1"), "topic", "a value of the type int"),
    ("pin", "step", "such as Together or InTopic"),
]


@pytest.fixture(scope="module")
def busy_branch(base: tw.LDA) -> Steering:
    steering = Steering(base)
    steps = [Together(("ship", "wave")), NeverIn(("law",), 1), InTopic(("jury",), 1), MergeTopics(0, (4,))]
    for step in [*steps, Rename(0, "sea"), Hide(3)]:
        steering.add(step)
    return steering


@pytest.mark.parametrize(("step", "parameter", "message"), INVALID, ids=[str(case[0]) for case in INVALID])
def test_impossible_steps_are_rejected(busy_branch: Steering, step: Step, parameter: str | None, message: str) -> None:
    before = busy_branch.steps
    with raises_input(parameter) as caught:
        busy_branch.add(step)
    assert message in str(caught.value)
    assert busy_branch.steps == before


def test_rejects_forbidding_a_word_everywhere(steering: Steering) -> None:
    for topic in range(4):
        steering.add(NeverIn(("ship",), topic))
    with raises_input("words", got="ship", match="forbidden in all topics"):
        steering.add(NeverIn(("ship",), 4))


def test_conflicting_steps_give_warnings(steering: Steering) -> None:
    assert steering.add(Together(("ship", "wave"))) == []
    assert steering.add(Together(("wave", "sail"))) == []
    assert steering.add(Apart(("ship", "sail"))) == [
        "sail and ship are kept apart, but linked through words that belong together"
    ]
    assert steering.add(InTopic(("ship",), 1)) == []
    assert steering.add(InTopic(("ship",), 2)) == ["an earlier edit puts ship in topic 1: both topics attract it"]


def test_constraints_on_a_word_can_be_removed(steering: Steering) -> None:
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
        (tw.LabeledLDA(), "an LDA, .*: got LabeledLDA"),
        ("model.tw", "got str"),
    ],
)
def test_rejects_models_that_cannot_be_steered(model: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Steering(model)

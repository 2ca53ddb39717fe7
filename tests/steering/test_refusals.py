"""Steps that make no sense, and models that can't be steered."""

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

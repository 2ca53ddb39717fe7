"""Steps as data and as sentences."""

from __future__ import annotations

import json

import pytest

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
    Step,
    Together,
    Unpin,
    Update,
    step_from_dict,
)
from topicwright.steering.steps import KINDS

from ..assertions import raises_input

NAMES = {1: "sea", 2: "kitchen"}
SENTENCES = {
    Together(("ship", "boat")): "ship and boat belong together",
    Apart(("ship", "boat", "law")): "ship, boat and law are kept apart",
    InTopic(("ship",), 1): "ship belongs to sea",
    InTopic(tuple("abcdefgh"), 3): "a, b, c, d, e and 3 more belong to topic 3",
    NeverIn(("law", "jury"), 0): "law and jury are never in topic 0",
    Forget(("law",)): "constraints on law are removed",
    MergeTopics(1, (2, 4)): "kitchen and topic 4 are merged into sea",
    MergeTopics(0, (3,)): "topic 3 is merged into topic 0",
    SplitTopic(1): "sea is split in two",
    SplitTopic(1, ("ship",), 7): "sea is split in two around ship: the second half is topic 7",
    Rename(1, "water"): "topic 1 is renamed to water",
    Rename(1, ""): "topic 1 has no name",
    Pin(1): "sea is pinned",
    Unpin(1): "sea is unpinned",
    Hide(2): "kitchen is hidden",
    Show(2): "kitchen is shown",
    LabelDocument("d7", 2): "document d7 is about kitchen",
    LabelDocument(7, "sea"): "document 7 is about sea",
    Update(1): "the model was updated with 1 sweep",
    Update(20): "the model was updated with 20 sweeps",
}


@pytest.mark.parametrize("step", SENTENCES, ids=repr)
def test_steps_serialize_and_describe_themselves(step: Step) -> None:
    assert step_from_dict(json.loads(json.dumps(step.to_dict()))) == step
    assert step.sentence(NAMES) == SENTENCES[step]


def test_every_step_type_is_covered() -> None:
    assert {type(step) for step in SENTENCES} == set(KINDS.values())


@pytest.mark.parametrize(
    ("data", "parameter", "message"),
    [
        ([], "step", "a mapping with a key step, one of together"),
        ({"step": "explode"}, "step", "a mapping"),
        ({"step": ["pin"]}, "step", "a mapping"),
        ({"step": "pin"}, None, "a step 'pin' needs the keys topic"),
        ({"step": "pin", "topic": "1"}, "topic", "type int: got '1'"),
        ({"step": "pin", "topic": True}, "topic", "type int: got True"),
        ({"step": "pin", "topic": 1, "color": "red"}, None, "has the keys topic: got color"),
        ({"step": "together", "words": "ab"}, "words", "type tuple"),
        ({"step": "together", "words": ["a", 1]}, "words", "type tuple"),
        ({"step": "merge", "into": 1, "others": ["a"]}, "others", "type tuple"),
    ],
)
def test_rejects_data_of_unknown_steps(data: object, parameter: str | None, message: str) -> None:
    with raises_input(parameter) as caught:
        step_from_dict(data)
    assert message in str(caught.value)

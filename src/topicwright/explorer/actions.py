"""What people do on the page, as steps of the steering."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..steering import (
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
)


def step_for_words(what: str, words: Sequence[str], topic: int) -> Step:
    """What was said of selected words while a topic was looked at."""
    chosen = tuple(words)
    steps: dict[str, Step] = {
        "together": Together(chosen),
        "apart": Apart(chosen),
        "here": InTopic(chosen, topic),
        "never": NeverIn(chosen, topic),
        "split": SplitTopic(topic, chosen),
        "forget": Forget(chosen),
    }
    return steps[what]


def step_for_topic(what: str, topic: int, value: Any, pinned: Collection[int]) -> Step:
    """What was said of a topic as a whole; ``value`` is what the page says with it: a name, or another topic."""
    if what == "rename":
        return Rename(topic, str(value))
    if what == "merge":
        return MergeTopics(topic, (int(value),))
    if what == "unhide":
        return Show(int(value))
    if what == "pin":
        return Unpin(topic) if topic in pinned else Pin(topic)
    return Hide(topic) if what == "hide" else SplitTopic(topic)


def step_for_document(row: int, topic: int) -> Step:
    """A document is about a topic."""
    return LabelDocument(row, topic)


def words_told_of(steps: Iterable[Step]) -> frozenset[str]:
    """Words of which something was said that holds."""
    told: set[str] = set()
    for step in steps:
        if isinstance(step, (Together, Apart, InTopic, NeverIn)):
            told |= set(step.words)
        elif isinstance(step, Forget):
            told -= set(step.words)
    return frozenset(told)

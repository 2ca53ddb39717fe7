"""A topic's name and figures, what can be done with it as a whole, and how it has changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..steering import TopicChange
from ..views.contents import label_counts
from ..views.text import WORD, fixed, percent, shown
from .panel import Panel
from .picture import Picture


class TopicHead(Panel, component="topic_head.js"):
    """Says ``rename``, ``merge`` with the topic to merge into it, ``split``, ``pin`` and ``hide``."""

    def show_topic(
        self, picture: Picture, topic: int, *, pinned: bool, change: Any, coherence: Any, others: list[dict[str, Any]]
    ) -> None:
        """Show a topic; ``change`` is what :func:`change_of` tells, or None; ``others`` may be merged into it."""
        self.show(
            topic=topic,
            name=picture.name(topic),
            title=picture.title(topic),
            facts=_facts(picture, topic, coherence),
            others=others,
            pinned=pinned,
            change=change,
        )


def _facts(picture: Picture, topic: int, coherence: Any) -> list[str]:
    facts = [f"{percent(float(picture.sizes[topic]))} of all words"]
    if coherence is not None and topic < len(coherence) and not np.isnan(coherence[topic]):
        facts.append(f"coherence {fixed(float(coherence[topic]))} (NPMI)")
    counts = label_counts(picture.model)
    if counts is not None and topic < len(counts):
        facts.append(f"{counts[topic]:,} documents have the label")
    return facts


def change_of(change: TopicChange) -> dict[str, Any]:
    """Before and after, with the words that went and those that came."""
    before, after = set(change.words_before), set(change.words_after)
    shares = percent(change.share_before), percent(change.share_after)
    size = f"{shares[1]} of all words" + (", as before" if shares[0] == shares[1] else f"; before, {shares[0]}")
    return {
        "before": [[shown(word, WORD), word not in after] for word in change.words_before],
        "after": [[shown(word, WORD), word not in before] for word in change.words_after],
        "told": size,
    }

"""All topics in a list, with their words and shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..views.text import percent
from .panel import Panel
from .picture import Picture


class TopicList(Panel, component="topic_list.js"):
    """Says ``choose`` with the number of a topic, and ``unhide`` with that of one that is hidden."""

    def show_picture(
        self,
        picture: Picture,
        *,
        hidden: Collection[int],
        can_return: Collection[int],
        pinned: Collection[int],
        moved: Mapping[int, float],
    ) -> None:
        """List the topics that are not hidden, and others that can return; ``moved`` says how far words moved."""
        full = max((float(picture.sizes[k]) for k in picture.map.topics.tolist()), default=1.0)
        self.show(
            topics=[
                _row(picture, topic, full) | {"pinned": topic in pinned, "moved": round(moved.get(topic, 0.0), 3)}
                for topic in picture.map.topics.tolist()
                if topic not in hidden
            ],
            left_out=len(np.flatnonzero(picture.sizes)) - len(picture.map.topics),
            hidden=[{"topic": topic, "title": picture.title(topic)} for topic in sorted(can_return)],
        )


def _row(picture: Picture, topic: int, full: float) -> dict[str, Any]:
    share = float(picture.sizes[topic])
    return {
        "topic": topic,
        "name": picture.name(topic),
        "words": " ".join(picture.leading(topic)),
        "size": float(f"{share:.4g}"),
        "share": percent(share),
        "width": round(100 * share / full, 1),
    }

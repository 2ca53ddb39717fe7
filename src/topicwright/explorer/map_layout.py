"""The map of topics as numbers: circles and names in a wide picture and in a narrow one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._utils.formatting import truncate
from ..views.format import percent
from ..views.topic_map import TopicLayout, circles, place_names
from .view_model import ModelView

_SIZES = {"wide": (560, 430), "narrow": (358, 340)}
_TYPE, _NAME = 12.0, 22  # height of letters, and their number
_ROOM = 0.8  # of circles is drawn: the rest is for names


def maps_of(picture: ModelView, hidden: Collection[int]) -> dict[str, Any]:
    """The map in both sizes. This takes its time: it is for a thread that nobody waits for."""
    places = _without(picture.map, hidden)
    return {kind: _drawn(picture, places, *size) for kind, size in _SIZES.items()}


def _drawn(picture: ModelView, places: TopicLayout, width: int, height: int) -> dict[str, Any]:
    topics = places.topics.tolist()
    centres, radii = circles(places, width, height)
    radii = _ROOM * radii
    names = [truncate(picture.name(topic) or picture.leading(topic)[0], _NAME) for topic in topics]
    placed = place_names(centres, radii, names, _TYPE, width, height)
    at = {circle: (round(x, 1), round(y, 1)) for circle, x, y in placed}
    spots = [
        {
            "topic": topic,
            "x": round(x, 1),
            "y": round(y, 1),
            "r": round(radius, 1),
            "mark": str(topic) if len(str(topic)) * _TYPE * 0.6 < 2 * radius - 2 else "",
            "name": names[n],
            "name_at": at.get(n),
            "title": _told(picture, topic),
        }
        for n, (topic, (x, y), radius) in enumerate(zip(topics, centres.tolist(), radii.tolist()))
    ]
    return {"width": width, "height": height, "spots": spots}


def _told(picture: ModelView, topic: int) -> str:
    name, words = picture.name(topic), " ".join(picture.leading(topic))
    called = f"Topic {topic}" if name is None else f"Topic {topic}, {name}"
    return f"{called}: {words} ({percent(float(picture.sizes[topic]))} of all words)"


def _without(places: TopicLayout, hidden: Collection[int]) -> TopicLayout:
    keep = [n for n, topic in enumerate(places.topics.tolist()) if topic not in hidden]
    return TopicLayout(places.topics[keep], places.positions[keep], places.sizes[keep], places.distances[keep][:, keep])

"""The map of topics: those with like words lie near each other, larger circles hold more words."""

from __future__ import annotations

from .panel import Panel


class TopicMap(Panel, component="topic_map.js"):
    """Shows ``maps`` of :func:`~topicwright.explorer.drawing.maps_of`; says ``choose`` with the number of a topic."""

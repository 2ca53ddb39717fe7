"""Pictures of a page: the map of topics, and a curve."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .labelling import place_names
from .mapping import TopicMap
from .spreading import circles
from .text import fixed
from .ticks import Axis

_TYPE = 11.0  # height of letters


class Spot(NamedTuple):
    """What the map says of a topic: in its circle, beside it, and when it is pointed at."""

    mark: str
    name: str
    title: str


def map_svg(places: TopicMap, spots: Sequence[Spot], width: int, height: int, kind: str) -> str:
    """The map; every topic is a link to itself, so that it can be reached by keys."""
    centres, radii = circles(places, width, height)
    parts = []
    for topic, (x, y), radius, spot in zip(places.topics.tolist(), centres.tolist(), radii.tolist(), spots):
        fits = len(spot.mark) * _TYPE * 0.6 < 2 * radius - 2
        mark = f'<text x="{x:.1f}" y="{y:.1f}" dy=".35em">{escape(spot.mark)}</text>' if fits else ""
        parts.append(
            f'<a href="#topic={topic}" data-topic="{topic}" aria-label="{escape(spot.title)}">'
            f"<title>{escape(spot.title)}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>{mark}</a>'
        )
    for circle, x, y in place_names(centres, radii, [spot.name for spot in spots], _TYPE, width, height):
        parts.append(f'<text class="name" x="{x:.1f}" y="{y:.1f}" dy=".35em">{escape(spots[circle].name)}</text>')
    return (
        f'<svg class="map {kind}" viewBox="0 0 {width} {height}" role="group" aria-label="Map of topics">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def curve_svg(points: Sequence[tuple[float, float]], across: str, up: str) -> str:
    """A curve with few lines, its last value beside it."""
    width, height, left, top, right, bottom = 560, 270, 62, 34, 74, 40
    x = Axis([point[0] for point in points], left, width - right)
    least = 0.01 * abs(points[-1][1])  # so that no wobble looks like a fall
    y = Axis([point[1] for point in points], height - bottom, top, least)
    line = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points)
    grid = "".join(
        f'<line x1="{left}" x2="{width - right}" y1="{y.at(t):.1f}" y2="{y.at(t):.1f}"/>'
        f'<text class="up" x="{left - 8}" y="{y.at(t):.1f}" dy=".35em">{label}</text>'
        for t, label in y.ticks()
    )
    below = "".join(
        f'<text class="across" x="{x.at(t):.1f}" y="{height - bottom + 20}">{label}</text>' for t, label in x.ticks()
    )
    last_x, last_y = points[-1]
    title = f"{up}, from {points[0][1]:.3f} at {across} {points[0][0]:g} to {last_y:.3f} at {across} {last_x:g}"
    return (
        f'<svg class="curve" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{grid}{below}"
        f'<text class="unit" x="0" y="14">{escape(up)}</text>'
        f'<text class="unit end" x="{width}" y="{height - 2}">{escape(across)}</text>'
        f'<polyline points="{line}"/><circle cx="{x.at(last_x):.1f}" cy="{y.at(last_y):.1f}" r="4"/>'
        f'<text class="value" x="{x.at(last_x) + 9:.1f}" y="{y.at(last_y):.1f}" dy=".35em">{fixed(last_y)}</text></svg>'
    )

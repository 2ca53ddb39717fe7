"""Pictures of a page: the map of topics, and a curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..format import Axis, fixed, percent
from ..over_time import FEW, TopicsOverTime, has_dates, topics_over_time
from ..topic_map import TopicLayout, circles, place_names

_TYPE = 11.0  # height of letters


class MapCircle(NamedTuple):
    """What the map says of a topic: in its circle, beside it, and when it is pointed at."""

    mark: str
    name: str
    title: str


def map_svg(places: TopicLayout, spots: Sequence[MapCircle], width: int, height: int, kind: str) -> str:
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


_SHOWN = 12  # topics in a card of their own
_WIDTH, _FLOOR, _HEIGHT = 200.0, 48.0, 44.0  # of a curve


def times_on_page(model: Any, topics: Sequence[int]) -> TopicsOverTime | None:
    """Smoothed shares of these topics; None where no words have dates, or all are of one period."""
    if not has_dates(model) or not topics:
        return None
    found = topics_over_time(model, topics, smooth=True)
    return found if len(found.periods) > 1 and not np.isnan(found.shares).all() else None


def curve_as_data(found: TopicsOverTime, topic: int) -> dict[str, str]:
    """A topic's curve: all of it, the part that many documents bear out, and what it says."""
    shares = [np.nan if share is None else share for share in found.of_topic(topic)]
    scale = _HEIGHT / max(float(np.nanmax(shares)), 1e-12)
    across = _WIDTH / (len(shares) - 1)
    points = [f"{n * across:.1f} {_FLOOR - scale * share:.1f}" for n, share in enumerate(shares)]
    known = [not np.isnan(share) for share in shares]
    sure = [there and not period.is_thin for there, period in zip(known, found.periods)]
    peak = int(np.nanargmax(np.where(sure, shares, np.nan) if any(sure) else shares))
    told = f"most in {found.periods[peak].name}: {percent(shares[peak])}"
    return {"line": _path(points, known), "sure": _path(points, sure), "told": told}


def _path(points: Sequence[str], drawn: Sequence[bool]) -> str:
    """A line through the points that are to be drawn, broken where others lie between."""
    begun = [False, *drawn[:-1]]
    return "".join(f"{'L' if before else 'M'}{point}" for point, here, before in zip(points, drawn, begun) if here)


def timeline_html(found: TopicsOverTime | None, topics: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """A card with the curves of the topics that change most, under the names that the map has for them."""
    if found is None:
        return ""
    chosen = np.argsort(-found.changes(), kind="stable")[:_SHOWN].tolist()
    curves = "\n".join(_figure(topics[place], names[place], found) for place in chosen)
    which = "The topics" if len(chosen) == len(topics) else f"The {len(chosen)} topics that change most"
    said = " ".join([f"{which}, by their share of all words in each {found.unit}, smoothed.", *_remarks(found)])
    return (
        f'<section class="card">\n<h2>Topics over time</h2>\n<p class="hint">{said}</p>\n'
        f'<div class="times">\n{curves}\n</div>\n</section>\n'
    )


def _remarks(found: TopicsOverTime) -> Iterator[str]:
    if any(period.is_thin for period in found.periods):
        yield f"Where a {found.unit} has fewer than {FEW} documents the line is dashed."
    if found.n_undated:
        yield f"{found.n_undated:,} documents have no date." if found.n_undated > 1 else "One document has no date."


def _figure(topic: dict[str, Any], name: str, found: TopicsOverTime) -> str:
    number, curve = topic["topic"], topic["time"]
    told = f"{number} · {name}: {curve['told']}"
    return (
        f'<a class="time" href="#topic={number}" data-topic="{number}" aria-label="{escape(told)}">'
        f"<b>{number} · {escape(name)}</b>{curve_html(found, curve)}</a>"
    )


def curve_html(found: TopicsOverTime, curve: dict[str, str] | None = None) -> str:
    """The picture of a curve, to be filled in by the script where none is given."""
    line, sure, told = (escape(curve[part]) if curve else "" for part in ("line", "sure", "told"))
    first, last = (escape(found.periods[place].name) for place in (0, -1))
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} 50" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="floor" d="M0 {_FLOOR:.0f}H{_WIDTH:.0f}"/>'
        f'<path class="line" d="{line}"/><path class="sure" d="{sure}"/></svg>'
        f'<span class="ends"><span>{first}</span><span class="told">{told}</span><span>{last}</span></span>'
    )

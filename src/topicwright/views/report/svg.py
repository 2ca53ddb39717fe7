"""SVG and HTML of the report: the map of topics, the training curve, and topics over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..format import Axis, fixed, percent
from ..over_time import MIN_DOCS, TopicsOverTime, has_dates, topics_over_time
from ..topic_map import TopicLayout, circle_layout, place_labels

_FONT_SIZE = 11.0
_CHARTS = 12  # topics with a chart over time of their own
_WIDTH, _FLOOR, _HEIGHT = 200.0, 48.0, 44.0  # of such a chart


class MapCircle(NamedTuple):
    """Texts of a topic on the map: inside its circle, beside it, and its tooltip."""

    mark: str
    name: str
    title: str


def map_svg(layout: TopicLayout, labels: Sequence[MapCircle], width: int, height: int, kind: str) -> str:
    """The map of topics; every topic is a link, so that it can be reached with the keyboard."""
    centers, radii = circle_layout(layout, width, height)
    parts = []
    for topic, (x, y), radius, label in zip(layout.topics.tolist(), centers.tolist(), radii.tolist(), labels):
        fits = len(label.mark) * _FONT_SIZE * 0.6 < 2 * radius - 2
        mark = f'<text x="{x:.1f}" y="{y:.1f}" dy=".35em">{escape(label.mark)}</text>' if fits else ""
        parts.append(
            f'<a href="#topic={topic}" data-topic="{topic}" aria-label="{escape(label.title)}">'
            f"<title>{escape(label.title)}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>{mark}</a>'
        )
    for circle, x, y in place_labels(centers, radii, [label.name for label in labels], _FONT_SIZE, width, height):
        parts.append(f'<text class="name" x="{x:.1f}" y="{y:.1f}" dy=".35em">{escape(labels[circle].name)}</text>')
    return (
        f'<svg class="map {kind}" viewBox="0 0 {width} {height}" role="group" aria-label="Map of topics">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def curve_svg(points: Sequence[tuple[float, float]], across: str, up: str) -> str:
    """Line chart with a grid, and its last value beside it."""
    width, height, left, top, right, bottom = 560, 270, 62, 34, 74, 40
    x = Axis([point[0] for point in points], left, width - right)
    min_span = 0.01 * abs(points[-1][1])  # so that noise does not look like a change
    y = Axis([point[1] for point in points], height - bottom, top, min_span)
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


# ---------------------------------------------------------------------- topics over time


def smoothed_over_time(model: Any, topics: Sequence[int]) -> TopicsOverTime | None:
    """Smoothed shares of these topics; None if no document has a date, or all are of one period."""
    if not has_dates(model) or not topics:
        return None
    found = topics_over_time(model, topics, smooth=True)
    return found if len(found.periods) > 1 and not np.isnan(found.shares).all() else None


def time_curve_data(found: TopicsOverTime, topic: int) -> dict[str, str]:
    """Curve of a topic as SVG paths: the whole line, its solid part (periods that are not thin), and its peak."""
    shares = [np.nan if share is None else share for share in found.of_topic(topic)]
    scale = _HEIGHT / max(float(np.nanmax(shares)), 1e-12)
    across = _WIDTH / (len(shares) - 1)
    points = [f"{n * across:.1f} {_FLOOR - scale * share:.1f}" for n, share in enumerate(shares)]
    known = [not np.isnan(share) for share in shares]
    solid = [is_known and not period.is_thin for is_known, period in zip(known, found.periods)]
    highest = int(np.nanargmax(np.where(solid, shares, np.nan) if any(solid) else shares))
    peak = f"most in {found.periods[highest].name}: {percent(shares[highest])}"
    return {"line": _path(points, known), "solid": _path(points, solid), "peak": peak}


def _path(points: Sequence[str], drawn: Sequence[bool]) -> str:
    """Line through the points that are to be drawn, interrupted at the others."""
    continues = [False, *drawn[:-1]]
    return "".join(f"{'L' if before else 'M'}{point}" for point, here, before in zip(points, drawn, continues) if here)


def timeline_html(found: TopicsOverTime | None, topics: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """Section with the curves of the topics that change most."""
    if found is None:
        return ""
    chosen = np.argsort(-found.changes(), kind="stable")[:_CHARTS].tolist()
    curves = "\n".join(_chart(topics[row], names[row], found) for row in chosen)
    which = "The topics" if len(chosen) == len(topics) else f"The {len(chosen)} topics that change most"
    hint = " ".join([f"{which}, by their share of all words in each {found.unit}, smoothed.", *_remarks(found)])
    return (
        f'<section class="card">\n<h2>Topics over time</h2>\n<p class="hint">{hint}</p>\n'
        f'<div class="times">\n{curves}\n</div>\n</section>\n'
    )


def _remarks(found: TopicsOverTime) -> Iterator[str]:
    if any(period.is_thin for period in found.periods):
        yield f"Where a {found.unit} has fewer than {MIN_DOCS} documents the line is dashed."
    if found.n_undated:
        yield f"{found.n_undated:,} documents have no date." if found.n_undated > 1 else "One document has no date."


def _chart(topic: dict[str, Any], name: str, found: TopicsOverTime) -> str:
    number, curve = topic["topic"], topic["time"]
    label = f"{number} · {name}: {curve['peak']}"
    return (
        f'<a class="time" href="#topic={number}" data-topic="{number}" aria-label="{escape(label)}">'
        f"<b>{number} · {escape(name)}</b>{time_curve_html(found, curve)}</a>"
    )


def time_curve_html(found: TopicsOverTime, curve: dict[str, str] | None = None) -> str:
    """Chart of a curve; without one, it is empty for the script to fill."""
    line, solid, peak = (escape(curve[part]) if curve else "" for part in ("line", "solid", "peak"))
    first, last = (escape(found.periods[number].name) for number in (0, -1))
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} 50" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="floor" d="M0 {_FLOOR:.0f}H{_WIDTH:.0f}"/>'
        f'<path class="line" d="{line}"/><path class="solid" d="{solid}"/></svg>'
        f'<span class="ends"><span>{first}</span><span class="peak">{peak}</span><span>{last}</span></span>'
    )

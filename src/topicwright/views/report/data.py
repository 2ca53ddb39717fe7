"""Data and drawings of the report: words, documents and weights of topics, the map, curves over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..._utils.formatting import percent, truncate
from ..documents import TopicDocument, documents_of, passage_pieces
from ..format import (
    NAME_LENGTH,
    WORD_LENGTH,
    Axis,
    document_name,
    fixed,
    has_documents,
    is_labeled,
    topic_name,
)
from ..over_time import MIN_DOCS, TopicsOverTime, has_dates, topics_over_time
from ..topic_map import TopicLayout, circle_layout, nearest_topics, place_labels
from ..words import RankedWords, RelevantWord, labels_of, weights_of_topics

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
    peak = f"highest in {found.periods[highest].name}: {percent(shares[highest])}"
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
    hint = " ".join([f"{which}: share of all words in each {found.unit}, smoothed.", *_remarks(found)])
    return (
        f'<section class="card">\n<h2>Topics over time</h2>\n<p class="hint">{hint}</p>\n'
        f'<div class="times">\n{curves}\n</div>\n</section>\n'
    )


def _remarks(found: TopicsOverTime) -> Iterator[str]:
    if any(period.is_thin for period in found.periods):
        yield f"The line is dashed if a {found.unit} has fewer than {MIN_DOCS} documents."
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


WORDS = 20  # of a topic, for any λ
DEFAULT_LAMBDA = 0.6  # for which readers identified topics best (Sievert and Shirley 2014)
_DOCUMENTS, _PASSAGE = 5, 40
_SIMILAR_TOPICS, _BARS, _SMALLEST_BARS = 4, 8, 3


class Bars(NamedTuple):
    """Numbers of topics that are shown as bars: weights in predictions, or shares of labels."""

    head: str
    unit: str
    """"share" or "weight"."""
    full: float
    """Value of the longest possible bar."""
    of_topic: dict[int, list[tuple[str, float]]]
    """Names and values of each topic."""


def topic_data(
    model: Any, layout: TopicLayout, coherence: Any, times: TopicsOverTime | None = None, *, documents: bool
) -> list[dict[str, Any]]:
    """Words, similar topics, documents and weights of each topic, in the order of the map."""
    words, bars = RankedWords(model), topic_bars(model, layout.topics.tolist())
    counts = label_counts(model)
    topics = []
    for row, topic in enumerate(layout.topics.tolist()):
        entry: dict[str, Any] = {
            "topic": topic,
            "name": topic_name(model, topic),
            "share": float(f"{layout.sizes[row]:.4g}"),
            "words": [_word_data(word) for word in words.candidates(topic, WORDS)],
            "near": [
                [int(layout.topics[other]), round(similarity, 3)]
                for other, similarity in nearest_topics(layout.distances, row, _SIMILAR_TOPICS)
            ],
        }
        if coherence is not None and not np.isnan(coherence[topic]):
            entry["coherence"] = round(float(coherence[topic]), 3)
        if counts is not None and topic < len(counts):
            entry["documents"] = counts[topic]
        if bars is not None:
            entry["bars"] = [
                [truncate(name, NAME_LENGTH), float(f"{value:.4g}")] for name, value in bars.of_topic[topic]
            ]
        if times is not None:
            entry["time"] = time_curve_data(times, topic)
        if documents and has_documents(model):
            entry["examples"] = [_example(one) for one in documents_of(model, topic, _DOCUMENTS, _PASSAGE)]
        topics.append(entry)
    return topics


def _word_data(word: RelevantWord) -> list[Any]:
    logs = [round(word.log_probability, 3), round(word.log_lift, 3)]
    return [truncate(word.word, WORD_LENGTH), *logs, round(word.times), round(word.times_in_all)]


def _example(document: TopicDocument) -> dict[str, Any]:
    return {
        "name": document_name(document.row, document.name),
        "share": round(document.share, 3),
        "labels": [truncate(label, NAME_LENGTH) for label in document.labels[:_BARS]],
        "pieces": passage_pieces(document),
    }


def label_counts(model: Any) -> list[int] | None:
    """Number of documents of each label, if topics are labels."""
    if not is_labeled(model):
        return None
    counts: list[int] = np.asarray(model.label_counts_).tolist()
    return counts


def topic_bars(model: Any, topics: list[int]) -> Bars | None:
    """Weights of topics in predictions; otherwise labels of their documents, unless topics are labels."""
    weights = weights_of_topics(model)
    if weights:
        names, matrix = list(weights), np.array(list(weights.values()))
        full = float(np.abs(matrix).max()) or 1.0
        return Bars("Weight in what is predicted", "weight", full, {k: _largest(names, matrix[:, k]) for k in topics})
    if is_labeled(model) or not has_documents(model) or model.corpus_.labels is None:
        return None
    names, shares = labels_of(model)
    rows = {k: _largest(names, shares[[k], :].toarray()[0]) for k in topics}
    return Bars("Labels that its words come from", "share", 1.0, rows)


def _largest(names: list[str], values: Any) -> list[tuple[str, float]]:
    """The largest values first; if there are many, a few of the smallest as well."""
    order = [i for i in np.argsort(-values, kind="stable").tolist() if values[i] != 0]
    if len(order) > _BARS and values[order[-1]] < 0:
        order = [*order[: _BARS - _SMALLEST_BARS], *order[-_SMALLEST_BARS:]]
    return [(names[i], float(values[i])) for i in order[:_BARS]]

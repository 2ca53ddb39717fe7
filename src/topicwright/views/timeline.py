"""Topics over time on a page: a small curve for each of those that change most, and one of the topic that is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from .over_time import FEW, TopicsOverTime, has_dates, topics_over_time
from .text import percent

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

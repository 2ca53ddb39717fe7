"""Topics over time, as a column of curves or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..answers.jsontext import to_json
from ._chart import curve

if TYPE_CHECKING:
    from ..models import LDA

_WIDTH = 16


def time_column(model: LDA) -> dict[str, list[str]]:
    """A small curve for each topic, under the first and the last period."""
    from ..views import topics_over_time

    found = topics_over_time(model, smooth=True)
    first, last = found.periods[0].name, found.periods[-1].name
    head = first if first == last else f"{first} to {last}"
    return {head: [_line(found.of_topic(topic)) for topic in found.topics.tolist()]}


def times_as_json(model: LDA, chosen: list[int]) -> str:
    """Periods, and the shares of these topics in each, as they are."""
    from ..views import topics_over_time

    return to_json(topics_over_time(model, chosen).to_dict()) + "\n"


def _line(shares: list[float | None]) -> str:
    points = [(float(place), share) for place, share in enumerate(shares) if share is not None]
    return curve(points, _WIDTH, 1)[0] if any(share for _, share in points) else ""

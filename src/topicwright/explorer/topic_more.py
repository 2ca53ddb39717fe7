"""What else there is of a topic: labels or weights, topics like it, its way through time, and its documents."""

from __future__ import annotations

from typing import Any

from ..views.contents import Bars
from ..views.documents import TopicDocument, documents_of, pieces_of
from ..views.over_time import TopicsOverTime
from ..views.text import MINUS, NAME, name_of_document, percent, shown
from ..views.timeline import curve_as_data
from .panel import Panel
from .picture import Picture

_DOCUMENTS, _PASSAGE = 6, 32
_LABELS = 4


class TopicMore(Panel, component="topic_more.js"):
    """Says ``choose`` with the number of a topic, and ``read`` with the row of a document."""

    def show_topic(self, picture: Picture, topic: int, over_time: TopicsOverTime | None) -> None:
        """Show a topic."""
        documents = documents_of(picture.model, topic, _DOCUMENTS, _PASSAGE) if picture.has_documents else []
        self.show(
            bars=_bars(picture.bars, topic),
            near=[
                {"topic": k, "title": picture.title(k), "like": f"{percent(like)} alike"}
                for k, like in picture.near(topic)
            ],
            time=None if over_time is None else _time(over_time, topic),
            documents=[_document(one) for one in documents],
        )


def _time(found: TopicsOverTime, topic: int) -> dict[str, Any]:
    names = [period.name for period in found.periods]
    return {
        **curve_as_data(found, topic),
        "head": f"Share of all words in each {found.unit}",
        "names": [names[0], names[len(names) // 2], names[-1]],
    }


def _bars(bars: Bars | None, topic: int) -> dict[str, Any] | None:
    if bars is None or not bars.of_topic.get(topic):
        return None
    rows = [
        {
            "name": shown(name, NAME),
            "width": round(100 * abs(value) / bars.full, 1),
            "less": value < 0,
            "told": percent(value) if bars.unit == "share" else f"{value:,.3g}".replace("-", MINUS),
        }
        for name, value in bars.of_topic[topic]
    ]
    return {"head": bars.head, "rows": rows}


def _document(document: TopicDocument) -> dict[str, Any]:
    return {
        "row": document.row,
        "name": name_of_document(document.row, document.name),
        "share": percent(document.share),
        "labels": [shown(label, NAME) for label in document.labels[:_LABELS]],
        "pieces": pieces_of(document),
    }

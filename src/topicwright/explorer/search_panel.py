"""Search for topics, words and documents."""

from __future__ import annotations

from typing import Any

from ..views.text import NAME, WORD, name_of_document, percent, shown
from .panel import Panel
from .picture import Picture

_MOST = 8
_TOPICS_OF_WORD = 3
_LABELS = 4
_EXCERPT = 20  # words


class SearchPanel(Panel, component="search_panel.js"):
    """Says ``back``, ``choose`` with a topic, ``read`` with the row of a document, ``select`` with a word."""

    def show_found(self, picture: Picture, text: str) -> None:
        """Show what was found."""
        asked = text.strip().lower()
        self.show(
            asked=shown(text, NAME),
            most=_MOST,
            topics=_topics(picture, asked),
            words=_words(picture, asked),
            documents=_documents(picture, asked) if picture.has_documents else [],
        )


def _topics(picture: Picture, asked: str) -> list[dict[str, Any]]:
    found = [
        k
        for k in range(picture.n_topics)
        if picture.has_topic(k) and (asked == str(k) or asked in (picture.name(k) or "").lower())
    ]
    return [{"topic": k, "title": picture.title(k), "words": " ".join(picture.leading(k))} for k in found[:_MOST]]


def _words(picture: Picture, asked: str) -> list[dict[str, Any]]:
    return [
        {
            "word": found.word,
            "text": shown(found.word, WORD),
            "times": f"{round(found.times):,}",
            "topics": [
                {"topic": one.topic, "title": picture.title(one.topic), "share": percent(one.share)}
                for one in found.topics[:_TOPICS_OF_WORD]
            ],
        }
        for found in picture.search.words(asked, _MOST)
    ]


def _documents(picture: Picture, asked: str) -> list[dict[str, Any]]:
    corpus = picture.model.corpus_
    return [
        {
            "row": found.row,
            "name": name_of_document(found.row, found.name),
            "labels": [shown(label, NAME) for label in found.labels[:_LABELS]],
            "words": shown(
                " ".join(corpus.words(found.row)[:_EXCERPT]) if corpus.texts is None else corpus.texts[found.row],
                2 * NAME,
            ),
        }
        for found in picture.search.documents(asked, _MOST)
    ]

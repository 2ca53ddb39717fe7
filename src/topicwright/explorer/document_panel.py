"""A document with each word in the colour of its topic, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .._showing import UNSAFE
from ..views.chances import Chance
from ..views.reading import Piece, ReadDocument, read_document
from ..views.text import NAME, WORD, name_of_document, percent, shown
from .panel import Panel
from .picture import Picture

_COLOURS = 8  # the largest topics of a document have one each, others share a grey
_LONGEST = 4000  # pieces
_GAP = re.compile(r"\s+")  # of which paragraphs stay, and lines that were cut for another width do not


class DocumentPanel(Panel, component="document_panel.js"):
    """Says ``back``, ``choose`` with a topic, ``select`` with a word, ``label`` with the topic it is about."""

    def show_document(self, picture: Picture, row: int, topics: list[dict[str, Any]]) -> list[int]:
        """Show a training document, to be said to be about one of ``topics``; returns those that it has most of."""
        document = read_document(picture.model, row)
        slots = {one.topic: slot for slot, one in enumerate(document.topics[:_COLOURS])}
        self.show(
            name=name_of_document(document.row, document.name),
            facts=_facts(document),
            pieces=[_piece(picture, document, piece, slots) for piece in document.pieces[:_LONGEST]],
            legend=[
                {
                    "topic": one.topic,
                    "title": picture.title(one.topic),
                    "share": percent(one.share),
                    "slot": slots[one.topic],
                }
                for one in document.topics[:_COLOURS]
            ],
            topics=topics,
            main=document.topics[0].topic if document.topics else None,
        )
        return list(slots)


def _facts(document: ReadDocument) -> list[str]:
    n_words = sum(piece.word is not None for piece in document.pieces)
    facts = [f"{n_words:,} words that the model knows"]
    if document.date is not None:
        facts.append(document.date.removesuffix("T00:00:00").replace("T", " "))
    facts.extend(shown(label, NAME) for label in document.labels)
    if not document.is_whole:
        facts.append("the text itself was not kept: these are its words")
    if len(document.pieces) > _LONGEST:
        facts.append("only its beginning is shown")
    return facts


def _piece(picture: Picture, document: ReadDocument, piece: Piece, slots: dict[int, int]) -> dict[str, Any]:
    text = piece.text.replace("\r", "").translate(UNSAFE)
    if piece.topic is None:
        return {"text": _GAP.sub(lambda gap: "\n\n" if gap[0].count("\n") > 1 else " ", text), "topic": None}
    return {
        "text": text,
        "topic": piece.topic,
        "slot": slots.get(piece.topic, -1),
        "word": piece.word,
        "why": _why(picture, document, piece.topic, str(piece.word), piece.chances),
    }


def _why(picture: Picture, document: ReadDocument, topic: int, word: str, chances: Sequence[Chance]) -> str:
    """Why a word has its topic: what the topic has of the document, and what it makes of the word."""
    share = next((one.share for one in document.topics if one.topic == topic), 0.0)
    told = (
        f"“{shown(word, WORD)}” is in topic {topic} “{picture.title(topic)}”: the topic has {percent(share)} of this "
        f"document, and the word is {percent(picture.share_of_word(topic, word))} of the topic."
    )
    listed = [f"{percent(one.probability)} for “{picture.title(one.topic)}”" for one in chances]
    return f"{told} The chances: {', '.join(listed)}." if listed else told

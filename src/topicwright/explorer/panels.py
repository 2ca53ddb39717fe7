"""A part of the page: its look is a component in a file beside it, its data comes from here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element

from .._utils.formatting import CONTROL_CHARS, truncate
from ..steering import Comparison, Step, TopicChange, TopicDifference
from ..views.document_view import ReadDocument, TextPiece, TopicProbability, read_document
from ..views.documents import TopicDocument, documents_of, pieces_of
from ..views.format import MINUS, NAME, WORD_LENGTH, Axis, fixed, name_of_document, percent
from ..views.over_time import TopicsOverTime
from ..views.report.data import Bars, label_counts
from ..views.report.svg import curve_as_data
from .branch_session import BranchSession
from .training import Training
from .view_model import ModelView


class Panel(Element):
    """A component. All text goes to the browser as data, and its template shows it as text, never as HTML."""

    def show(self, **data: Any) -> None:
        """Have the component show this; what is the same as before is not sent again."""
        new = {name: value for name, value in data.items() if name not in self._props or self._props[name] != value}
        if new:
            self._props.update(new)
            self.update()

    def hears(self, **handlers: Callable[[Any], Any]) -> None:
        """Call these when people do something in the component."""
        for event, handler in handlers.items():
            self.on(event, _with_value(handler))


def _with_value(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda event: handler(event.args)


class HeaderBar(Panel, component="components/head_bar.js"):
    """Says ``search`` with a text, and ``branch`` with a name."""


class MobileTabs(Panel, component="components/narrow_tabs.js"):
    """Turns to the middle part when ``turned`` changes."""


class Notice(Panel, component="components/notice.js"):
    """Shows ``lines`` until they are read, or for some seconds; ``n`` counts them, so that the same can come again."""

    def say(self, *lines: str) -> None:
        """Show some lines."""
        if lines:
            self.show(lines=list(lines), n=int(self._props.get("n", 0)) + 1)


class SelectionBar(Panel, component="components/selection_bar.js"):
    """Says ``say`` with together, apart, here, never, split or forget; ``drop`` with a word, ``clear`` for all."""


class BranchesPanel(Panel, component="components/branches_panel.js"):
    """Says ``make`` with a name, ``compare`` and ``merge`` with that of another branch."""


_TOPICS, _WORDS, _SENTENCE = 8, 8, 200


class ComparePanel(Panel, component="components/compare_panel.js"):
    """Says ``back``, and ``choose`` with a topic."""

    def show_comparison(self, picture: ModelView, names: tuple[str, str], found: Comparison) -> None:
        """Show what two branches have in common, and where they differ."""

        def told(steps: tuple[Step, ...]) -> list[str]:
            return [truncate(step.sentence(), _SENTENCE) for step in steps]

        self.show(
            names=list(names),
            common=len(found.common),
            own=told(found.own),
            other=told(found.other),
            contradictions=[truncate(line, _SENTENCE) for line in found.contradictions],
            topics=[
                {
                    "topic": one.topic,
                    "title": picture.title(one.topic),
                    "words": [truncate(word, WORD_LENGTH) for word in one.words[:_WORDS]],
                    "other": [truncate(word, WORD_LENGTH) for word in one.other_words[:_WORDS]],
                    "shares": [percent(one.share), percent(one.other_share)],
                }
                for one in _different(found)[:_TOPICS]
            ],
        )


def _different(found: Comparison) -> list[TopicDifference]:
    """Topics whose first words are not the same: sweeps alone move others a little."""
    return [one for one in found.topics if set(one.words[:_WORDS]) != set(one.other_words[:_WORDS])]


_COLOURS = 8  # the largest topics of a document have one each, others share a grey
_LONGEST = 4000  # pieces
_GAP = re.compile(r"\s+")  # of which paragraphs stay, and lines that were cut for another width do not


class DocumentPanel(Panel, component="components/document_panel.js"):
    """Says ``back``, ``choose`` with a topic, ``select`` with a word, ``label`` with the topic it is about."""

    def show_document(self, picture: ModelView, row: int, topics: list[dict[str, Any]]) -> list[int]:
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
    facts.extend(truncate(label, NAME) for label in document.labels)
    if not document.is_whole:
        facts.append("the text itself was not kept: these are its words")
    if len(document.pieces) > _LONGEST:
        facts.append("only its beginning is shown")
    return facts


def _piece(picture: ModelView, document: ReadDocument, piece: TextPiece, slots: dict[int, int]) -> dict[str, Any]:
    text = piece.text.replace("\r", "").translate(CONTROL_CHARS)
    if piece.topic is None:
        return {"text": _GAP.sub(lambda gap: "\n\n" if gap[0].count("\n") > 1 else " ", text), "topic": None}
    return {
        "text": text,
        "topic": piece.topic,
        "slot": slots.get(piece.topic, -1),
        "word": piece.word,
        "why": _why(picture, document, piece.topic, str(piece.word), piece.chances),
    }


def _why(picture: ModelView, document: ReadDocument, topic: int, word: str, chances: Sequence[TopicProbability]) -> str:
    """Why a word has its topic: what the topic has of the document, and what it makes of the word."""
    share = next((one.share for one in document.topics if one.topic == topic), 0.0)
    told = (
        f"“{truncate(word, WORD_LENGTH)}” is in topic {topic} “{picture.title(topic)}”: "
        f"the topic has {percent(share)} of this document, "
        f"and the word is {percent(picture.share_of_word(topic, word))} of the topic."
    )
    listed = [f"{percent(one.probability)} for “{picture.title(one.topic)}”" for one in chances]
    return f"{told} The chances: {', '.join(listed)}." if listed else told


_MOST = 8
_TOPICS_OF_WORD = 3
_LABELS = 4
_EXCERPT = 20  # words


class SearchPanel(Panel, component="components/search_panel.js"):
    """Says ``back``, ``choose`` with a topic, ``read`` with the row of a document, ``select`` with a word."""

    def show_found(self, picture: ModelView, text: str) -> None:
        """Show what was found."""
        asked = text.strip().lower()
        self.show(
            asked=truncate(text, NAME),
            most=_MOST,
            topics=_topics(picture, asked),
            words=_words(picture, asked),
            documents=_documents(picture, asked) if picture.has_documents else [],
        )


def _topics(picture: ModelView, asked: str) -> list[dict[str, Any]]:
    found = [
        k
        for k in range(picture.n_topics)
        if picture.has_topic(k) and (asked == str(k) or asked in (picture.name(k) or "").lower())
    ]
    return [{"topic": k, "title": picture.title(k), "words": " ".join(picture.leading(k))} for k in found[:_MOST]]


def _words(picture: ModelView, asked: str) -> list[dict[str, Any]]:
    return [
        {
            "word": found.word,
            "text": truncate(found.word, WORD_LENGTH),
            "times": f"{round(found.times):,}",
            "topics": [
                {"topic": one.topic, "title": picture.title(one.topic), "share": percent(one.share)}
                for one in found.topics[:_TOPICS_OF_WORD]
            ],
        }
        for found in picture.search.words(asked, _MOST)
    ]


def _documents(picture: ModelView, asked: str) -> list[dict[str, Any]]:
    corpus = picture.model.corpus_
    return [
        {
            "row": found.row,
            "name": name_of_document(found.row, found.name),
            "labels": [truncate(label, NAME) for label in found.labels[:_LABELS]],
            "words": truncate(
                " ".join(corpus.words(found.row)[:_EXCERPT]) if corpus.texts is None else corpus.texts[found.row],
                2 * NAME,
            ),
        }
        for found in picture.search.documents(asked, _MOST)
    ]


_STEP_LENGTH = 200


class StepsPanel(Panel, component="components/steps_panel.js"):
    """Says ``undo``, ``redo``, ``refresh`` for an update, ``stop`` and ``save_knowledge``."""

    def show_bench(self, bench: BranchSession) -> None:
        """Show the steps of a branch and how far its update is."""
        steering = bench.steering
        if steering is None:
            self.show(why_not=bench.why_not)
            return
        waiting = len(steering.pending)
        steps = steering.steps
        self.show(
            steps=[
                {
                    "n": n,
                    "told": truncate(step.sentence(steering.names), _STEP_LENGTH),
                    "kind": step.kind,
                    "waits": n >= len(steps) - waiting,
                }
                for n, step in enumerate(steps)
            ],
            can_undo=steering.can_undo,
            can_redo=steering.can_redo,
            why_not="",
        )
        self.show_work(bench)

    def show_work(self, bench: BranchSession) -> None:
        """Show how far the update is."""
        self.show(busy=bench.busy, done=bench.done, asked=bench.asked, outcome=bench.outcome)


class TopicHeader(Panel, component="components/topic_head.js"):
    """Says ``rename``, ``merge`` with the topic to merge into it, ``split``, ``pin`` and ``hide``."""

    def show_topic(
        self, picture: ModelView, topic: int, *, pinned: bool, change: Any, coherence: Any, others: list[dict[str, Any]]
    ) -> None:
        """Show a topic; ``change`` is what :func:`change_of` tells, or None; ``others`` may be merged into it."""
        self.show(
            topic=topic,
            name=picture.name(topic),
            title=picture.title(topic),
            facts=_topic_head_facts(picture, topic, coherence),
            others=others,
            pinned=pinned,
            change=change,
        )


def _topic_head_facts(picture: ModelView, topic: int, coherence: Any) -> list[str]:
    facts = [f"{percent(float(picture.sizes[topic]))} of all words"]
    if coherence is not None and topic < len(coherence) and not np.isnan(coherence[topic]):
        facts.append(f"coherence {fixed(float(coherence[topic]))} (NPMI)")
    counts = label_counts(picture.model)
    if counts is not None and topic < len(counts):
        facts.append(f"{counts[topic]:,} documents have the label")
    return facts


def change_of(change: TopicChange) -> dict[str, Any]:
    """Before and after, with the words that went and those that came."""
    before, after = set(change.words_before), set(change.words_after)
    shares = percent(change.share_before), percent(change.share_after)
    size = f"{shares[1]} of all words" + (", as before" if shares[0] == shares[1] else f"; before, {shares[0]}")
    return {
        "before": [[truncate(word, WORD_LENGTH), word not in after] for word in change.words_before],
        "after": [[truncate(word, WORD_LENGTH), word not in before] for word in change.words_after],
        "told": size,
    }


class TopicList(Panel, component="components/topic_list.js"):
    """Says ``choose`` with the number of a topic, and ``unhide`` with that of one that is hidden."""

    def show_picture(
        self,
        picture: ModelView,
        *,
        hidden: Collection[int],
        can_return: Collection[int],
        pinned: Collection[int],
        moved: Mapping[int, float],
    ) -> None:
        """List the topics that are not hidden, and others that can return; ``moved`` says how far words moved."""
        full = max((float(picture.sizes[k]) for k in picture.map.topics.tolist()), default=1.0)
        self.show(
            topics=[
                _row(picture, topic, full) | {"pinned": topic in pinned, "moved": round(moved.get(topic, 0.0), 3)}
                for topic in picture.map.topics.tolist()
                if topic not in hidden
            ],
            left_out=len(np.flatnonzero(picture.sizes)) - len(picture.map.topics),
            hidden=[{"topic": topic, "title": picture.title(topic)} for topic in sorted(can_return)],
        )


def _row(picture: ModelView, topic: int, full: float) -> dict[str, Any]:
    share = float(picture.sizes[topic])
    return {
        "topic": topic,
        "name": picture.name(topic),
        "words": " ".join(picture.leading(topic)),
        "size": float(f"{share:.4g}"),
        "share": percent(share),
        "width": round(100 * share / full, 1),
    }


class TopicMapPanel(Panel, component="components/topic_map.js"):
    """Shows ``maps`` of ``map_layout.maps_of``; says ``choose`` with the number of a topic."""


_DOCUMENTS, _PASSAGE = 6, 32


class TopicDetailsPanel(Panel, component="components/topic_more.js"):
    """Says ``choose`` with the number of a topic, and ``read`` with the row of a document."""

    def show_topic(self, picture: ModelView, topic: int, over_time: TopicsOverTime | None) -> None:
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
            "name": truncate(name, NAME),
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
        "labels": [truncate(label, NAME) for label in document.labels[:_LABELS]],
        "pieces": pieces_of(document),
    }


WORDS = 24  # of a topic, for any λ


class TopicWordsPanel(Panel, component="components/topic_words.js"):
    """Says ``select`` with a word that was chosen, or no longer is; ``lam`` with a new place of the slider."""

    def show_topic(self, picture: ModelView, topic: int) -> None:
        """Show all words that are among the first for one λ or other; the browser puts them in order."""
        words = picture.words.candidates(topic, WORDS)
        self.show(
            count=WORDS,
            words=[
                {
                    "word": one.word,
                    "text": truncate(one.word, WORD_LENGTH),
                    "log_p": round(one.log_probability, 3),
                    "lift": round(one.log_lift, 3),
                    "times": round(one.times),
                    "all": round(one.times_in_all),
                    "told": f"{round(one.times):,}",
                    "share": percent(min(1.0, one.times / max(one.times_in_all, 1))),
                }
                for one in words
            ],
        )


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 190, 52, 62, 16, 26
_LEAST = 0.02  # between the ends of an axis, so that no wobble looks like a fall


class TrainingPanel(Panel, component="components/training_panel.js"):
    """Says ``stop`` for an end after the sweep that is under way."""

    def show_training(self, training: Training) -> None:
        """Show its curves."""
        left = training.seconds / max(training.sweep, 1) * (training.last - training.sweep)
        self.show(
            sweep=training.sweep,
            last=training.last,
            left=f"about {left:.0f} s left" if training.sweep > 1 else "",
            problem=training.problem,
            over=training.is_over,
            path=str(training.path),
            curves=[
                curve
                for name, points in (
                    ("Log-likelihood per word", training.likelihood),
                    ("Mean coherence of topics (NPMI)", training.coherence),
                )
                if (curve := _curve(name, points, training.last)) is not None
            ],
        )


def _curve(name: str, points: Sequence[tuple[float, float]], last: int) -> dict[str, Any] | None:
    if not points:
        return None
    x = Axis([0.0, float(last)], _LEFT, _WIDTH - _RIGHT)
    y = Axis([value for _, value in points], _HEIGHT - _BOTTOM, _TOP, span=max(0.01 * abs(points[-1][1]), _LEAST))
    end_x, end_y = points[-1]
    return {
        "name": name,
        "told": f"{name}: {fixed(end_y)} after sweep {end_x:.0f}",
        "line": "M" + "L".join(f"{x.at(a):.1f} {y.at(b):.1f}" for a, b in points),
        "end": {"x": round(x.at(end_x), 1), "y": round(y.at(end_y), 1), "text": fixed(end_y)},
        "up": [{"y": round(y.at(value), 1), "text": text} for value, text in y.ticks()],
        "across": [{"x": round(x.at(value), 1), "text": text} for value, text in x.ticks()],
    }

"""Panels of the page: each one is a Vue component in ``components/`` and the Python class that gives it its data."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element

from .._utils.formatting import CONTROL_CHARS, percent, truncate
from ..steering import Comparison, Step, TopicChange, TopicDifference
from ..views.documents import (
    ReadDocument,
    TextPiece,
    TopicDocument,
    TopicProbability,
    documents_of,
    passage_pieces,
    read_document,
)
from ..views.format import MINUS, NAME_LENGTH, WORD_LENGTH, Axis, document_name, fixed
from ..views.over_time import TopicsOverTime
from ..views.report.data import Bars, label_counts, time_curve_data
from .branch_session import BranchSession
from .view_model import ModelView
from .workspace import Training

_COMPARED_TOPICS, _COMPARED_WORDS = 8, 8
_SENTENCE_LENGTH = 200  # characters of a step
_COLORS = 8  # the largest topics of a document have one each, the others share a gray
_MAX_PIECES = 4000  # of a document's text
_WHITESPACE = re.compile(r"\s+")
_RESULTS = 8  # of a search, of each kind
_TOPICS_OF_WORD = 3
_LABELS = 4  # of a document
_EXCERPT = 20  # words of a document
_TOPIC_DOCUMENTS, _PASSAGE = 6, 32  # documents of a topic, words of each
_TOPIC_WORDS = 24  # for any λ


class Panel(Element):
    """A Vue component. All text goes to the browser as data; templates show it as text, never as HTML."""

    def set_props(self, **props: Any) -> None:
        """Set properties of the component; values that did not change are not sent again."""
        new = {name: value for name, value in props.items() if name not in self._props or self._props[name] != value}
        if new:
            self._props.update(new)
            self.update()

    def on_events(self, **handlers: Callable[[Any], Any]) -> None:
        """Call handlers with the value of an event that the component emits."""
        for event, handler in handlers.items():
            self.on(event, _with_value(handler))


def _with_value(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda event: handler(event.args)


class HeaderBar(Panel, component="components/header.js"):
    """Title, search field and choice of a branch. Emits ``search(text)`` and ``switch_branch(name)``."""


class MobileTabs(Panel, component="components/mobile_tabs.js"):
    """Tabs of a narrow screen, which switch to the middle column when ``activations`` changes."""


class Notice(Panel, component="components/notice.js"):
    """Messages, shown until they are closed or for some seconds; ``count`` lets the same message come again."""

    def show_messages(self, *messages: str) -> None:
        """Show some messages."""
        if messages:
            self.set_props(messages=list(messages), count=int(self._props.get("count", 0)) + 1)


class SelectionBar(Panel, component="components/selection_bar.js"):
    """Selected words and what can be done with them.

    Emits ``constrain_words(kind)``, where kind is together, apart, here, never, split or forget, ``toggle_word(word)``
    and ``clear_selection``.
    """


class BranchesPanel(Panel, component="components/branches_panel.js"):
    """Branches. Emits ``create_branch(name)``, ``compare_branch(name)`` and ``merge_branch(name)``."""


class ComparePanel(Panel, component="components/compare_panel.js"):
    """Comparison of two branches. Emits ``go_back`` and ``open_topic(topic)``."""

    def show_comparison(self, view: ModelView, names: tuple[str, str], comparison: Comparison) -> None:
        """Show what two branches have in common and where they differ."""

        def sentences(steps: tuple[Step, ...]) -> list[str]:
            return [truncate(step.sentence(), _SENTENCE_LENGTH) for step in steps]

        self.set_props(
            names=list(names),
            common=len(comparison.common),
            own=sentences(comparison.own),
            other=sentences(comparison.other),
            contradictions=[truncate(line, _SENTENCE_LENGTH) for line in comparison.contradictions],
            topics=[
                {
                    "topic": one.topic,
                    "title": view.title(one.topic),
                    "words": [truncate(word, WORD_LENGTH) for word in one.words[:_COMPARED_WORDS]],
                    "other": [truncate(word, WORD_LENGTH) for word in one.other_words[:_COMPARED_WORDS]],
                    "shares": [percent(one.share), percent(one.other_share)],
                }
                for one in _different_topics(comparison)[:_COMPARED_TOPICS]
            ],
        )


def _different_topics(comparison: Comparison) -> list[TopicDifference]:
    """Topics whose first words differ; sweeps alone change the others a little."""
    return [
        one for one in comparison.topics if set(one.words[:_COMPARED_WORDS]) != set(one.other_words[:_COMPARED_WORDS])
    ]


class DocumentPanel(Panel, component="components/document_panel.js"):
    """Document. Emits ``go_back``, ``open_topic(topic)``, ``toggle_word(word)`` and ``label_document(topic)``."""

    def show_document(self, view: ModelView, row: int, topics: list[dict[str, Any]]) -> list[int]:
        """Show a training document, which can be labeled with one of ``topics``; returns its main topics."""
        document = read_document(view.model, row)
        slots = {one.topic: slot for slot, one in enumerate(document.topics[:_COLORS])}
        self.set_props(
            name=document_name(document.row, document.name),
            facts=_document_facts(document),
            pieces=[_piece(view, document, piece, slots) for piece in document.pieces[:_MAX_PIECES]],
            legend=[
                {
                    "topic": one.topic,
                    "title": view.title(one.topic),
                    "share": percent(one.share),
                    "slot": slots[one.topic],
                }
                for one in document.topics[:_COLORS]
            ],
            topics=topics,
            main=document.topics[0].topic if document.topics else None,
        )
        return list(slots)


def _document_facts(document: ReadDocument) -> list[str]:
    n_words = sum(piece.word is not None for piece in document.pieces)
    facts = [f"{n_words:,} words that the model knows"]
    if document.date is not None:
        facts.append(document.date.removesuffix("T00:00:00").replace("T", " "))
    facts.extend(truncate(label, NAME_LENGTH) for label in document.labels)
    if not document.is_whole:
        facts.append("the text itself was not kept: these are its words")
    if len(document.pieces) > _MAX_PIECES:
        facts.append("only its beginning is shown")
    return facts


def _piece(view: ModelView, document: ReadDocument, piece: TextPiece, slots: dict[int, int]) -> dict[str, Any]:
    text = piece.text.replace("\r", "").translate(CONTROL_CHARS)
    if piece.topic is None:
        # keep paragraphs, join lines that were wrapped for another width
        return {"text": _WHITESPACE.sub(lambda gap: "\n\n" if gap[0].count("\n") > 1 else " ", text), "topic": None}
    return {
        "text": text,
        "topic": piece.topic,
        "slot": slots.get(piece.topic, -1),
        "word": piece.word,
        "explanation": _explain_token(view, document, piece.topic, str(piece.word), piece.posterior),
    }


def _explain_token(
    view: ModelView, document: ReadDocument, topic: int, word: str, posterior: Sequence[TopicProbability]
) -> str:
    """Why a word has its topic: the share of the topic in the document, and the share of the word in the topic."""
    share = next((one.share for one in document.topics if one.topic == topic), 0.0)
    text = (
        f"“{truncate(word, WORD_LENGTH)}” is in topic {topic} “{view.title(topic)}”: "
        f"{percent(share)} of this document is in the topic, "
        f"and {percent(view.share_of_word(topic, word))} of the topic is this word."
    )
    listed = [f"{percent(one.probability)} for “{view.title(one.topic)}”" for one in posterior]
    return f"{text} Probabilities: {', '.join(listed)}." if listed else text


class SearchPanel(Panel, component="components/search_panel.js"):
    """Search results. Emits ``go_back``, ``open_topic(topic)``, ``open_document(row)`` and ``toggle_word(word)``."""

    def show_results(self, view: ModelView, text: str) -> None:
        """Search, and show the results."""
        query = text.strip().lower()
        self.set_props(
            query=truncate(text, NAME_LENGTH),
            limit=_RESULTS,
            topics=_find_topics(view, query),
            words=_find_words(view, query),
            documents=_find_documents(view, query) if view.has_documents else [],
        )


def _find_topics(view: ModelView, query: str) -> list[dict[str, Any]]:
    found = [
        k
        for k in range(view.n_topics)
        if view.has_topic(k) and (query == str(k) or query in (view.name(k) or "").lower())
    ]
    return [{"topic": k, "title": view.title(k), "words": " ".join(view.leading(k))} for k in found[:_RESULTS]]


def _find_words(view: ModelView, query: str) -> list[dict[str, Any]]:
    return [
        {
            "word": found.word,
            "text": truncate(found.word, WORD_LENGTH),
            "times": f"{round(found.times):,}",
            "topics": [
                {"topic": one.topic, "title": view.title(one.topic), "share": percent(one.share)}
                for one in found.topics[:_TOPICS_OF_WORD]
            ],
        }
        for found in view.search.words(query, _RESULTS)
    ]


def _find_documents(view: ModelView, query: str) -> list[dict[str, Any]]:
    corpus = view.model.corpus_
    return [
        {
            "row": found.row,
            "name": document_name(found.row, found.name),
            "labels": [truncate(label, NAME_LENGTH) for label in found.labels[:_LABELS]],
            "words": truncate(
                " ".join(corpus.words(found.row)[:_EXCERPT]) if corpus.texts is None else corpus.texts[found.row],
                2 * NAME_LENGTH,
            ),
        }
        for found in view.search.documents(query, _RESULTS)
    ]


class StepsPanel(Panel, component="components/steps_panel.js"):
    """Steps of the branch. Emits ``undo``, ``redo``, ``update``, ``stop_update`` and ``download_knowledge``."""

    def show_steps(self, session: BranchSession) -> None:
        """Show the steps of a branch and the progress of its update."""
        steering = session.steering
        if steering is None:
            self.set_props(read_only_reason=session.read_only_reason)
            return
        steps = steering.steps
        n_applied = len(steps) - len(steering.pending)
        self.set_props(
            steps=[
                {
                    "n": n,
                    "sentence": truncate(step.sentence(steering.names), _SENTENCE_LENGTH),
                    "kind": step.kind,
                    "pending": n >= n_applied,
                }
                for n, step in enumerate(steps)
            ],
            can_undo=steering.can_undo,
            can_redo=steering.can_redo,
            read_only_reason="",
        )
        self.show_progress(session)

    def show_progress(self, session: BranchSession) -> None:
        """Show the progress of the update."""
        self.set_props(
            busy=session.busy,
            sweeps_done=session.sweeps_done,
            sweeps_total=session.sweeps_total,
            outcome=session.outcome,
        )


class TopicHeader(Panel, component="components/topic_header.js"):
    """Name and figures of a topic, and what can be done with it.

    Emits ``rename_topic(name)``, ``merge_topics(other)``, ``split_topic``, ``toggle_pin`` and ``hide_topic``.
    """

    def show_topic(
        self, view: ModelView, topic: int, *, pinned: bool, change: Any, coherence: Any, others: list[dict[str, Any]]
    ) -> None:
        """Show a topic; ``change`` comes from :func:`change_data` or is None; ``others`` can be merged into it."""
        self.set_props(
            topic=topic,
            name=view.name(topic),
            title=view.title(topic),
            facts=_topic_facts(view, topic, coherence),
            others=others,
            pinned=pinned,
            change=change,
        )


def _topic_facts(view: ModelView, topic: int, coherence: Any) -> list[str]:
    facts = [f"{percent(float(view.sizes[topic]))} of all words"]
    if coherence is not None and topic < len(coherence) and not np.isnan(coherence[topic]):
        facts.append(f"coherence {fixed(float(coherence[topic]))} (NPMI)")
    counts = label_counts(view.model)
    if counts is not None and topic < len(counts):
        facts.append(f"{counts[topic]:,} documents have the label")
    return facts


def change_data(change: TopicChange) -> dict[str, Any]:
    """First words of a topic before and after an update; removed and added words are marked."""
    before, after = set(change.words_before), set(change.words_after)
    shares = percent(change.share_before), percent(change.share_after)
    size = f"{shares[1]} of all words" + (", as before" if shares[0] == shares[1] else f"; before, {shares[0]}")
    return {
        "before": [[truncate(word, WORD_LENGTH), word not in after] for word in change.words_before],
        "after": [[truncate(word, WORD_LENGTH), word not in before] for word in change.words_after],
        "size": size,
    }


class TopicList(Panel, component="components/topic_list.js"):
    """List of all topics. Emits ``open_topic(topic)`` and ``show_topic(topic)`` for a hidden one."""

    def show_topics(
        self,
        view: ModelView,
        *,
        hidden: Collection[int],
        restorable: Collection[int],
        pinned: Collection[int],
        changes: Mapping[int, float],
    ) -> None:
        """List the topics, apart from hidden ones; ``changes`` holds the distances that an update moved them."""
        full = max((float(view.sizes[k]) for k in view.map.topics.tolist()), default=1.0)
        self.set_props(
            topics=[
                _row(view, topic, full) | {"pinned": topic in pinned, "change": round(changes.get(topic, 0.0), 3)}
                for topic in view.map.topics.tolist()
                if topic not in hidden
            ],
            n_omitted=len(np.flatnonzero(view.sizes)) - len(view.map.topics),
            hidden=[{"topic": topic, "title": view.title(topic)} for topic in sorted(restorable)],
        )


def _row(view: ModelView, topic: int, full: float) -> dict[str, Any]:
    share = float(view.sizes[topic])
    return {
        "topic": topic,
        "name": view.name(topic),
        "words": " ".join(view.leading(topic)),
        "size": float(f"{share:.4g}"),
        "share": percent(share),
        "width": round(100 * share / full, 1),
    }


class TopicMapPanel(Panel, component="components/topic_map.js"):
    """Map of topics, from :func:`~topicwright.explorer.view_model.map_data`. Emits ``open_topic(topic)``."""


class TopicDetailsPanel(Panel, component="components/topic_details.js"):
    """Labels, time, neighbors and documents of a topic. Emits ``open_topic(topic)`` and ``open_document(row)``."""

    def show_topic(self, view: ModelView, topic: int, over_time: TopicsOverTime | None) -> None:
        """Show a topic."""
        documents = documents_of(view.model, topic, _TOPIC_DOCUMENTS, _PASSAGE) if view.has_documents else []
        self.set_props(
            bars=_bars_data(view.bars, topic),
            neighbors=[
                {"topic": k, "title": view.title(k), "similarity": f"{percent(similarity)} similar"}
                for k, similarity in view.neighbors(topic)
            ],
            time=None if over_time is None else _time_data(over_time, topic),
            documents=[_document_data(one) for one in documents],
        )


def _time_data(over_time: TopicsOverTime, topic: int) -> dict[str, Any]:
    names = [period.name for period in over_time.periods]
    return {
        **time_curve_data(over_time, topic),
        "head": f"Share of all words in each {over_time.unit}",
        "names": [names[0], names[len(names) // 2], names[-1]],
    }


def _bars_data(bars: Bars | None, topic: int) -> dict[str, Any] | None:
    if bars is None or not bars.of_topic.get(topic):
        return None
    rows = [
        {
            "name": truncate(name, NAME_LENGTH),
            "width": round(100 * abs(value) / bars.full, 1),
            "negative": value < 0,
            "value": percent(value) if bars.unit == "share" else f"{value:,.3g}".replace("-", MINUS),
        }
        for name, value in bars.of_topic[topic]
    ]
    return {"head": bars.head, "rows": rows}


def _document_data(document: TopicDocument) -> dict[str, Any]:
    return {
        "row": document.row,
        "name": document_name(document.row, document.name),
        "share": percent(document.share),
        "labels": [truncate(label, NAME_LENGTH) for label in document.labels[:_LABELS]],
        "pieces": passage_pieces(document),
    }


class TopicWordsPanel(Panel, component="components/topic_words.js"):
    """Words of a topic and the slider of λ. Emits ``toggle_word(word)`` and ``set_lambda(lam)``."""

    def show_topic(self, view: ModelView, topic: int) -> None:
        """Show all words that are among the first for some λ; the browser sorts them."""
        words = view.words.candidates(topic, _TOPIC_WORDS)
        self.set_props(
            count=_TOPIC_WORDS,
            words=[
                {
                    "word": one.word,
                    "text": truncate(one.word, WORD_LENGTH),
                    "log_p": round(one.log_probability, 3),
                    "lift": round(one.log_lift, 3),
                    "times": round(one.times),
                    "all": round(one.times_in_all),
                    "times_text": f"{round(one.times):,}",
                    "share": percent(min(1.0, one.times / max(one.times_in_all, 1))),
                }
                for one in words
            ],
        )


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 190, 52, 62, 16, 26
_MIN_SPAN = 0.02  # between the ends of an axis, so that noise does not look like a trend


class TrainingPanel(Panel, component="components/training_panel.js"):
    """Progress and curves of a training. Emits ``stop_training``."""

    def show_training(self, training: Training) -> None:
        """Show a training."""
        seconds_left = training.seconds / max(training.sweep, 1) * (training.total - training.sweep)
        self.set_props(
            sweep=training.sweep,
            total=training.total,
            time_left=f"about {seconds_left:.0f} s left" if training.sweep > 1 else "",
            problem=training.problem,
            is_over=training.is_over,
            path=str(training.path),
            curves=[
                curve
                for name, points in (
                    ("Log-likelihood per word", training.likelihood),
                    ("Mean coherence of topics (NPMI)", training.coherence),
                )
                if (curve := _curve(name, points, training.total)) is not None
            ],
        )


def _curve(name: str, points: Sequence[tuple[float, float]], n_sweeps: int) -> dict[str, Any] | None:
    if not points:
        return None
    x = Axis([0.0, float(n_sweeps)], _LEFT, _WIDTH - _RIGHT)
    y = Axis([value for _, value in points], _HEIGHT - _BOTTOM, _TOP, span=max(0.01 * abs(points[-1][1]), _MIN_SPAN))
    end_x, end_y = points[-1]
    return {
        "name": name,
        "summary": f"{name}: {fixed(end_y)} after sweep {end_x:.0f}",
        "line": "M" + "L".join(f"{x.at(a):.1f} {y.at(b):.1f}" for a, b in points),
        "end": {"x": round(x.at(end_x), 1), "y": round(y.at(end_y), 1), "text": fixed(end_y)},
        "y_ticks": [{"y": round(y.at(value), 1), "text": text} for value, text in y.ticks()],
        "x_ticks": [{"x": round(x.at(value), 1), "text": text} for value, text in x.ticks()],
    }

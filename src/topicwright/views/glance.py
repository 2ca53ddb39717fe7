"""A model at a glance, for notebooks: its largest topics in a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._showing import Bar, html_table, shown
from .about import facts_of
from .measures import topic_sizes
from .text import name_of, percent
from .words import TopicWords

_TOPICS, _WORDS, _CHARACTERS = 20, 10, 120


def topics_html(model: Any) -> str:
    """The largest topics of a fitted model, with their share of all words and their most frequent ones, as HTML."""
    sizes, words = topic_sizes(model), TopicWords(model)
    largest = np.argsort(-sizes, kind="stable")[:_TOPICS].tolist()
    names = {topic: name_of(model, topic) for topic in largest}
    has_names = any(name is not None for name in names.values())
    most = max(float(sizes.max()), 1e-12)
    rows = [
        [
            str(topic),
            *[names[topic] or ""] * has_names,
            Bar(percent(float(sizes[topic])), float(sizes[topic]) / most),
            shown(" ".join(word.word for word in words.relevant(topic, 1.0, _WORDS)), _CHARACTERS),
        ]
        for topic in largest
    ]
    heads = ["topic", *["name"] * has_names, "share", "", "words"]
    facts = ", ".join(f"{figure} {what}" for figure, what in facts_of(model))
    hidden = len(sizes) - len(largest)
    note = f"… and {hidden:,} smaller ones; " if hidden else ""
    return html_table(f"{type(model).__name__}: {facts}", heads, rows, note + "all words: top_words(), plot_topic()")

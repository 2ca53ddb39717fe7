"""What a model is, in a few lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.formatting import Bar, html_table, truncate
from .format import name_of, percent
from .topic_metrics import topic_sizes
from .validation import has_documents
from .words import RankedWords

_VALUE = 120


def facts_of(model: Any) -> list[tuple[str, str]]:
    """Figures of a model and their names, for the head of a page."""
    facts = [(f"{len(model.alpha_):,}", "topics")]
    if has_documents(model):
        facts.append((f"{model.corpus_.n_docs:,}", "documents"))
    elif hasattr(model, "n_docs_seen_"):
        facts.append((f"{model.n_docs_seen_:,}", "documents seen"))
    facts.append((f"{round(float(model.topic_word_counts_.sum())):,}", "words in all"))
    facts.append((f"{len(model.vocabulary_):,}", "different words"))
    if hasattr(model, "sweeps_"):
        facts.append((f"{model.sweeps_:,}", "sweeps"))
    return facts


def parameters_of(model: Any) -> list[tuple[str, str]]:
    """Parameters as they were given, and what was learned of them."""
    given = model.get_params(deep=False)
    rows = [(name, _value(value)) for name, value in given.items()]
    learned = [name for name in ("alpha", "beta") if isinstance(given.get(name), str)]
    return [*rows, *((f"{name}, learned", _value(getattr(model, f"{name}_"))) for name in learned)]


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float, str)):
        return truncate(", ".join(type(item).__name__ for item in value), _VALUE)
    if isinstance(value, (np.ndarray, list, tuple)) and np.size(value) > 3:
        if np.asarray(value).dtype.kind in "fiu":
            return f"{np.size(value):,} numbers from {np.min(value):.4g} to {np.max(value):.4g}"
        return f"{np.size(value):,} entries"
    return truncate(f"{float(value):.4g}" if isinstance(value, np.floating) else repr(value), _VALUE)


_TOPICS, _WORDS, _CHARACTERS = 20, 10, 120


def topics_html(model: Any) -> str:
    """The largest topics of a fitted model, with their share of all words and their most frequent ones, as HTML."""
    sizes, words = topic_sizes(model), RankedWords(model)
    largest = np.argsort(-sizes, kind="stable")[:_TOPICS].tolist()
    names = {topic: name_of(model, topic) for topic in largest}
    has_names = any(name is not None for name in names.values())
    most = max(float(sizes.max()), 1e-12)
    rows = [
        [
            str(topic),
            *[names[topic] or ""] * has_names,
            Bar(percent(float(sizes[topic])), float(sizes[topic]) / most),
            truncate(" ".join(word.word for word in words.relevant(topic, 1.0, _WORDS)), _CHARACTERS),
        ]
        for topic in largest
    ]
    heads = ["topic", *["name"] * has_names, "share", "", "words"]
    facts = ", ".join(f"{figure} {what}" for figure, what in facts_of(model))
    hidden = len(sizes) - len(largest)
    note = f"… and {hidden:,} smaller ones; " if hidden else ""
    return html_table(f"{type(model).__name__}: {facts}", heads, rows, note + "all words: top_words(), plot_topic()")

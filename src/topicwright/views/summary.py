"""Summary of a model: facts, parameters, and its largest topics as HTML."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._utils.formatting import Bar, html_table, percent, truncate
from .format import has_documents, topic_name
from .words import RankedWords, topic_sizes

_VALUE_LENGTH = 120  # characters of a parameter
_TOPICS, _WORDS, _CHARACTERS = 20, 10, 120


def model_facts(model: Any) -> list[tuple[str, str]]:
    """Numbers that describe a model, each with its name."""
    facts = [(f"{len(model.alpha_):,}", "topics")]
    if has_documents(model):
        facts.append((f"{model.corpus_.n_docs:,}", "documents"))
    elif hasattr(model, "n_docs_seen_"):
        facts.append((f"{model.n_docs_seen_:,}", "documents seen"))
    facts.append((f"{round(float(model.topic_word_counts_.sum())):,}", "tokens"))
    facts.append((f"{len(model.vocabulary_):,}", "distinct words"))
    if hasattr(model, "sweeps_"):
        facts.append((f"{model.sweeps_:,}", "sweeps"))
    return facts


def model_parameters(model: Any) -> list[tuple[str, str]]:
    """Names and values of the parameters, and the learned values of priors."""
    given = model.get_params(deep=False)
    rows = [(name, _value(value)) for name, value in given.items()]
    learned = [name for name in ("alpha", "beta") if isinstance(given.get(name), str)]
    return [*rows, *((f"{name}, learned", _value(getattr(model, f"{name}_"))) for name in learned)]


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float, str)):
        return truncate(", ".join(type(item).__name__ for item in value), _VALUE_LENGTH)
    if isinstance(value, (np.ndarray, list, tuple)) and np.size(value) > 3:
        if np.asarray(value).dtype.kind in "fiu":
            return f"{np.size(value):,} numbers from {np.min(value):.4g} to {np.max(value):.4g}"
        return f"{np.size(value):,} entries"
    return truncate(f"{float(value):.4g}" if isinstance(value, np.floating) else repr(value), _VALUE_LENGTH)


def topics_html(model: Any) -> str:
    """Table of the largest topics of a fitted model as HTML: share of all tokens, and most frequent words."""
    sizes, words = topic_sizes(model), RankedWords(model)
    largest = np.argsort(-sizes, kind="stable")[:_TOPICS].tolist()
    names = {topic: topic_name(model, topic) for topic in largest}
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
    facts = ", ".join(f"{figure} {what}" for figure, what in model_facts(model))
    hidden = len(sizes) - len(largest)
    note = f"… and {hidden:,} smaller ones; " if hidden else ""
    return html_table(f"{type(model).__name__}: {facts}", heads, rows, note + "all words: top_words(), plot_topic()")

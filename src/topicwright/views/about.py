"""What a model is, in a few lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import has_documents
from .text import shown

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
        return shown(", ".join(type(item).__name__ for item in value), _VALUE)
    if isinstance(value, (np.ndarray, list, tuple)) and np.size(value) > 3:
        if np.asarray(value).dtype.kind in "fiu":
            return f"{np.size(value):,} numbers from {np.min(value):.4g} to {np.max(value):.4g}"
        return f"{np.size(value):,} entries"
    return shown(f"{float(value):.4g}" if isinstance(value, np.floating) else repr(value), _VALUE)

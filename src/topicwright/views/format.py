"""Names and numbers formatted for display, and validation of what a view is asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import truncate
from ..errors import InputError

MINUS = "\u2212"
WORD_LENGTH, NAME_LENGTH = 40, 80  # characters that are shown


def topic_name(model: Any, topic: int) -> str | None:
    """Name of a topic, or None if it has only a number."""
    names = model.topic_names_
    if names is None or str(names[topic]) == str(topic):
        return None
    return truncate(names[topic], 60)


def full_name(model: Any, topic: int) -> str:
    """Number of a topic, with its name if it has one: 3 (sea)."""
    name = topic_name(model, topic)
    return str(topic) if name is None else f"{topic} ({name})"


def document_name(row: int | None, name: str | None) -> str:
    """Id of a document, or its row if it has none."""
    return truncate(f"row {row}" if name is None else name, NAME_LENGTH)


def fixed(value: float) -> str:
    """A number with three decimal places."""
    return f"{value:.3f}".replace("-", MINUS)


class Axis:
    """Linear scale from values to the coordinates ``start`` to ``end``, with ticks.

    It covers all values, and at least ``span``.

    >>> axis = Axis([0.0, 12.0], 0, 120)
    >>> axis.at(3.0), axis.ticks()
    (30.0, [(0.0, '0'), (5.0, '5'), (10.0, '10')])
    """

    def __init__(self, values: Sequence[float], start: float, end: float, span: float = 0.0) -> None:
        more = max(0.0, span - max(values) + min(values)) / 2
        self.low, self.high = min(values) - more, max(values) + more
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        """Coordinate of a value; the middle if all values are the same."""
        span = self.high - self.low
        share = (value - self.low) / span if span > 0 else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 4) -> list[tuple[float, str]]:
        """Round values and their labels, about this many."""
        span = self.high - self.low
        if span <= 0:
            return [(self.low, f"{self.low:.4g}")]
        rough = span / about
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(n * step, f"{n * step:,.{digits}f}".replace("-", MINUS)) for n in range(first, last + 1)]


def check_topic(model: Any, topic: Any) -> int:
    """Number of a topic of the model, which may be passed by name."""
    check_is_fitted(model)
    if isinstance(topic, str) and model.topic_names_ is not None:
        return _topic_by_name(topic, list(map(str, model.topic_names_)))
    n_topics = len(model.alpha_)
    if not isinstance(topic, Integral) or isinstance(topic, bool) or not 0 <= int(topic) < n_topics:
        raise InputError(parameter="topic", expected=f"an integer from 0 to {n_topics - 1}", got=topic)
    return int(topic)


def _topic_by_name(name: str, names: list[str]) -> int:
    if name in names:
        return names.index(name)
    near = get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"the names are {truncate(', '.join(names), 100)}"
    raise InputError(parameter="topic", expected="the name of a topic of this model", got=name, hint=hint)


def check_share(name: str, value: Any) -> float:
    """Number from 0 to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise InputError(parameter=name, expected="a number from 0 to 1", got=value)
    return float(value)


def has_documents(model: Any) -> bool:
    """Whether the model has its training documents: not after a stream, nor when it was saved without them."""
    return model.assignments_ is not None


def require_documents(model: Any, function: str) -> None:
    """Raise an error if the model does not have its training documents."""
    if not has_documents(model):
        raise InputError(f"{function} needs the training documents, and this model was saved without them")


def is_labeled(model: Any) -> bool:
    """Whether the topics of the model are labels, as in Labeled LDA."""
    return hasattr(model, "label_counts_")

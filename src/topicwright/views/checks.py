"""What is asked of a view, checked at the door."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import InputError


def checked_topic(model: Any, topic: Any) -> int:
    """The number of a topic that the model has."""
    check_is_fitted(model)
    n_topics = len(model.alpha_)
    if not isinstance(topic, Integral) or isinstance(topic, bool) or not 0 <= int(topic) < n_topics:
        raise InputError(f"topic must be a whole number from 0 to {n_topics - 1}: got {topic!r}")
    return int(topic)


def checked_share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise InputError(f"{name} must be a number from 0 to 1: got {value!r}")
    return float(value)


def has_documents(model: Any) -> bool:
    """Whether the training documents are there: not in a stream, nor in a model saved without them."""
    return model.assignments_ is not None

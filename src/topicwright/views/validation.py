"""What is asked of a view, checked at the door."""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import truncate
from ..errors import InputError


def checked_topic(model: Any, topic: Any) -> int:
    """The number of a topic that the model has, which may be given by its name."""
    check_is_fitted(model)
    if isinstance(topic, str) and model.topic_names_ is not None:
        return _number_of(topic, list(map(str, model.topic_names_)))
    n_topics = len(model.alpha_)
    if not isinstance(topic, Integral) or isinstance(topic, bool) or not 0 <= int(topic) < n_topics:
        raise InputError(f"topic must be a whole number from 0 to {n_topics - 1}: got {topic!r}")
    return int(topic)


def _number_of(name: str, names: list[str]) -> int:
    if name in names:
        return names.index(name)
    near = get_close_matches(name, names, 1)
    told = f"did you mean {near[0]!r}?" if near else f"it has {truncate(', '.join(names), 100)}"
    raise InputError(f"the model has no topic of the name {name!r}: {told}")


def checked_share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise InputError(f"{name} must be a number from 0 to 1: got {value!r}")
    return float(value)


def has_documents(model: Any) -> bool:
    """Whether the training documents are there: not in a stream, nor in a model saved without them."""
    return model.assignments_ is not None

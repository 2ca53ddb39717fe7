"""Validation of what the functions of this package are asked for."""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import truncate
from ..errors import InputError


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

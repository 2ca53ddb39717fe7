"""Names of topics that the user gives after training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from .._utils.validation import check_integer
from ..errors import InputError
from ..knowledge import TopicNames
from ..knowledge.base import TopicNumbers
from ..knowledge.compiler import topics_mentioned
from ._knowledge import as_list

if TYPE_CHECKING:
    from .batch import BatchTopicModel

_LONGEST_NAME = 200


class FixedList(list[str]):
    """Names of topics. An entry can't be assigned, since the model would not notice."""

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        hint = f"write model.rename_topics({{{key!r}: {value!r}}})"
        raise InputError(f"entries of topic_names_ can't be assigned: {hint}", parameter="topic_names_", got=value)

    def __reduce__(self) -> Any:
        return type(self), (list(self),)


def topic_name_of(model: BatchTopicModel, topic: int) -> str | None:
    """Name of a topic, or None if it has only a number."""
    name = str(topic) if model.topic_names_ is None else model.topic_names_[topic]
    return None if name == str(topic) else name


def rename_topics(model: BatchTopicModel, names: Mapping[int | str, str | None]) -> None:
    """Give topics names: see :meth:`topicwright.LDA.rename_topics`."""
    if not isinstance(names, Mapping):
        expected = "a mapping of topics to names"
        raise InputError(parameter="names", expected=expected, got=names, hint="write {3: 'sport'}")
    n_topics = len(model.alpha_)
    new = {topic: _clean(name, topic, n_topics) for topic, name in _by_number(model, names)}
    if len(new) < len(names):
        raise InputError("`names` must name each topic once", parameter="names", got=names)
    items, numbers = model.fit_state_.knowledge, model.fit_state_.compiled.topics.numbers
    given = {k: name for item in items if isinstance(item, TopicNames) for k, name in item.names.items()}
    others = _without_names(items)
    mentioned = {topic for item in others for topic in topics_mentioned(item, model.corpus_)}
    fixed = {k: name for name, k in numbers.items() if name in mentioned or given.get(k) != name}
    for topic in new.keys() & fixed.keys():
        if new[topic] != fixed[topic]:
            raise InputError(
                f"topic {topic} is called {fixed[topic]!r} by labels, seeds or other knowledge: change the name there",
                parameter="names",
                got=new[topic],
            )
    changed = {k: name for k, name in {**given, **new}.items() if name is not None and k not in fixed}
    _check_different({**fixed, **changed})
    _set_names(model, {**fixed, **changed}, changed)


def _by_number(model: BatchTopicModel, names: Mapping[Any, Any]) -> Iterator[tuple[int, Any]]:
    return ((_topic(model, topic), name) for topic, name in names.items())


def _topic(model: BatchTopicModel, topic: Any) -> int:
    names = model.topic_names_ or []
    if isinstance(topic, str):
        if topic in names:
            return names.index(topic)
        near = get_close_matches(topic, names, 1)
        hint = f"did you mean {near[0]!r}?" if near else None
        raise InputError(parameter="names", expected="numbers or present names of topics", got=topic, hint=hint)
    return check_integer("names", topic, 0, len(model.alpha_) - 1)


def _clean(name: Any, topic: int, n_topics: int) -> str | None:
    if name is None or name == str(topic):
        return None
    if not isinstance(name, str) or not name.strip():
        raise InputError(parameter="names", expected="names that are not empty, or None", got=name)
    clean = " ".join(name.split())
    if len(clean) > _LONGEST_NAME:
        raise InputError(parameter="names", expected=f"names of at most {_LONGEST_NAME} characters", got=len(clean))
    if clean.isdecimal() and int(clean) < n_topics:
        expected = f"names that are not the number of another topic (0 to {n_topics - 1})"
        raise InputError(parameter="names", expected=expected, got=clean)
    return clean


def _check_different(names: Mapping[int, str]) -> None:
    topic_of: dict[str, int] = {}
    for topic, name in names.items():
        other = topic_of.setdefault(name, topic)
        if other != topic:
            raise InputError(
                f"topics {min(topic, other)} and {max(topic, other)} would both be called {name!r}",
                parameter="names",
                expected="different names",
                got=name,
            )


def _set_names(model: BatchTopicModel, names: Mapping[int, str], changed: Mapping[int, str]) -> None:
    """Put new names into the knowledge of the model, which has nothing else to compile."""
    named = [TopicNames(dict(changed))] if changed else []
    state, numbers = model.fit_state_, {name: k for k, name in names.items()}
    topics = TopicNumbers(len(model.alpha_), numbers, numbers)
    model.knowledge = [*_without_names(as_list(model.knowledge)), *named]
    items = [*_without_names(state.knowledge), *named]
    model._set_knowledge(state._replace(knowledge=items, compiled=state.compiled._replace(topics=topics)))


def _without_names(items: list[Any]) -> list[Any]:
    return [item for item in items if not isinstance(item, TopicNames)]

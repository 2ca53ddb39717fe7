"""Topic diversity, and validation of the topics that measures of this package take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from numbers import Integral
from typing import Any, Protocol, TypeAlias

from .._utils.formatting import pluralize
from .._utils.validation import check_integer
from ..errors import InputError


class HasTopWords(Protocol):
    """Fitted model that lists the words of its topics, the most probable first."""

    def top_words(self, n: int, /) -> Sequence[Sequence[str]]:
        """Most probable words of each topic."""


Topics: TypeAlias = "HasTopWords | Iterable[Iterable[str]] | Iterable[Iterable[int]]"
TopicWords: TypeAlias = "list[list[str]] | list[list[int]]"


def diversity(topics: Topics, top: int = 25) -> float:
    """Share of unique words among the top words of all topics: 1 if no two topics share a word.

    The measure is that of Dieng, Ruiz and Blei, "Topic modeling in embedding spaces" (TACL 2020).

    Parameters
    ----------
    topics : fitted model, or lists of words or of word ids
        The words of each topic, the most probable first.
    top : int
        Number of words of each topic to use; a topic that lists fewer counts with those that it has.

    Returns
    -------
    float
        Diversity from 0 to 1.

    Examples
    --------
    >>> diversity([["cat", "dog", "fish"], ["stock", "bond", "cat"]])
    0.8333333333333334
    >>> diversity([["cat", "dog", "fish"], ["stock", "bond", "cat"]], top=2)
    1.0
    """
    words: list[Any] = list(chain.from_iterable(validate_topics(topics, top)))
    return len(set(words)) / len(words)


def validate_topics(topics: Topics, top: int, *, at_least: int = 1) -> TopicWords:
    """First ``top`` words (all str) or word ids (all int) of each topic.

    Every list must have ``at_least`` this number of words; of a model, one topic must, since others may have fewer.

    >>> validate_topics([["cat", "dog", "fish"], ["stock", "bond"]], top=2)
    [['cat', 'dog'], ['stock', 'bond']]
    """
    top = check_integer("top", top, at_least)
    given: Any = topics
    is_model = hasattr(given, "top_words")
    if is_model:
        given = given.top_words(top)
    if isinstance(given, str) or not isinstance(given, Iterable):
        expected = "a fitted model, or lists of words or of word ids"
        raise InputError(parameter="topics", expected=expected, got=type(given))
    lists: list[Any] = [
        _top_list(number, topic, top, 0 if is_model else at_least) for number, topic in enumerate(given)
    ]
    if not lists:
        raise InputError("`topics` must hold at least one topic: got none", parameter="topics")
    if max(map(len, lists)) < at_least:
        message = f"a topic of the model must have at least {pluralize(at_least, 'word')}: got none that does"
        raise InputError(message, parameter="topics")
    kinds = {type(word).__name__ for word in chain.from_iterable(lists)}
    if len(kinds) > 1:
        raise InputError("`topics` must be all words or all word ids: got both", parameter="topics")
    return lists


def _top_list(number: int, topic: Any, top: int, at_least: int) -> list[Any]:
    if isinstance(topic, str) or not isinstance(topic, Iterable):
        hint = "; where there is one topic, write [words]" if number == 0 else ""
        message = f"topic {number} must be a list of words or of word ids: got {topic!r}{hint}"
        raise InputError(message, parameter="topics", got=topic, where=f"topic {number}")
    words = [_as_word(number, word) for word in islice(topic, top)]
    if len(words) < at_least:
        message = f"topic {number} must have at least {pluralize(at_least, 'word')}: got {len(words)}"
        raise InputError(message, parameter="topics", got=len(words), where=f"topic {number}")
    if len(set(words)) < len(words):
        repeated = next(word for i, word in enumerate(words) if word in words[:i])
        message = f"topic {number} must not repeat a word: got {repeated!r} twice"
        raise InputError(message, parameter="topics", got=repeated, where=f"topic {number}")
    return words


def _as_word(number: int, word: Any) -> str | int:
    if isinstance(word, str):
        return str(word)
    if isinstance(word, Integral):
        return int(word)
    message = f"topic {number} must be a list of words or of word ids: got {word!r} among them"
    raise InputError(message, parameter="topics", got=word, where=f"topic {number}")

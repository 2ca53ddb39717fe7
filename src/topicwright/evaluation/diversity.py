"""How different the topics are from one another; and how topics are given to the measures of this package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from numbers import Integral
from typing import Any, Protocol, TypeAlias

from ..errors import InputError


class HasTopWords(Protocol):
    """A fitted model that can list its topics' words, the most probable first."""

    def top_words(self, n: int, /) -> Sequence[Sequence[str]]:
        """The ``n`` most probable words of each topic."""


Topics: TypeAlias = "HasTopWords | Iterable[Iterable[str]] | Iterable[Iterable[int]]"
TopicWords: TypeAlias = "list[list[str]] | list[list[int]]"


def diversity(topics: Topics, top: int = 25) -> float:
    """Share of different words among the top words of all topics: 1 if no two topics share a word.

    The measure is that of Dieng, Ruiz and Blei, "Topic modeling in embedding spaces" (TACL 2020).

    Parameters
    ----------
    topics : fitted model, or lists of words or of word ids
        The words of each topic, the most probable first.
    top : int
        How many words of each topic are looked at; a topic that lists fewer counts with those that it has, and one of a
        model that holds none with none.

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
    """The first ``top`` words (all str) or word ids (all int) of each topic, checked.

    Lists must have ``at_least`` so many; of a model, one topic must, since others may hold less or nothing.

    >>> validate_topics([["cat", "dog", "fish"], ["stock", "bond"]], top=2)
    [['cat', 'dog'], ['stock', 'bond']]
    """
    if not isinstance(top, Integral) or top < at_least:
        raise InputError(f"top must be a whole number of at least {at_least}: got {top!r}")
    is_model = hasattr(topics, "top_words")
    given: Any = topics.top_words(int(top)) if is_model else topics
    if isinstance(given, str) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InputError(f"topics must be a fitted model, or lists of words or of word ids: got {kind}")
    lists: list[Any] = [
        _top_list(number, topic, int(top), 0 if is_model else at_least) for number, topic in enumerate(given)
    ]
    if not lists:
        raise InputError("topics must hold at least one topic: got none")
    if max(map(len, lists)) < at_least:
        raise InputError(f"a topic of the model must hold at least {_words(at_least)}: got none that does")
    kinds = {type(word).__name__ for word in chain.from_iterable(lists)}
    if len(kinds) > 1:
        raise InputError("topics must be all words or all word ids: got both")
    return lists


def _top_list(number: int, topic: Any, top: int, at_least: int) -> list[Any]:
    if isinstance(topic, str) or not isinstance(topic, Iterable):
        hint = "; where there is one topic, write [words]" if number == 0 else ""
        raise InputError(f"topic {number} must be a list of words or of word ids: got {topic!r}{hint}")
    words = [_as_word(number, word) for word in islice(topic, top)]
    if len(words) < at_least:
        raise InputError(f"topic {number} must have at least {_words(at_least)}: got {len(words)}")
    if len(set(words)) < len(words):
        twice = next(word for place, word in enumerate(words) if word in words[:place])
        raise InputError(f"topic {number} must not name a word twice: got {twice!r} again")
    return words


def _words(n: int) -> str:
    return f"{n} word{'s' * (n > 1)}"


def _as_word(number: int, word: Any) -> str | int:
    if isinstance(word, str):
        return str(word)
    if isinstance(word, Integral):
        return int(word)
    raise InputError(f"topic {number} must be a list of words or of word ids: got {word!r} among them")

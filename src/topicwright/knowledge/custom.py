"""Knowledge of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .compiler import KnowledgePart, TopicName, TopicNumbers
from .factors import registered

_READS = ("own", "words", "any")


class Custom:
    """A factor of one's own, as :mod:`topicwright.knowledge.factors` describes it.

    Parameters
    ----------
    factor
        A NamedTuple whose class was given to ``register_factor``; or a function of (corpus, topics) that returns one,
        for factors that need word ids (``corpus.vocabulary``) or numbers of topics (``topics.number("football")``).
    speaks_of
        The topics, by name or number, that the function asks for.
    reads
        "any" (the default) if the factor looks at counts of other documents: then training uses one thread, and on
        shards there can be only one. "words" if it looks at counts of other words: one thread, any number of shards.
        "own" if it looks at no counts, or only at those of the token's own word: then any number of threads.
    """

    @suggest_keywords()
    def __init__(
        self,
        factor: Any | Callable[[Corpus, TopicNumbers], Any],
        *,
        speaks_of: Iterable[TopicName] = (),
        reads: str = "any",
    ) -> None:
        self.factor = factor
        self.speaks_of = speaks_of
        self.reads = reads

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The topics that the function asks for."""
        return list(self.speaks_of)

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """The factor, as it is."""
        if self.reads not in _READS:
            raise InputError(f"reads must be one of {', '.join(map(repr, _READS))}: got {self.reads!r}")
        factor = self.factor(corpus, topics) if callable(self.factor) else self.factor
        if registered(type(factor)) is None:
            raise InputError(
                f"a factor must be a NamedTuple whose class was given to register_factor: got {type(factor).__name__}"
            )
        return KnowledgePart(factor=factor, reads=self.reads)

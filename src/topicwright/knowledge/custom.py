"""Knowledge that is a factor of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._utils.deprecation import deprecated_keywords
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_choice
from ..corpus import Corpus
from ..errors import InputError
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers
from .factors import registered

_READS = ("own", "words", "any")


class CustomFactor(Knowledge):
    """Factor of your own, compiled into the sampler (see :mod:`topicwright.knowledge.factors`).

    Parameters
    ----------
    factor : NamedTuple or callable
        NamedTuple whose class was passed to ``register_factor``, or a function of (corpus, topics) that returns one.
        The function can look up word ids (``corpus.vocabulary``) and topic numbers (``topics.number("football")``).
    topics : iterable of str or int
        Topics, by name or number, that the function looks up.
    reads : {"any", "words", "own"}
        Counts that the factor reads.

        - "any" (default): counts of other documents. Training uses one thread and at most one shard.
        - "words": counts of other words. Training uses one thread and any number of shards.
        - "own": no counts, or only those of the token's own word. Training uses any number of threads and shards.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import topicwright as tw
    >>> from topicwright.knowledge import register_factor, scale_topic
    >>> class Opening(NamedTuple):
    ...     topic: int
    >>> def apply(factor, context, counts, multipliers):
    ...     if context.token % 2 == 0:  # the first word of each document of two words
    ...         scale_topic(multipliers, factor.topic, 100.0)
    >>> register_factor(Opening, apply)
    >>> opening = tw.CustomFactor(lambda corpus, topics: Opening(topics.number("first")), topics=["first"], reads="own")
    >>> lda = tw.LDA(n_topics=2, knowledge=[opening], n_sweeps=20).fit(["ship sails", "bread bakes"] * 10)
    >>> lda.topic_names_
    ['first', '1']
    """

    @deprecated_keywords(speaks_of="topics")
    @suggest_keywords()
    def __init__(
        self,
        factor: Any | Callable[[Corpus, TopicNumbers], Any],
        *,
        topics: Iterable[TopicName] = (),
        reads: str = "any",
    ) -> None:
        self.factor = factor
        self.topics = topics
        self.reads = reads

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics that the function looks up."""
        return list(self.topics)

    def for_new_documents(self, corpus: Corpus) -> CustomFactor | None:
        """The function, which is called with the new documents; a factor that was given as it is knows only the old."""
        return self if callable(self.factor) else None

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """The factor and the counts that it reads."""
        check_choice("reads", self.reads, _READS)
        factor = self.factor(corpus, topics) if callable(self.factor) else self.factor
        if registered(type(factor)) is None:
            raise InputError(
                parameter="factor",
                expected="a NamedTuple whose class was passed to register_factor",
                got=type(factor),
            )
        return KnowledgePart(factor=factor, reads=self.reads)

"""Topics that are known beforehand: their words, their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import check_weight, find_words, names_of, words_by_topic
from .compiler import KnowledgePart, TopicName, TopicNumbers
from .evaluation import EvaluationContext
from .priors import SeedPrior
from .report import TOGETHER, Row, TopicFraction


class KnownTopics:
    """Topics whose words are known: they stay what they are; their shares and all other topics are learned.

    The prior of a word in its topic is larger by ``weight`` times its count, as if so many tokens had been seen there
    before. A topic of an earlier model can so be given to the next.

    Parameters
    ----------
    words
        How often each topic has its words: ``{"hockey": {"puck": 120, "goalie": 80}}``. All of its words should be
        there: to those that are not, the topic is nearly closed.
    weight
        How much the counts weigh against the texts: with 10, ten parts in eleven are as they were.

    Examples
    --------
    >>> import topicwright as tw
    >>> known = tw.KnownTopics({"sea": {"ship": 10, "sails": 10}})
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[known], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['sea', '1']
    """

    @suggest_keywords()
    def __init__(self, words: Mapping[Any, Mapping[str, float]], weight: float = 10.0) -> None:
        self.words = words
        self.weight = weight

    def __repr__(self) -> str:
        return f"KnownTopics({names_of(self.words)})"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The known topics."""
        if not isinstance(self.words, Mapping) or not all(isinstance(own, Mapping) for own in self.words.values()):
            raise InputError(f"known topics must be a mapping of topics to counts of words: got {self.words!r}")
        return list(words_by_topic(self.words, "words"))

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """An addition to the prior."""
        weight = check_weight(self.weight)
        known = self.counts(corpus)
        seeds = [
            SeedPrior(w, topics.number(topic), weight * count)
            for topic, own in known.items()
            for w, count in own.items()
        ]
        return KnowledgePart(seeds=seeds)

    def counts(self, corpus: Corpus) -> dict[TopicName, dict[int, float]]:
        """How often each topic has its words, by their ids; words that the corpus does not have are warned of."""
        known = find_words(corpus, (word for own in self.words.values() for word in own), "known topic")
        return {
            topic: {known[word]: check_weight(n, f"the count of {word!r}") for word, n in own.items() if word in known}
            for topic, own in self.words.items()
        }

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each topic how much of it is as it was known: Σ_w min(p(w), q(w)); it holds from 0.5 on."""
        for topic, own in self.counts(case.corpus).items():
            number = case.known.topics.number(topic)
            now = case.now.word_topics[:, [number]].toarray().ravel().astype(np.float64)
            known = np.zeros(len(now))
            known[list(own)] = list(own.values())
            empty = not now.any() or not known.any()
            share = float("nan") if empty else float(np.minimum(now / now.sum(), known / known.sum()).sum())
            carrier = TopicFraction(number, case.names.get(number), 1.0)
            what = f"{topic} ({len(own):,} word{'s' * (len(own) != 1)})"
            yield Row("known-topics", what, None, share, None if empty else share >= TOGETHER, (carrier,))


class TopicNames:
    """Names of topics, by their numbers; they change nothing else.

    >>> import topicwright as tw
    >>> names = tw.TopicNames({1: "sea"})
    >>> tw.LDA(n_topics=2, knowledge=[names], n_sweeps=5).fit(["ship sails", "bread bakes"]).topic_names_
    ['0', 'sea']
    """

    @suggest_keywords()
    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def __repr__(self) -> str:
        return f"TopicNames({names_of(self.names.values() if isinstance(self.names, Mapping) else self.names)})"

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each name."""
        is_right = isinstance(self.names, Mapping) and not any(isinstance(number, str) for number in self.names)
        if not is_right or not all(isinstance(name, str) for name in self.names.values()):
            raise InputError(f"names of topics must be a mapping of numbers to names: got {self.names!r}")
        numbers = {name: number for number, name in self.names.items()}
        if len(numbers) < len(self.names):
            raise InputError(f"each topic must have a name of its own: got {list(self.names.values())}")
        return numbers

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The topics, by name and by number, so that nobody else gets the number."""
        return [*self.numbers, *self.names]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Nothing for the sampler."""
        return KnowledgePart()

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """A name is a name."""
        return iter(())

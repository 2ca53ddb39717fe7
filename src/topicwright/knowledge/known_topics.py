"""Known topics and names of topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._utils.formatting import pluralize
from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .advice import known_topic_advice
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext
from .io.nodes import Node, by_topic_to_dict, parse_by_topic, parse_topic, parse_weight, plain_number, plain_value
from .lookup import HEAVIEST, check_weight, check_words_by_topic, find_words, names_of
from .priors import WordPrior
from .report import TOGETHER, ReportRow, TopicFraction


@register_knowledge("known-topics")
class KnownTopics(Knowledge):
    """Topics whose words are known: they stay as they are, while their shares and all other topics are learned.

    The prior of a word in its topic grows by ``weight`` times its count. Use it to keep a topic of an earlier model in
    the next one.

    Parameters
    ----------
    words : mapping
        Word counts of each topic: ``{"hockey": {"puck": 120, "goalie": 80}}``. List all words of the topic: other words
        have hardly any probability in it.
    weight : float
        Weight of the counts relative to the texts. With 10, ten elevenths of the topic are as given.

    Examples
    --------
    >>> import topicwright as tw
    >>> known = tw.KnownTopics({"sea": {"ship": 10, "sails": 10}})
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[known], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['sea', '1']
    """

    needs_documents = False

    @suggest_keywords()
    def __init__(self, words: Mapping[Any, Mapping[str, float]], weight: float = 10.0) -> None:
        self.words = words
        self.weight = weight

    def __repr__(self) -> str:
        return f"KnownTopics({names_of(self.words)})"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """The known topics."""
        if not isinstance(self.words, Mapping) or not all(isinstance(own, Mapping) for own in self.words.values()):
            raise InputError(parameter="words", expected="a mapping of topics to word counts", got=self.words)
        return list(check_words_by_topic("words", self.words))

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Additions to the prior."""
        weight = check_weight(self.weight)
        priors = [
            WordPrior(word, topics.number(topic), weight * count)
            for topic, own in self.counts(corpus).items()
            for word, count in own.items()
        ]
        return KnowledgePart(word_priors=priors)

    def counts(self, corpus: Corpus) -> dict[TopicName, dict[int, float]]:
        """Counts by topic and word id, with a warning about words that the corpus does not have."""
        ids = find_words(corpus, (word for own in self.words.values() for word in own), "known topic")
        return {
            topic: {ids[word]: _check_count(word, count) for word, count in own.items() if word in ids}
            for topic, own in self.words.items()
        }

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Overlap Σ_w min(p(w), q(w)) of each topic with the given counts; a topic holds from 0.5 on."""
        for topic, own in self.counts(context.corpus).items():
            number = context.knowledge.topics.number(topic)
            counts = context.counts.word_topics[:, [number]].toarray().ravel().astype(np.float64)
            known = np.zeros(len(counts))
            known[list(own)] = list(own.values())
            is_empty = not counts.any() or not known.any()
            share = float("nan") if is_empty else float(np.minimum(counts / counts.sum(), known / known.sum()).sum())
            topics = (TopicFraction(number, context.topic_names.get(number), 1.0),)
            what = f"{topic} ({pluralize(len(own), 'word')})"
            advice = known_topic_advice(share, counts, known, context)
            yield ReportRow(str(self.key), what, None, share, None if is_empty else share >= TOGETHER, topics, advice)

    def to_dict(self) -> dict[str, Any]:
        """Weight and word counts of each topic."""
        counts = {
            topic: {plain_value(word): plain_value(n) for word, n in own.items()} for topic, own in self.words.items()
        }
        return {"weight": plain_number(self.weight), "topics": by_topic_to_dict(counts)}

    @classmethod
    def from_dict(cls, node: Node) -> KnownTopics:
        """Known topics from a mapping with topics and weight."""
        fields = node.fields(("topics", "weight"), ("topics",))
        options = {"weight": parse_weight(fields["weight"], HEAVIEST)} if "weight" in fields else {}
        topics = parse_by_topic(fields["topics"], "counts of words")
        return cls({topic: _word_counts_from_dict(words) for topic, words in topics.items()}, **options)


def _check_count(word: str, count: Any) -> float:
    try:
        return check_weight(count)
    except InputError as error:
        raise InputError(
            f"the count of {word!r} must be {error.expected}: got {count!r}",
            parameter="words",
            expected=error.expected,
            got=count,
        ) from None


def _word_counts_from_dict(node: Node) -> dict[str, float]:
    counts = {}
    for word, count in node.items("a mapping of words to counts, such as {puck: 120}"):
        number = parse_weight(count, HEAVIEST)
        counts[word.text("a word")] = int(number) if number.is_integer() else number
    return counts


@register_knowledge("topic-names")
class TopicNames(Knowledge):
    """Names of topics, by number. They have no effect on training.

    Parameters
    ----------
    names : mapping
        Name of each topic number.

    Examples
    --------
    >>> import topicwright as tw
    >>> names = tw.TopicNames({1: "sea"})
    >>> tw.LDA(n_topics=2, knowledge=[names], n_sweeps=5).fit(["ship sails", "bread bakes"]).topic_names_
    ['0', 'sea']
    """

    needs_documents = False

    @suggest_keywords()
    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def __repr__(self) -> str:
        return f"TopicNames({names_of(self.names.values() if isinstance(self.names, Mapping) else self.names)})"

    @property
    def topic_numbers(self) -> dict[str, int]:
        """Number of each name."""
        is_mapping = isinstance(self.names, Mapping) and not any(isinstance(number, str) for number in self.names)
        if not is_mapping or not all(isinstance(name, str) for name in self.names.values()):
            raise InputError(parameter="names", expected="a mapping of topic numbers to names", got=self.names)
        numbers = {name: number for number, name in self.names.items()}
        if len(numbers) < len(self.names):
            raise InputError(parameter="names", expected="different names", got=list(self.names.values()))
        return numbers

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics by name and by number, so that no other topic gets the number."""
        return [*self.topic_numbers, *self.names]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Nothing for the sampler."""
        return KnowledgePart()

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """No rows: a name always holds."""
        return iter(())

    def to_dict(self) -> dict[str, Any]:
        """Names by number."""
        return {str(number): plain_value(name) for number, name in self.names.items()}

    @classmethod
    def from_dict(cls, node: Node) -> TopicNames:
        """Names from a mapping of numbers to names."""
        names: dict[int, str] = {}
        for key, name in node.items("a mapping of numbers to names"):
            topic = parse_topic(key, is_key=True)
            if not isinstance(topic, int):
                key.fail_expected("a topic's number, 0 or more")
            names[topic] = name.text("a name")
        if len(set(names.values())) < len(names):
            node.fail("two topics have the same name")
        return cls(names)

"""Seed words of topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._utils.formatting import pluralize
from .._utils.signatures import suggest_keywords
from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import UnknownWordsWarning
from .allowed_topics import TopicConstraint, constrain_words
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext, evaluate_seeds
from .io.nodes import Node, parse_pull, parse_weight, parse_words_by_topic, plain_number, words_by_topic_to_dict
from .lookup import HEAVIEST, check_pull, check_weight, check_words_by_topic, find_words, materialize, names_of
from .priors import SeedTopic
from .report import ReportRow

_PRIORITY = 3  # labels come first


@register_knowledge("seeds")
class SeedWords(Knowledge):
    """Words that belong to a topic, which gets a name or is given by its number.

    A soft seed (the default) acts in two ways. Each of its tokens prefers the topic, and so do the other words of the
    documents that it occurs in. The latter makes the topic cover whole documents, not only its seeds. Training starts
    with the seeds in their topics.

    Parameters
    ----------
    seeds : mapping
        Words of each topic: ``{"football": ["quarterback", "fumble"], 7: ["bank"]}``. A topic of which the corpus has
        no word is left out, with a warning.
    weight : float
        Strength of soft seeds. Each token of a seed adds ``weight`` to the prior of the topic in its document, as if
        that many more tokens were in it, and is itself ``1 + weight`` times as likely in the topic. All seeds of a
        document together add at most half of its number of tokens, or 20, so a large weight does no harm.
    hard : bool
        Whether the word may be assigned only to the topics that it is a seed of.
    pull : float, optional
        Number that each token of a soft seed adds to the prior of the topic in its document, if it is not ``weight``.
        Use less for frequent words that also occur in documents about other topics.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> seeds = tw.SeedWords({"kitchen": ["bread"], "sea": ["ship"]})
    >>> lda = tw.LDA(n_topics=2, knowledge=[seeds], n_sweeps=50).fit(texts)
    >>> lda.topic_names_
    ['kitchen', 'sea']
    >>> sorted(lda.top_words(3)[0])
    ['bakes', 'bread', 'loaf']
    """

    needs_documents = False

    @suggest_keywords()
    def __init__(
        self,
        seeds: Mapping[TopicName, Iterable[str]],
        weight: float = 30.0,
        *,
        hard: bool = False,
        pull: float | None = None,
    ) -> None:
        self.seeds = (
            {topic: materialize(words) for topic, words in seeds.items()} if isinstance(seeds, Mapping) else seeds
        )
        self.weight = weight
        self.hard = hard
        self.pull = pull

    def __repr__(self) -> str:
        return f"SeedWords({names_of(self.seeds)})"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics with seeds in the vocabulary, and those that are given by number."""
        lost = self._lost_topics(corpus)
        return [topic for topic in self.seeds if topic not in lost]

    def _lost_topics(self, corpus: Corpus) -> list[str]:
        """Named topics with no seed in the vocabulary."""
        known = set(corpus.vocabulary.tolist())
        topics = check_words_by_topic("seeds", self.seeds)
        return [topic for topic, words in topics.items() if isinstance(topic, str) and known.isdisjoint(words)]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Topics of the seed words, or a constraint for hard seeds."""
        pairs = self.pairs(corpus, topics)
        lost = self._lost_topics(corpus)
        if lost:
            warn(
                f"{pluralize(len(lost), 'seeded topic')} left out, with no seed in the vocabulary: {names_of(lost)}",
                UnknownWordsWarning,
            )
        if self.hard:
            return KnowledgePart(constraint=_constraint(corpus, pairs) if pairs else None)
        weight = float(self.weight)
        pull = weight if self.pull is None else check_pull(self.pull)
        return KnowledgePart(seeds=[SeedTopic(word, topic, weight, pull) for word, topic in pairs])

    def pairs(self, corpus: Corpus, topics: TopicNumbers) -> list[tuple[int, int]]:
        """Word ids and topic numbers, with a warning about words that the corpus does not have."""
        check_weight(self.weight)
        check_words_by_topic("seeds", self.seeds)
        ids = find_words(corpus, (word for words in self.seeds.values() for word in words), "seed")
        pairs = [
            (ids[word], topics.number(topic)) for topic, words in self.seeds.items() for word in words if word in ids
        ]
        return list(dict.fromkeys(pairs))

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of each word's tokens in its topics; a seed of a topic with hardly any other words does not hold."""
        pairs = self.pairs(context.corpus, context.knowledge.topics)
        constraint = _constraint(context.corpus, pairs) if self.hard and pairs else None
        return evaluate_seeds(str(self.key), _topics_of_words(pairs), constraint, context)

    def to_dict(self) -> dict[str, Any]:
        """Weight, hardness, pull if it is given, and words of each topic."""
        return {
            "weight": plain_number(self.weight),
            "hard": bool(self.hard),
            **({} if self.pull is None else {"pull": plain_number(self.pull)}),
            "topics": words_by_topic_to_dict(self.seeds),
        }

    @classmethod
    def from_dict(cls, node: Node) -> SeedWords:
        """Seeds from a mapping of topics to words, or from a mapping with topics, weight, hard and pull."""
        topics = Node(node.value.get("topics"), f"{node.path}, topics", node.line) if node.is_mapping else node
        if not node.is_mapping or not (topics.is_mapping or topics.is_list_of_mappings):
            return cls(parse_words_by_topic(node))
        fields = node.fields(("topics", "weight", "hard", "pull"))
        parsers = {"weight": parse_weight, "pull": parse_pull}
        options: dict[str, Any] = {
            name: parse(fields[name], HEAVIEST) for name, parse in parsers.items() if name in fields
        }
        if "hard" in fields:
            options["hard"] = fields["hard"].boolean()
        return cls(parse_words_by_topic(fields["topics"]), **options)


def _topics_of_words(pairs: list[tuple[int, int]]) -> dict[int, list[int]]:
    topics: dict[int, list[int]] = {}
    for word, topic in pairs:
        topics.setdefault(word, []).append(topic)
    return topics


def _constraint(corpus: Corpus, pairs: list[tuple[int, int]]) -> TopicConstraint:
    allowed = _topics_of_words(pairs)
    topics = [np.array(sorted(own), dtype=np.int64) for own in allowed.values()]
    return constrain_words(corpus, {word: n for n, word in enumerate(allowed)}, topics, "hard seeds", _PRIORITY)

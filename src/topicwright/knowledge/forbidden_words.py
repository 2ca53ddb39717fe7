"""Words that must not be assigned to a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .allowed_topics import constrain_words
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext
from .io.nodes import Node, parse_words_by_topic, words_by_topic_to_dict
from .lookup import check_words_by_topic, find_words, materialize, names_of
from .report import ReportRow

_PRIORITY = 4  # labels and hard seeds come first


@register_knowledge("forbidden-words")
class ForbiddenWords(Knowledge):
    """Words that must not be assigned to a topic; they may have all other topics.

    If labels or hard seeds leave a word no other topic, these hold, with a warning.

    Parameters
    ----------
    words : mapping
        Words that each topic must not have: ``{"football": ["bank"], 7: ["bank", "money"]}``.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.ForbiddenWords({0: ["ship"]})], n_sweeps=20).fit(texts)
    >>> int(lda.topic_word_counts_[0, list(lda.vocabulary_).index("ship")])
    0
    """

    needs_documents = False

    @suggest_keywords()
    def __init__(self, words: Mapping[Any, Iterable[str]]) -> None:
        self.words = {topic: materialize(own) for topic, own in words.items()} if isinstance(words, Mapping) else words

    def __repr__(self) -> str:
        return f"ForbiddenWords({names_of(self.words)})"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics that have forbidden words."""
        return list(check_words_by_topic("words", self.words))

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Constraint of each word to all topics except those."""
        forbidden = self.forbidden_topics(corpus, topics)
        if not forbidden:
            return KnowledgePart()
        for word, own in forbidden.items():
            if len(own) == topics.n_topics:
                raise InputError(
                    f"{corpus.vocabulary[word]!r} is forbidden in every topic: leave it at least one",
                    parameter="words",
                    got=self.words,
                )
        number = {own: n for n, own in enumerate(dict.fromkeys(map(tuple, forbidden.values())))}
        allowed = [np.setdiff1d(np.arange(topics.n_topics), own) for own in number]
        sets = {word: number[tuple(own)] for word, own in forbidden.items()}
        return KnowledgePart(constraint=constrain_words(corpus, sets, allowed, "forbidden words", _PRIORITY))

    def forbidden_topics(self, corpus: Corpus, topics: TopicNumbers) -> dict[int, list[int]]:
        """Topic numbers forbidden for each word id, with a warning about words that the corpus does not have."""
        ids = find_words(corpus, (word for own in self.words.values() for word in own), "forbidden word")
        forbidden: dict[int, set[int]] = {}
        for topic, own in self.words.items():
            for word in own:
                if word in ids:
                    forbidden.setdefault(ids[word], set()).add(topics.number(topic))
        return {word: sorted(own) for word, own in sorted(forbidden.items())}

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of each word's tokens outside its forbidden topics."""
        names = context.knowledge.topics.names()
        for word, forbidden in self.forbidden_topics(context.corpus, context.knowledge.topics).items():
            counts = context.counts.word_topics[[word], :].toarray().ravel()
            inside, total = int(counts[forbidden].sum()), int(counts.sum())
            what = f"{context.corpus.vocabulary[word]} ↛ {', '.join(names[topic] for topic in forbidden)}"
            share = 1 - inside / total if total else float("nan")
            top_topics = context.top_topics(np.arange(len(counts)), counts / max(total, 1))
            yield ReportRow(str(self.key), what, None, share, inside == 0 if total else None, top_topics)

    def to_dict(self) -> Any:
        """Words of each topic."""
        return words_by_topic_to_dict(self.words)

    @classmethod
    def from_dict(cls, node: Node) -> ForbiddenWords:
        """Forbidden words from a mapping of topics to words."""
        return cls(parse_words_by_topic(node))

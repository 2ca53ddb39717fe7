"""Words that may not be in a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import find_words, materialize, names_of, words_by_topic
from .compiler import KnowledgePart, TopicConstraint, TopicName, TopicNumbers
from .evaluation import EvaluationContext
from .report import Row

_RANK = 4


class ForbiddenWords:
    """Words that may not be in a topic, whatever the texts say; all other topics are open to them.

    Where labels or hard seeds leave a word no other topic, those hold, with a warning.

    Parameters
    ----------
    words
        The words that each topic may not have: ``{"football": ["bank"], 7: ["bank", "money"]}``.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.ForbiddenWords({0: ["ship"]})], n_sweeps=20).fit(texts)
    >>> int(lda.topic_word_counts_[0, list(lda.vocabulary_).index("ship")])
    0
    """

    @suggest_keywords()
    def __init__(self, words: Mapping[Any, Iterable[str]]) -> None:
        self.words = {topic: materialize(own) for topic, own in words.items()} if isinstance(words, Mapping) else words

    def __repr__(self) -> str:
        return f"ForbiddenWords({names_of(self.words)})"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The topics that words are kept out of."""
        return list(words_by_topic(self.words, "forbidden words"))

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """A limit: for such words all topics but those."""
        closed = self.closed(corpus, topics)
        if not closed:
            return KnowledgePart()
        number = {own: n for n, own in enumerate(dict.fromkeys(map(tuple, closed.values())))}
        everything = np.arange(topics.n_topics)
        sets = [np.setdiff1d(everything, own) for own in number]
        for word, own in closed.items():
            if len(own) == topics.n_topics:
                raise InputError(f"{corpus.vocabulary[word]!r} is forbidden in every topic, and must be in one")
        set_of_word = np.full(corpus.n_words, -1, np.int64)
        set_of_word[list(closed)] = [number[tuple(own)] for own in closed.values()]
        return KnowledgePart(constraint=TopicConstraint(set_of_word[corpus.tokens], sets, "forbidden words", _RANK))

    def closed(self, corpus: Corpus, topics: TopicNumbers) -> dict[int, list[int]]:
        """The topics that each word may not have; words that the corpus does not have are warned of."""
        known = find_words(corpus, (word for own in self.words.values() for word in own), "forbidden word")
        closed: dict[int, set[int]] = {}
        for topic, own in self.words.items():
            for word in own:
                if word in known:
                    closed.setdefault(known[word], set()).add(topics.number(topic))
        return {word: sorted(own) for word, own in sorted(closed.items())}

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each word the share of its tokens that keeps out."""
        names = case.known.topics.names()
        for word, closed in self.closed(case.corpus, case.known.topics).items():
            counts = case.now.word_topics[[word], :].toarray().ravel()
            inside, total = int(counts[closed].sum()), int(counts.sum())
            what = f"{case.corpus.vocabulary[word]} ↛ {', '.join(names[topic] for topic in closed)}"
            share = 1 - inside / total if total else float("nan")
            carriers = case.carriers(np.arange(len(counts)), counts / max(total, 1))
            yield Row("forbidden-words", what, None, share, inside == 0 if total else None, carriers)

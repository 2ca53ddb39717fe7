"""Words that may only be assigned to a background topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .allowed_topics import TopicConstraint, constrain_words
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext, evaluate_words_in_topics
from .io.nodes import Node, parse_topic, parse_words, plain_value
from .lookup import find_words, materialize, size_of
from .report import ReportRow

_PRIORITY = 5  # labels, hard seeds and forbidden words come first


@register_knowledge("background-words")
class BackgroundWords(Knowledge):
    """Words that may only be assigned to one background topic, such as the boilerplate of a corpus.

    The words stay in the corpus, and all other topics are free of them. Other words may be assigned to the background
    topic too. If labels, hard seeds or forbidden words exclude the background topic for a token, these hold, with a
    warning; to combine background words with :class:`DocumentLabels`, use its own background topic: ``DocumentLabels(…,
    background=1)`` and ``BackgroundWords(…, topic="background 1")``.

    Parameters
    ----------
    words : iterable of str
        Background words.
    topic : str or int
        Name or number of the background topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails copyright", "boat sails copyright", "bread bakes copyright", "loaf bakes copyright"] * 10
    >>> lda = tw.LDA(n_topics=3, knowledge=[tw.BackgroundWords(["copyright"])], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['background', '1', '2']
    >>> lda.topic_word_counts_.toarray()[:, list(lda.vocabulary_).index("copyright")]
    array([40,  0,  0])
    """

    needs_documents = False

    @suggest_keywords()
    def __init__(self, words: Iterable[str], topic: TopicName = "background") -> None:
        self.words = materialize(words)
        self.topic = topic

    def __repr__(self) -> str:
        return f"BackgroundWords({size_of(self.words)} words in {self.topic})"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """The background topic."""
        return [self.topic]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Constraint of the words to the background topic."""
        ids = self.word_ids(corpus)
        return KnowledgePart(constraint=self._constraint(corpus, ids, topics) if ids else None)

    def word_ids(self, corpus: Corpus) -> list[int]:
        """Ids of the words, with a warning about words that the corpus does not have."""
        is_list = isinstance(self.words, Iterable) and not isinstance(self.words, (str, bytes))
        if not is_list or not all(isinstance(word, str) for word in self.words):
            raise InputError(parameter="words", expected="a list of words", got=self.words)
        return list(find_words(corpus, self.words, "background word").values())

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of each word's tokens in the background topic."""
        ids, topics = self.word_ids(context.corpus), context.knowledge.topics
        constraint = self._constraint(context.corpus, ids, topics)
        return evaluate_words_in_topics(
            str(self.key), {word: [topics.number(self.topic)] for word in ids}, constraint, context
        )

    def to_dict(self) -> dict[str, Any]:
        """Topic and words."""
        return {"topic": plain_value(self.topic), "words": list(map(plain_value, self.words))}

    @classmethod
    def from_dict(cls, node: Node) -> BackgroundWords:
        """Background words from a list, or from a mapping with words and topic."""
        if node.is_list:
            return cls(parse_words(node))
        fields = node.fields(("words", "topic"), ("words",))
        options = {"topic": parse_topic(fields["topic"], is_key=False)} if "topic" in fields else {}
        return cls(parse_words(fields["words"]), **options)

    def _constraint(self, corpus: Corpus, ids: list[int], topics: TopicNumbers) -> TopicConstraint:
        background = np.array([topics.number(self.topic)], dtype=np.int64)
        return constrain_words(corpus, dict.fromkeys(ids, 0), [background], "background words", _PRIORITY)

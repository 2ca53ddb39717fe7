"""Words that belong to a topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from .base import check_weight, find_words, materialize, names_of, words_by_topic
from .compiler import KnowledgePart, TopicConstraint, TopicName, TopicNumbers
from .evaluation import EvaluationContext, evaluate_seeds
from .priors import SeedPrior
from .report import Row

_RANK = 3


class SeedWords:
    """Words that belong to a topic, which is given a name here or called by its number.

    Soft seeds (the default) enlarge the prior of the word in its topic. The prior takes part in every draw, so that
    seeds do not wash out as they do where they only set the start.

    Parameters
    ----------
    seeds
        The words of each topic: ``{"football": ["quarterback", "fumble"], 7: ["bank"]}``.
    weight
        How much larger the prior is, in units of the word's own frequency: with 1, every occurrence of the word in
        the corpus counts once more in that topic, before any text is seen.
    hard
        Whether the word may be in no topic but those that it is a seed of.

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

    @suggest_keywords()
    def __init__(self, seeds: Mapping[TopicName, Iterable[str]], weight: float = 1.0, *, hard: bool = False) -> None:
        self.seeds = (
            {topic: materialize(words) for topic, words in seeds.items()} if isinstance(seeds, Mapping) else seeds
        )
        self.weight = weight
        self.hard = hard

    def __repr__(self) -> str:
        return f"SeedWords({names_of(self.seeds)})"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The seeded topics."""
        return list(words_by_topic(self.seeds, "seeds"))

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """An addition to the prior, or a limit."""
        pairs = self.pairs(corpus, topics)
        if self.hard:
            return KnowledgePart(constraint=self._limit(corpus, pairs) if pairs else None)
        counts = corpus.word_counts()
        # A word that never occurs gets the weight of one that occurs once.
        return KnowledgePart(seeds=[SeedPrior(w, k, float(self.weight) * max(1, int(counts[w]))) for w, k in pairs])

    def pairs(self, corpus: Corpus, topics: TopicNumbers) -> list[tuple[int, int]]:
        """Word ids and topic numbers; words that the corpus does not have are warned of."""
        check_weight(self.weight)
        words_by_topic(self.seeds, "seeds")
        known = find_words(corpus, (word for words in self.seeds.values() for word in words), "seed")
        pairs = [
            (known[word], topics.number(topic))
            for topic, words in self.seeds.items()
            for word in words
            if word in known
        ]
        return list(dict.fromkeys(pairs))

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each word the share of its tokens in its topics."""
        hard = self.compile(case.corpus, case.known.topics).constraint if self.hard else None
        return evaluate_seeds(self.pairs(case.corpus, case.known.topics), hard, case)

    def _limit(self, corpus: Corpus, pairs: list[tuple[int, int]]) -> TopicConstraint:
        allowed: dict[int, list[int]] = {}
        for word, topic in pairs:
            allowed.setdefault(word, []).append(topic)
        set_of_word = np.full(corpus.n_words, -1, np.int64)
        set_of_word[list(allowed)] = np.arange(len(allowed))
        sets = [np.array(sorted(topics), dtype=np.int64) for topics in allowed.values()]
        return TopicConstraint(set_of_word[corpus.tokens], sets, "hard seeds", _RANK)

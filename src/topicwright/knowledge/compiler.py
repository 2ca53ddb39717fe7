"""From what people say to what the sampler obeys: topics get numbers, words get ids, contradictions get found.

Every kind of knowledge is an object with two methods:

``topics(corpus)``
    the topics that it speaks of, by name or number (most kinds speak of none);
``compile(corpus, topics)``
    itself as a :class:`Part`: a factor, sets of topics that tokens are limited to, or an addition to the prior.

Where a rule says how far it holds, it has a third, ``judge(case)``: its rows of the report (``measuring.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._utils.warnings import warn
from ..corpus import Corpus
from ..errors import ContradictionWarning, InputError
from .base import AllowedTopics
from .priors import SeedPrior, SeedPriors, SharedCount, SharedCounts, gather_seeds, gather_shared_counts

TopicName = str | int


class TopicNumbers:
    """The number of each topic that knowledge speaks of by name; names that have a number already keep it."""

    def __init__(
        self, n_topics: int, mentioned: Iterable[TopicName] = (), numbered: Mapping[str, int] | None = None
    ) -> None:
        self.n_topics = n_topics
        mentioned = dict.fromkeys(mentioned)
        taken = {self._checked(number) for number in mentioned if not isinstance(number, str)}
        kept = {name: number for name, number in (numbered or {}).items() if name in mentioned}
        taken.update(kept.values())
        names = [name for name in mentioned if isinstance(name, str) and name not in kept]
        free = [k for k in range(min(n_topics, len(names) + len(taken))) if k not in taken]
        if len(names) > len(free):
            raise InputError(
                f"n_topics must be at least {len(names) + len(taken):,}, one for each label and seeded topic: "
                f"got {n_topics:,}"
            )
        self.numbers = {**kept, **dict(zip(names, free))}

    def number(self, topic: TopicName) -> int:
        """The number of a topic."""
        if not isinstance(topic, str):
            return self._checked(topic)
        if topic not in self.numbers:
            raise InputError(f"no topic is called {topic!r}: a factor of one's own names its topics in speaks_of")
        return self.numbers[topic]

    def names(self) -> list[str]:
        """A name for every topic; those that have none are called by their number."""
        names = [str(k) for k in range(self.n_topics)]
        for name, number in self.numbers.items():
            names[number] = name
        return names

    def _checked(self, number: Any) -> int:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < self.n_topics:
            raise InputError(f"a topic must be a name or a number from 0 to {self.n_topics - 1}: got {number!r}")
        return int(number)


class TopicConstraint(NamedTuple):
    """Sets of topics for tokens: ``sets[i]`` is a number in the list ``topics``, or −1 where token i is free."""

    sets: NDArray[np.int64]
    topics: Sequence[NDArray[np.int64]]
    name: str  # for messages
    priority: int  # where two constraints leave no topic, the one with the lower number holds


class KnowledgePart(NamedTuple):
    """One piece of knowledge, as the sampler takes it."""

    factor: Any = None
    constraint: TopicConstraint | None = None
    seeds: Sequence[SeedPrior] = ()
    shared_word_counts: Sequence[SharedCount] = ()
    shared_document_counts: Sequence[SharedCount] = ()
    must_links: NDArray[np.int64] = np.empty((0, 2), np.int64)  # pairs of words
    cannot_links: NDArray[np.int64] = np.empty((0, 2), np.int64)
    reads: str = "own"  # whose counts: of the "own" word and its links, any "words", linked "documents", or "any"


class Knowledge(Protocol):
    """What every kind of knowledge has."""

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """The topics that it speaks of."""

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Itself, for the sampler."""


class CompiledKnowledge(NamedTuple):
    """All knowledge of a model."""

    topics: TopicNumbers
    factors: tuple[Any, ...] = ()
    allowed_topics: AllowedTopics | None = None
    seeds: SeedPriors | None = None
    shared_word_counts: SharedCounts | None = None
    shared_document_counts: SharedCounts | None = None
    linked: NDArray[np.int64] = np.empty((0, 2), np.int64)  # pairs of words whose counts are read together
    reads: frozenset[str] = frozenset()  # whose counts are read beside those of linked words
    contradictions: tuple[str, ...] = ()

    @property
    def needs_one_block(self) -> bool:
        """Whether counts are read that another thread might be changing."""
        return bool(self.reads)

    def warn(self) -> None:
        """Say which pieces of knowledge contradict each other."""
        for sentence in self.contradictions:
            warn(sentence, ContradictionWarning)


def compile_knowledge(
    items: Iterable[Knowledge], corpus: Corpus, n_topics: int, numbered: Mapping[str, int] | None = None
) -> CompiledKnowledge:
    """All pieces together; ``numbered`` are names of topics that have their number already.

    A kind may have ``numbers`` of its own: names of topics whose number is part of what it says.
    """
    items = list(items)
    for item in items:
        if isinstance(item, type):
            raise InputError(f"knowledge must be made first: got the class {item.__name__}; write {item.__name__}(…)")
        if not callable(getattr(item, "compile", None)):
            raise InputError(f"knowledge must be a list of MustLinks, SeedWords and so on: got {item!r} in it")
    numbered = dict(numbered or {})
    for item in items:
        numbered.update(getattr(item, "numbers", {}))
    topics = TopicNumbers(n_topics, [topic for item in items for topic in item.topics(corpus)], numbered)
    parts = [item.compile(corpus, topics) for item in items]
    limits, conflicts = _combine([part.constraint for part in parts if part.constraint is not None], n_topics)
    must, cannot = (np.concatenate([np.empty((0, 2), np.int64), *pairs]) for pairs in zip(*_pairs(parts)))
    return CompiledKnowledge(
        topics=topics,
        factors=tuple(part.factor for part in parts if part.factor is not None),
        allowed_topics=limits,
        seeds=gather_seeds([seed for part in parts for seed in part.seeds], corpus.n_words),
        shared_word_counts=gather_shared_counts(
            [shared for part in parts for shared in part.shared_word_counts], corpus.n_words
        ),
        shared_document_counts=gather_shared_counts(
            [shared for part in parts for shared in part.shared_document_counts], corpus.n_docs
        ),
        linked=np.concatenate([must, cannot]),
        reads=frozenset(part.reads for part in parts) - {"own"},
        contradictions=(*conflicts, *_contradicting_links(must, cannot, corpus)),
    )


def _pairs(parts: list[KnowledgePart]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    return [(part.must_links, part.cannot_links) for part in parts] or [
        (KnowledgePart().must_links, KnowledgePart().cannot_links)
    ]


def _combine(limits: list[TopicConstraint], n_topics: int) -> tuple[AllowedTopics | None, list[str]]:
    """The topics that all limits allow a token; where none is left, those of the limit that ranks first."""
    if not limits:
        return None, []
    limits = sorted(limits, key=lambda limit: limit.priority)
    combinations, sets = _combinations(limits)
    tokens = np.bincount(sets, minlength=len(combinations))
    allowed: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    number = np.zeros(len(combinations), np.int64)
    lost: dict[tuple[str, str], int] = {}
    for c, combination in enumerate(combinations.tolist()):
        topics, holding = None, ""
        for limit, own in zip(limits, combination):
            if own < 0:
                continue
            both = limit.topics[own] if topics is None else np.intersect1d(topics, limit.topics[own])
            if len(both):
                topics, holding = both, limit.name
            else:
                lost[limit.name, holding] = lost.get((limit.name, holding), 0) + int(tokens[c])
        if topics is not None:
            number[c] = len(allowed)
            allowed.append(topics)
    start = np.concatenate([[0], np.cumsum([len(topics) for topics in allowed])]).astype(np.uint64)
    topics_of_sets = np.concatenate(allowed).astype(np.uint32)
    conflicts = [
        f"{losing} and {winning} leave no topic for {count:,} token{'s' * (count != 1)}: there {winning} hold"
        for (losing, winning), count in lost.items()
    ]
    return AllowedTopics(number[sets].astype(np.uint32), start, topics_of_sets, np.zeros(n_topics + 1)), conflicts


def _combinations(limits: list[TopicConstraint]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different rows of sets that tokens have, one column a limit, and the row of each token."""
    number = limits[0].sets + 1
    rows = np.arange(len(limits[0].topics) + 1)[:, None] - 1
    for limit in limits[1:]:
        width = len(limit.topics) + 1
        used, number = np.unique(number * width + limit.sets + 1, return_inverse=True)
        rows = np.hstack([rows[used // width], (used % width)[:, None] - 1])
    return rows, number


def _contradicting_links(must: NDArray[np.int64], cannot: NDArray[np.int64], corpus: Corpus) -> list[str]:
    """A pair that is linked both ways is an error; one that must-links join by a detour is told of."""
    if not len(must) or not len(cannot):
        return []
    words = corpus.vocabulary
    both = {tuple(sorted(pair)) for pair in must.tolist()} & {tuple(sorted(pair)) for pair in cannot.tolist()}
    if both:
        pairs = ", ".join(f"{words[a]} – {words[b]}" for a, b in sorted(both)[:5])
        raise InputError(f"a pair of words can't be both a must-link and a cannot-link: {pairs}")
    component = components(must, corpus.n_words)
    return [
        f"{words[a]} and {words[b]} are kept apart by a cannot-link, and joined by a chain of must-links"
        for a, b in cannot.tolist()
        if component[a] == component[b]
    ]


def components(pairs: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """A number for each of n things that is the same for those that pairs connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

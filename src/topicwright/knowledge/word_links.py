"""Words that belong together, and words that belong apart (SC-LDA eq. 6 and 7; Mimno et al. 2011 for loans)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import entry_at, row_bounds
from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import (
    DEFAULT_FIRMNESS,
    Words,
    both_ways,
    check_strength,
    find_words,
    materialize,
    require_iterable,
    share_ratio,
    size_of,
    soften,
)
from .compiler import KnowledgePart, TopicName, TopicNumbers
from .evaluation import EvaluationContext, evaluate_word_links
from .factors import register_factor, scale_topic
from .priors import share_counts
from .report import Row

_ONE = np.uint64(1)


class WordLinks(NamedTuple):
    """For each word its partners, and the count from which each of them pulls or pushes."""

    start: NDArray[np.uint64]
    partners: NDArray[np.uint32]
    floor: NDArray[np.float64]  # λ
    sign: float  # 1 for must-links, -1 for cannot-links


def apply_word_links(factor: Any, place: Any, counts: Any, touched: Any) -> None:
    """g(k) = Π_u max(λ_u, n_ku) / λ_u over the partners u, or its inverse; only counts above λ matter (eq. 7)."""
    for link in range(factor.start[place.word], factor.start[place.word + _ONE]):
        floor = factor.floor[link]
        j, end = row_bounds(counts.words, factor.partners[link])
        while j < end:
            topic, count = entry_at(counts.words, j)
            if count <= floor:  # rows are sorted: so are all that follow
                break
            scale_topic(touched, topic, count / floor if factor.sign > 0.0 else floor / count)
            j += _ONE


register_factor(WordLinks, apply_word_links)


class _Links:
    """What must- and cannot-links share."""

    kind: ClassVar[str]
    sign: ClassVar[float]

    def __init__(self, links: Iterable[Sequence[Any]], strength: float, firmness: float | None) -> None:
        if isinstance(links, str) or _is_one_pair(links):
            raise InputError(
                f"{self.kind}s must be a list of pairs of words, such as [('ship', 'boat')]: got {links!r:.60}"
            )
        self.links = materialize(links)
        self.strength = strength
        self.firmness = firmness

    def __repr__(self) -> str:
        return f"{type(self).__name__}({size_of(self.links)} links)"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """Links speak of no topic."""
        return ()

    def pairs(self, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The pairs as word ids, each once, and the λ of each; words that the corpus does not have are warned of."""
        check_strength(self.strength, self.firmness)
        groups = self.groups()
        known = find_words(corpus, (word for words, _ in groups for word in words), self.kind)
        found: dict[tuple[int, int], float] = {}
        for words, strength in groups:
            ids = [known[word] for word in words if word in known]
            for n, a in enumerate(ids):
                for b in ids[:n]:
                    if a == b:
                        raise InputError(f"a word can't be linked to itself: got {corpus.vocabulary[a]!r} twice")
                    found.setdefault((min(a, b), max(a, b)), strength)
        pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
        return pairs, np.array(list(found.values()), dtype=np.float64)

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each pair how much the topics of its words overlap."""
        return evaluate_word_links(f"{self.kind}s", self.pairs(case.corpus)[0], case, are_apart=self.sign < 0)

    def groups(self) -> list[tuple[Words, float]]:
        """The words of each link, and its λ."""
        return [
            self._read(link) for link in require_iterable(self.links, f"{self.kind}s must be a list of pairs of words")
        ]

    def _read(self, link: Any) -> tuple[Words, float]:
        """A link is two words or more, and may end with a λ of its own."""
        if isinstance(link, (str, bytes)) or not isinstance(link, (Sequence, np.ndarray)):
            raise InputError(f"a {self.kind} must be a pair of words: got {link!r}")
        words, strength = list(link), self.strength
        if len(words) > 2 and isinstance(words[-1], Real) and not isinstance(words[-1], bool):
            strength = check_strength(float(words.pop()), self.firmness)
        if len(words) < 2 or not all(isinstance(word, str) for word in words):
            raise InputError(f"a {self.kind} must be a pair of words: got {link!r}")
        return words, strength


def _is_one_pair(links: Any) -> bool:
    """Whether this is a link, and not a list of such."""
    return isinstance(links, (tuple, list)) and len(links) > 1 and all(isinstance(word, str) for word in links)


class MustLinks(_Links):
    """Words that belong together: each draws the other into its topics.

    Parameters
    ----------
    links
        Pairs of words, or groups of words that all belong together. A link may end with a λ of its own:
        ``("ship", "boat", 5.0)``.
    strength
        λ of SC-LDA. Smaller is stronger.
    firmness
        How hard the links hold, from 0 (not at all) to 1 (they share all topics, whatever the texts say). A word
        borrows its partner's counts: it is drawn as if f / (1 − f) / λ times its own tokens had been seen in the
        partner's topics, in the partner's proportions. So both keep their several senses, and share them.

        None leaves the dial out: that is SC-LDA's own potential, where a topic pulls in proportion to max(λ, n) / λ, n
        being how often it holds the partner. It drives both words into one topic.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.MustLinks([("ship", "boat")])], n_sweeps=50).fit(texts)
    >>> ship, boat = (lda.topic_word_[:, list(lda.vocabulary_).index(word)] for word in ("ship", "boat"))
    >>> bool(ship.argmax() == boat.argmax())
    True
    """

    kind = "must-link"
    sign = 1.0

    @suggest_keywords()
    def __init__(
        self, links: Iterable[Sequence[Any]], strength: float = 1.0, *, firmness: float | None = DEFAULT_FIRMNESS
    ) -> None:
        super().__init__(links, strength, firmness)

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Loans from word to word, or the paper's potential."""
        pairs, strengths = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart(must_links=pairs)
        if self.firmness is None:
            floors = np.repeat(strengths[:, None], 2, axis=1)
            return KnowledgePart(
                factor=WordLinks(*both_ways(pairs, floors, corpus.n_words), self.sign), must_links=pairs
            )
        shared = share_counts(pairs, share_ratio(strengths, self.firmness), corpus.word_counts())
        return KnowledgePart(shared_word_counts=shared, must_links=pairs)


class CannotLinks(_Links):
    """Words that belong apart: each drives the other out of its topics.

    Parameters
    ----------
    links
        As for :class:`MustLinks`; of a group, every two belong apart.
    strength
        λ of SC-LDA: a topic is held back in proportion to λ / max(λ, n), where n is how often it holds the partner.
        Smaller is stronger.
    firmness
        How hard the links hold, from 0 (not at all) to 1 or None (with λ as it is). In between, λ rises from
        ``strength`` towards the partner's frequency: only topics that hold a good share of it push.

    Examples
    --------
    >>> import topicwright as tw
    >>> tw.CannotLinks([("river", "money"), ("fumble", "bank", 2.0)])
    CannotLinks(2 links)
    """

    kind = "cannot-link"
    sign = -1.0

    @suggest_keywords()
    def __init__(self, links: Iterable[Sequence[Any]], strength: float = 1.0, *, firmness: float | None = None) -> None:
        super().__init__(links, strength, firmness)

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """The paper's potential, with λ as soft as the links are."""
        pairs, strengths = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart(cannot_links=pairs)
        firmness = 1.0 if self.firmness is None else self.firmness
        floors = soften(strengths, corpus.word_counts()[pairs], firmness)
        return KnowledgePart(factor=WordLinks(*both_ways(pairs, floors, corpus.n_words), self.sign), cannot_links=pairs)

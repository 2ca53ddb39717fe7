"""Must-links and cannot-links between words (SC-LDA eq. 6 and 7; Mimno et al. 2011 for shared counts)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.count_rows import entry_at, floored_count, row_bounds
from .._utils.numba import jit_inline
from .._utils.signatures import suggest_keywords
from ..corpus import Corpus
from ..errors import InputError
from .base import Knowledge, KnowledgePart, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext, evaluate_cannot_links, evaluate_must_links
from .factors import register_factor, scale_topic
from .io.nodes import Node, plain_value
from .links import (
    DEFAULT_FIRMNESS,
    both_directions,
    check_strength,
    share_ratio,
    soften,
    strength_from_dict,
    strength_to_dict,
)
from .lookup import check_iterable, find_words, materialize, size_of
from .priors import SharedCount, share_counts
from .report import ReportRow

_ONE = np.uint64(1)
_PAIRS = "a list of pairs of words, such as [('ship', 'boat')]"
_LINK_IN_FILE = "a list of words, such as [ship, boat]"


class WordLinks(NamedTuple):
    """Factor of linked words: the partners of each word, and the count λ from which each has an effect."""

    start: NDArray[np.uint64]
    partners: NDArray[np.uint32]
    floor: NDArray[np.float64]  # λ
    sign: float  # 1 for must-links, -1 for cannot-links in run folders of earlier versions


def apply_word_links(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """g(k) = Π_u max(λ_u, n_ku) / λ_u over the partners u, or its inverse; only counts above λ matter (eq. 7)."""
    for link in range(factor.start[context.word], factor.start[context.word + _ONE]):
        floor = factor.floor[link]
        j, end = row_bounds(counts.words, factor.partners[link])
        while j < end:
            topic, count = entry_at(counts.words, j)
            if count <= floor:  # rows are sorted by count: all that follow are smaller
                break
            scale_topic(multipliers, topic, count / floor if factor.sign > 0.0 else floor / count)
            j += _ONE


register_factor(WordLinks, apply_word_links, of_words=True)


class SeparatedWords(NamedTuple):
    """Factor of cannot-links; fields as in :class:`WordLinks`."""

    start: NDArray[np.uint64]
    partners: NDArray[np.uint32]
    floor: NDArray[np.float64]


def apply_cannot_links(factor: Any, context: Any, counts: Any, multipliers: Any) -> None:
    """g(k) = Π_v λ_v / max(λ_v, n_kv) over the partners v, for all topics in which it is below 1."""
    links = WordLinks(factor.start, factor.partners, factor.floor, -1.0)
    _apply_word_links(links, context, counts, multipliers)


def cannot_link_ratio(factor: Any, context: Any, counts: Any, topic: Any) -> Any:
    """The same for one topic."""
    ratio = 1.0
    for link in range(factor.start[context.word], factor.start[context.word + _ONE]):
        floor = factor.floor[link]
        count = floored_count(counts.words, factor.partners[link], topic, floor)
        if count > floor:  # rare: saves a division
            ratio *= floor / count
    return ratio


_apply_word_links = jit_inline(apply_word_links)
register_factor(SeparatedWords, apply_cannot_links, of_words=True, ratio_at=cannot_link_ratio)


class _WordLinksKnowledge(Knowledge):
    """Base class of must-links and cannot-links."""

    needs_documents = False
    link_name: ClassVar[str]
    sign: ClassVar[float]

    def __init__(self, links: Iterable[Sequence[Any]], strength: float, firmness: float | None) -> None:
        if isinstance(links, str) or _is_one_pair(links):
            raise InputError(parameter="links", expected=_PAIRS, got=links)
        self.links = materialize(links)
        self.strength = strength
        self.firmness = firmness

    def __repr__(self) -> str:
        return f"{type(self).__name__}({size_of(self.links)} links)"

    def groups(self) -> list[tuple[list[str], float]]:
        """Words and strength λ of each link."""
        return [self._parse_link(link) for link in check_iterable("links", self.links, _PAIRS)]

    def pairs(self, corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Distinct pairs of word ids and the λ of each, with a warning about words that the corpus does not have."""
        check_strength(self.strength, self.firmness)
        groups = self.groups()
        ids = find_words(corpus, (word for words, _ in groups for word in words), self.link_name)
        found: dict[tuple[int, int], float] = {}
        for words, strength in groups:
            own = [ids[word] for word in words if word in ids]
            for n, a in enumerate(own):
                for b in own[:n]:
                    if a == b:
                        raise InputError(
                            f"a word can't be linked to itself: got {corpus.vocabulary[a]!r} twice",
                            parameter="links",
                            got=words,
                        )
                    found.setdefault((min(a, b), max(a, b)), strength)
        pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
        return pairs, np.array(list(found.values()), dtype=np.float64)

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Overlap of the topics of each pair."""
        pairs, _ = self.pairs(context.corpus)
        evaluate = evaluate_must_links if self.sign > 0 else evaluate_cannot_links
        return evaluate(str(self.key), pairs, self.firmness, context)

    def to_dict(self) -> dict[str, Any]:
        """Strength, firmness and links."""
        links = [list(map(plain_value, link)) for link in self.links]
        return {**strength_to_dict(self.strength, self.firmness), "links": links}

    @classmethod
    def from_dict(cls, node: Node) -> _WordLinksKnowledge:
        """Links from a list of links, or from a mapping with links, strength and firmness."""
        fields = node.fields(("links", "strength", "firmness"), ("links",)) if node.is_mapping else {"links": node}
        links = [_link_from_dict(link) for link in fields.pop("links").entries("a list of links")]
        return cls(links, **strength_from_dict(fields))

    def _parse_link(self, link: Any) -> tuple[list[str], float]:
        """Words of a link, and λ, which may be the link's last entry."""
        is_sequence = isinstance(link, (Sequence, np.ndarray)) and not isinstance(link, (str, bytes))
        words, strength = list(link) if is_sequence else [], self.strength
        if len(words) > 2 and isinstance(words[-1], Real) and not isinstance(words[-1], bool):
            strength = check_strength(float(words.pop()), self.firmness)
        if len(words) < 2 or not all(isinstance(word, str) for word in words):
            raise InputError(f"a {self.link_name} must be a pair of words: got {link!r}", parameter="links", got=link)
        return words, strength


def _is_one_pair(links: Any) -> bool:
    """Whether the argument is a link instead of a list of links."""
    return isinstance(links, (tuple, list)) and len(links) > 1 and all(isinstance(word, str) for word in links)


def _link_from_dict(node: Node) -> tuple[Any, ...]:
    if not node.is_list:
        node.fail_expected(_LINK_IN_FILE)
    entries = node.entries()
    strength = entries[-1].number_or_none() if len(entries) > 2 else None
    words = [entry.text("a word") for entry in entries[: None if strength is None else -1]]
    if len(words) < 2:
        node.fail_expected(f"{_LINK_IN_FILE}, of two words or more")
    if len(set(words)) < len(words):
        node.fail_expected("a link between different words")
    if strength is not None and strength <= 0:
        entries[-1].fail_expected("a positive strength")
    return tuple(words) if strength is None else (*words, strength)


@register_knowledge("must-links")
class MustLinks(_WordLinksKnowledge):
    """Words that belong together: each draws the other into its topics.

    Links make words agree. They do not make topics more coherent by themselves.

    Parameters
    ----------
    links : iterable of sequences of str
        Pairs of words, or groups in which every two words are linked. A link may end with its own strength λ:
        ``("ship", "boat", 5.0)``.
    strength : float
        λ of SC-LDA. Smaller is stronger.
    firmness : float or None
        How strictly the links hold, from 0 (no effect) to 1 (linked words share all topics, whatever the texts say).
        The topics of a word are drawn as if f / (1 − f) / λ times its own tokens had been seen in the partner's
        topics, in the partner's proportions at the start of the sweep. Both words keep their several senses, and share
        them. Of two words the rarer one follows: the more frequent one gets at most its own number of tokens.

        None uses SC-LDA's own potential instead: the weight of a topic is multiplied by max(λ, n) / λ, where n is the
        number of the partner's tokens in the topic. It drives both words into one topic, and lowered coherence on every
        corpus that we tried. Use it to reproduce the paper.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.MustLinks([("ship", "boat")])], n_sweeps=50).fit(texts)
    >>> ship, boat = (lda.topic_word_[:, list(lda.vocabulary_).index(word)] for word in ("ship", "boat"))
    >>> bool(ship.argmax() == boat.argmax())
    True
    """

    link_name = "must-link"
    sign = 1.0

    @suggest_keywords()
    def __init__(
        self, links: Iterable[Sequence[Any]], strength: float = 1.0, *, firmness: float | None = DEFAULT_FIRMNESS
    ) -> None:
        super().__init__(links, strength, firmness)

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Shared counts of linked words, or the factor of SC-LDA."""
        pairs, strengths = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart(must_links=pairs)
        if self.firmness is None:
            floors = np.repeat(strengths[:, None], 2, axis=1)
            factor = WordLinks(*both_directions(pairs, floors, corpus.n_words), self.sign)
            return KnowledgePart(factor=factor, must_links=pairs)
        ratios = share_ratio(strengths, self.firmness)
        return KnowledgePart(shared_word_counts=_share_words(pairs, ratios, corpus.all_word_counts()), must_links=pairs)


def _share_words(pairs: NDArray[np.int64], ratios: Any, sizes: NDArray[np.int64]) -> list[SharedCount]:
    """Counts that linked words share. The more frequent word of a pair gets no more than its own frequency.

    Words follow where the other was in the last sweep. If both followed firmly, they would change places for ever.
    """
    size, ratios = sizes[pairs], np.broadcast_to(ratios, len(pairs))
    is_rarer = (size < size[:, ::-1]) | ((size == size[:, ::-1]) & (pairs < pairs[:, ::-1]))
    return share_counts(pairs, np.where(is_rarer, ratios[:, None], np.minimum(ratios, 1.0)[:, None]), sizes)


@register_knowledge("cannot-links")
class CannotLinks(_WordLinksKnowledge):
    """Words that do not belong together: each drives the other out of its topics.

    Parameters
    ----------
    links : iterable of sequences of str
        As for :class:`MustLinks`; in a group, every two words are kept apart.
    strength : float
        λ of SC-LDA: the weight of a topic is multiplied by λ / max(λ, n), where n is the number of the partner's tokens
        in the topic. Smaller is stronger.
    firmness : float or None
        How strictly the links hold, from 0 (no effect) to 1 or None (with λ as given). In between, λ rises from
        ``strength`` towards the partner's frequency, so that only topics with a large share of its tokens matter.

    Examples
    --------
    >>> import topicwright as tw
    >>> tw.CannotLinks([("river", "money"), ("fumble", "bank", 2.0)])
    CannotLinks(2 links)
    """

    link_name = "cannot-link"
    sign = -1.0

    @suggest_keywords()
    def __init__(self, links: Iterable[Sequence[Any]], strength: float = 1.0, *, firmness: float | None = None) -> None:
        super().__init__(links, strength, firmness)

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Factor of SC-LDA, with λ softened by the firmness."""
        pairs, strengths = self.pairs(corpus)
        if not len(pairs) or self.firmness == 0:
            return KnowledgePart(cannot_links=pairs)
        firmness = 1.0 if self.firmness is None else self.firmness
        floors = soften(strengths, corpus.all_word_counts()[pairs], firmness)
        factor = SeparatedWords(*both_directions(pairs, floors, corpus.n_words))
        return KnowledgePart(factor=factor, cannot_links=pairs)

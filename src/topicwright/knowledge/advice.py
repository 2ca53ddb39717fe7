"""Advice of the knowledge report: what an item costs, why it does not hold, and what to change.

Advice is one sentence, or an empty string where nothing can be said. The thresholds were chosen on 20 Newsgroups and
Reuters-21578, such that two random seeds of the same training rarely differ by more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import pluralize
from ..corpus import Corpus
from .report import APART, TOGETHER

if TYPE_CHECKING:
    from .evaluation import EvaluationContext

_FIRMEST = 0.9  # a larger firmness changes little
_UNCHANGED = 0.1  # difference of two overlaps
_FEWEST_TOKENS = 20  # of a word: with fewer, its topics are left to chance
_LEAST_OTHERS = 2  # a seeded topic has formed if most of its tokens are not seeds
_COMMON = 0.2  # share of all documents from which a word stands for no single topic
_LARGE = 4.0  # size of a topic, in units of the average topic
_FEW_DOCUMENTS = 0.1  # share of a topic in the documents of its seeds
_MORE_THAN_CHANCE = 0.1  # excess of joint documents from which words are taken to occur together
_MOSTLY_TOGETHER = 0.3  # the same for common words, which are typical of a large subject from there on
_SHORT = 10  # tokens of a document whose words say too little
_ENOUGH_TEXT = 20  # tokens that a label has in other documents, for each token of a document, to compare it
_WORSE = 1.0  # difference of log-probabilities per token from which another label fits clearly better
_MAX_SCORES = 1_000_000  # documents times labels that are compared
_SMOOTHING = 0.01
_EXAMPLES = 3


# ---------------------------------------------------------------------- words and the words around them


def share_of_neighbors(corpus: Corpus, assignments: NDArray[Any], n_topics: int) -> NDArray[np.float64]:
    """For each word, the share of the other tokens of its documents that are in its topic; mean over its tokens.

    The figure is low if a word was moved away from the words that it occurs with. It does not depend on the numbers of
    topics, so that two models can be compared.
    """
    lengths, total = corpus.doc_lengths(), np.zeros(corpus.n_words)
    for first, last in _blocks(corpus.offsets):
        tokens = slice(int(corpus.offsets[first]), int(corpus.offsets[last]))
        docs = np.repeat(np.arange(last - first), lengths[first:last])
        pairs = docs * n_topics + assignments[tokens].astype(np.int64)
        _, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        shares = (counts[which.ravel()] - 1) / np.maximum(lengths[first:last][docs] - 1, 1)
        total += np.bincount(corpus.tokens[tokens], weights=shares, minlength=corpus.n_words)
    return np.asarray(total / np.maximum(corpus.word_counts(), 1))


def _blocks(offsets: NDArray[np.int64], size: int = 1 << 20) -> list[tuple[int, int]]:
    """First and last document (not included) of blocks of about ``size`` tokens."""
    edges = np.searchsorted(offsets, np.arange(0, offsets[-1], size), side="left")
    edges = np.unique(np.append(edges, len(offsets) - 1)).tolist()
    return list(pairwise(edges))


def documents_of_words(corpus: Corpus, words: NDArray[np.int64]) -> Any:
    """Which of some words occur in which documents, as a CSR array of zeros and ones."""
    from scipy.sparse import csr_array

    number = np.full(corpus.n_words, -1, np.int64)
    number[words] = np.arange(len(words))
    positions = np.flatnonzero((number >= 0)[corpus.tokens])
    docs = np.searchsorted(corpus.offsets, positions, side="right") - 1
    found = np.unique(number[corpus.tokens[positions]] * corpus.n_docs + docs)
    shape = (len(words), corpus.n_docs)
    return csr_array((np.ones(len(found), np.int64), (found // corpus.n_docs, found % corpus.n_docs)), shape=shape)


def _costs(context: EvaluationContext) -> dict[int, str]:
    """Words that lost more of the words around them than another random seed would change, with a remark."""
    if context.neighbors is None:
        return {}
    before, now = context.neighbors
    n_tokens = context.corpus.word_counts()
    limit = np.where(n_tokens >= 5 * _FEWEST_TOKENS, 2 / 3, np.where(n_tokens >= _FEWEST_TOKENS, 1 / 2, 0.0))
    return {
        word: f"holds at a cost, {str(context.corpus.vocabulary[word])!r} shares its topic with {now[word]:.0%} of the "
        f"words around it ({before[word]:.0%} without knowledge)"
        for word in np.flatnonzero(now < limit * before).tolist()
    }


# ---------------------------------------------------------------------- links


def must_link_advice(
    pairs: NDArray[np.int64],
    before: Sequence[float | None],
    now: Sequence[float],
    firmness: float | None,
    context: EvaluationContext,
) -> list[str]:
    """Advice on must-links, from their overlaps without knowledge and with it."""
    stronger = "remove the link" if _is_firm(firmness) else "raise `firmness` if they mean the same, or remove the link"
    fails = np.array([overlap < TOGETHER for overlap in now], np.bool_)
    reasons = _reasons(pairs, fails, f"the words are used differently{{}}; {stronger}", context)
    for n in _disjoint_pairs(pairs, fails, context):
        reasons[n] = "contradicts seeds, labels or forbidden words, which leave the words no topic in common"
    costs = _costs(context)
    advice = []
    for pair, old, new, reason in zip(pairs.tolist(), before, now, reasons):
        cost = costs.get(pair[0]) or costs.get(pair[1])
        if reason:
            advice.append(reason)
        elif cost:
            advice.append(f"{cost}; {_weaker(firmness)}, or remove the link")
        elif old is not None and old >= TOGETHER and new - old < _UNCHANGED:
            advice.append("not needed; it holds without the link")
        else:
            advice.append("")
    return advice


def cannot_link_advice(
    pairs: NDArray[np.int64],
    before: Sequence[float | None],
    now: Sequence[float],
    firmness: float | None,
    context: EvaluationContext,
) -> list[str]:
    """Advice on cannot-links, from their overlaps without knowledge and with it."""
    stronger = "remove the link" if _is_firm(firmness) else "raise `firmness`, or remove the link"
    fails = np.array([overlap > APART for overlap in now], np.bool_)
    reasons = _reasons(pairs, fails, f"the words are used alike{{}}; {stronger}", context)
    costs = _costs(context)
    advice = []
    for pair, old, reason in zip(pairs.tolist(), before, reasons):
        cost = costs.get(pair[0]) or costs.get(pair[1])
        if reason:
            advice.append(reason)
        elif old is not None and old <= APART:
            advice.append("not needed; it holds without the link")
        elif cost:
            advice.append(f"{cost}; {_weaker(firmness)}, or remove the link")
        else:
            advice.append("")
    return advice


def document_link_advice(
    pairs: NDArray[np.int64], before: Sequence[float | None], now: Sequence[float], firmness: float | None
) -> list[str]:
    """Advice on links of documents, from their overlaps without knowledge and with it."""
    stronger = "remove the link" if _is_firm(firmness) else "raise `firmness`, or remove the link"
    advice = []
    for old, new in zip(before, now):
        if new < TOGETHER:
            advice.append(f"the documents have different words; {stronger}")
        elif old is not None and old >= TOGETHER and new - old < _UNCHANGED:
            advice.append("not needed; it holds without the link")
        else:
            advice.append("")
    return advice


def _is_firm(firmness: float | None) -> bool:
    return firmness is None or firmness >= _FIRMEST


def _weaker(firmness: float | None) -> str:
    return "set `firmness` below 1" if firmness is None else "lower `firmness`"


def _reasons(pairs: NDArray[np.int64], fails: NDArray[np.bool_], reason: str, context: EvaluationContext) -> list[str]:
    """Why some links of words do not hold, empty for other links.

    ``reason`` has a placeholder for the share of documents that contain both words.
    """
    told, rows = [""] * len(pairs), np.flatnonzero(fails)
    if not len(rows):
        return told
    words, ends = np.unique(pairs[rows], return_inverse=True)
    ends = ends.reshape(-1, 2)
    n_tokens = np.asarray(context.counts.word_topics[words, :].sum(axis=1)).ravel()[ends]
    together = _together(words, ends, context)
    for n, row in enumerate(rows.tolist()):
        rarer = int(n_tokens[n].argmin())
        word = str(context.corpus.vocabulary[pairs[row, rarer]])
        if n_tokens[n, rarer] < _FEWEST_TOKENS:
            told[row] = f"{word!r} is too rare to tell ({pluralize(int(n_tokens[n, rarer]), 'token')})"
        elif together is None:
            told[row] = reason.format("")
        else:
            told[row] = reason.format(f" (together in {together[n, rarer]:.0%} of the documents with {word!r})")
    return told


def _disjoint_pairs(pairs: NDArray[np.int64], fails: NDArray[np.bool_], context: EvaluationContext) -> list[int]:
    """Links that fail because seeds or constraints give their words different topics."""
    rows = np.flatnonzero(fails)
    words = np.unique(pairs[rows]).tolist()
    seeds, topics = context.knowledge.seeds, {}
    if seeds is not None:
        start = seeds.start.astype(np.int64)
        topics = {word: set(seeds.topics[start[word] : start[word + 1]].tolist()) for word in words}
    for word, allowed in _allowed_topics(words, context).items():
        topics[word] = allowed & topics[word] if topics.get(word) else allowed
    return [
        row
        for row, (a, b) in zip(rows.tolist(), pairs[rows].tolist())
        if topics.get(a) and topics.get(b) and topics[a].isdisjoint(topics[b])
    ]


def _allowed_topics(words: Sequence[int], context: EvaluationContext) -> dict[int, set[int]]:
    """Topics that constraints allow for some token of each word, without words that may have any topic."""
    allowed = context.knowledge.allowed_topics
    if allowed is None or context.counts.assignments is None:
        return {}
    positions = np.flatnonzero(np.isin(context.corpus.tokens, words))
    pairs = np.unique(np.column_stack([context.corpus.tokens[positions], allowed.sets[positions]]), axis=0)
    topics: dict[int, set[int]] = {}
    for word, number in pairs.tolist():
        own = allowed.topics[int(allowed.start[number]) : int(allowed.start[number + 1])].tolist()
        topics.setdefault(word, set()).update(own if number else range(context.knowledge.topics.n_topics))
    return {word: own for word, own in topics.items() if len(own) < context.knowledge.topics.n_topics}


def _together(
    words: NDArray[np.int64], ends: NDArray[np.int64], context: EvaluationContext
) -> NDArray[np.float64] | None:
    """Share of the documents with each word of a pair that contain the other; None if there are no documents."""
    if context.counts.assignments is None:
        return None
    found = documents_of_words(context.corpus, words)
    both = np.asarray(found[ends[:, 0], :].multiply(found[ends[:, 1], :]).sum(axis=1)).reshape(-1, 1)
    return np.asarray(both / np.maximum(np.diff(found.indptr), 1)[ends])


# ---------------------------------------------------------------------- seeds


def has_formed(topic: int, seeds: Sequence[int], word_topics: Any) -> bool:
    """Whether a seeded topic has at least as many tokens of other words as of its seeds; counts as a CSC array."""
    counts = word_topics[:, [topic]].toarray().ravel()
    return bool(counts.sum() >= _LEAST_OTHERS * counts[list(seeds)].sum())


def words_of_topics(topics_of_word: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Word ids of each topic, from the topics of each word id."""
    words: dict[int, list[int]] = {}
    for word, own in topics_of_word.items():
        for topic in own:
            words.setdefault(topic, []).append(word)
    return words


def seed_advice(
    seeds: Mapping[int, Sequence[int]],
    formed: set[int],
    before: Mapping[int, float | None],
    context: EvaluationContext,
) -> dict[int, str]:
    """Advice on seeds whose tokens are in their topics.

    Parameters
    ----------
    seeds : mapping
        Word ids of each topic.
    formed : set of int
        Topics with enough other words.
    before : mapping
        Share of each word's tokens in its topics, in the model without knowledge.
    context : EvaluationContext
        Trained model.

    Returns
    -------
    dict
        Advice by word id.
    """
    unformed = "its topic has hardly any other words; add seeds that occur with other words"
    advice = {word: unformed for topic, words in seeds.items() if topic not in formed for word in words}
    sizes = np.asarray(context.counts.word_topics.sum(axis=0)).ravel()
    shares = sizes / max(int(sizes.sum()), 1)
    documents = _SeedDocuments.find(seeds, context)
    for topic, words in seeds.items():
        told = {} if documents is None else documents.advice(topic, words, before)
        if shares[topic] > _LARGE / len(shares):
            size = f"its topic has {shares[topic]:.0%} of all tokens"
            large = f"{size}; if that is too many, use fewer or more specific seeds"
            told = {word: told.get(word, large) for word in words}
        for word, sentence in told.items():
            advice.setdefault(word, sentence)
    return advice


class _SeedDocuments(NamedTuple):
    """Documents that contain seeds, and the topics of documents."""

    row: dict[int, int]  # of each seed in ``found``
    found: Any
    doc_topics: Any
    n_tokens: NDArray[np.int64]

    @classmethod
    def find(cls, seeds: Mapping[int, Sequence[int]], context: EvaluationContext) -> _SeedDocuments | None:
        """Documents of the seeds, None for a model that was saved without its documents."""
        words = sorted({word for own in seeds.values() for word in own})
        if context.counts.doc_topics is None or not words:
            return None
        found = documents_of_words(context.corpus, np.array(words))
        doc_topics = context.counts.doc_topics.tocsc()
        return cls({word: n for n, word in enumerate(words)}, found, doc_topics, context.corpus.word_counts())

    def advice(self, topic: int, words: Sequence[int], before: Mapping[int, float | None]) -> dict[int, str]:
        """Advice on seeds of a topic that are too common, stand apart from the others, or are too rare."""
        told, n_docs, n_seeds = {}, self.found.shape[1], self._count(words)
        for word in words:
            own = self._documents(word)
            others, joint = (n_seeds > 0).sum() - (n_seeds[own] == 1).sum(), (n_seeds[own] > 1).sum()
            excess = joint / max(len(own), 1) - others / n_docs
            if len(own) > max(_COMMON, 2 / self.doc_topics.shape[1]) * n_docs and excess < _MOSTLY_TOGETHER:
                share = len(own) / n_docs
                told[word] = f"too common for one topic (in {share:.0%} of all documents); use a more specific word"
        inside = [word for word in words if not _is_outside(before[word])]
        has_other = self._count(inside) > 0
        for word in words:
            if inside and word not in inside and self.n_tokens[word] >= _FEWEST_TOKENS:
                share = has_other[self._documents(word)].mean()
                if share < has_other.mean() + _MORE_THAN_CHANCE:
                    told[word] = (
                        f"check its meaning; only {share:.0%} of its documents contain another seed of the topic"
                    )
        tokens = self.doc_topics[:, [topic]].toarray().ravel()
        covered = tokens[n_seeds > 0].sum() / max(int(tokens.sum()), 1)
        if covered < _FEW_DOCUMENTS:
            rare = f"only {covered:.0%} of its topic is in documents with a seed; add more frequent seeds"
            told = {word: told.get(word, rare) for word in words}
        return told

    def _count(self, words: Sequence[int]) -> NDArray[np.int64]:
        """Number of these words in each document."""
        rows = [self.row[word] for word in words]
        return np.asarray(self.found[rows, :].sum(axis=0)).ravel() if rows else np.zeros(self.found.shape[1], np.int64)

    def _documents(self, word: int) -> NDArray[np.int64]:
        """Documents that contain a word."""
        n = self.row[word]
        return np.asarray(self.found.indices[self.found.indptr[n] : self.found.indptr[n + 1]])


def _is_outside(share: float | None) -> bool:
    return share is not None and share < APART


def known_topic_advice(
    share: float, counts: NDArray[np.float64], known: NDArray[np.float64], context: EvaluationContext
) -> str:
    """Advice on a known topic, from its overlap with the given counts, and both counts of words."""
    if not share < TOGETHER:
        return ""
    gained = np.argsort(known / known.sum() - counts / counts.sum(), kind="stable")[:_EXAMPLES]
    words = ", ".join(context.corpus.vocabulary[gained])
    return f"the topic has changed (new words are {words}); raise `weight` to keep it"


# ---------------------------------------------------------------------- documents


class BetterFit(NamedTuple):
    """Topic that explains the words of a document better than its own topics, and by how much per token."""

    topic: int
    difference: float


def find_better_topics(
    topics_of_doc: Mapping[int, Sequence[int]], shared: Sequence[int], context: EvaluationContext
) -> dict[int, BetterFit | None]:
    """Documents whose words fit the topic of another document clearly better than their own topics.

    The measure is the mean log-probability of a token in the best of the document's topics, with the document's own
    tokens removed from the counts. Short documents, and topics with little other text, are left out. At most a million
    combinations of a document and a topic are compared; beyond that, evenly spaced documents.

    Parameters
    ----------
    topics_of_doc : mapping
        Topics of some documents, by row.
    shared : sequence of int
        Background topics, which all documents may use.
    context : EvaluationContext
        Trained model.

    Returns
    -------
    dict
        Better topic of each document that was compared, None where there is none.
    """
    comparison = _compare_topics({topic for own in topics_of_doc.values() for topic in own}, shared, context)
    if comparison is None:
        return {}
    offsets = context.corpus.offsets
    rows = [
        row for row, own in topics_of_doc.items() if comparison.has_enough_text(offsets[row + 1] - offsets[row], own)
    ]
    step = max(1, -(-len(rows) * len(comparison.topics) // _MAX_SCORES))
    return {row: comparison.better_topic(row, topics_of_doc[row], context) for row in rows[::step]}


class _TopicComparison(NamedTuple):
    """Counts of the topics that are compared, as columns."""

    topics: NDArray[np.int64]
    column: NDArray[np.int64]  # of each topic of the model, −1 if it is not compared
    is_shared: NDArray[np.bool_]  # background topics
    counts: Any
    sizes: NDArray[np.int64]

    def has_enough_text(self, length: int, own: Sequence[int]) -> bool:
        """Whether a document and the other documents of its topics are long enough to compare their words."""
        return length >= _SHORT and self.sizes[self.column[own]].sum() - length >= _ENOUGH_TEXT * length

    def better_topic(self, row: int, own: Sequence[int], context: EvaluationContext) -> BetterFit | None:
        """Topic that fits a document clearly better than its own topics."""
        tokens = slice(int(context.corpus.offsets[row]), int(context.corpus.offsets[row + 1]))
        words, which = np.unique(context.corpus.tokens[tokens], return_inverse=True)
        assigned = self.column[np.asarray(context.counts.assignments)[tokens]]
        inside = assigned >= 0
        counts = self.counts[words, :].toarray().astype(np.float64)
        np.subtract.at(counts, (which[inside], assigned[inside]), 1.0)  # the document must not speak for itself
        sizes = self.sizes - np.bincount(assigned[inside], minlength=len(self.topics))
        likelihood = (counts + _SMOOTHING) / (sizes + _SMOOTHING * context.corpus.n_words)
        if self.is_shared.any():
            likelihood = np.maximum(likelihood, likelihood[:, self.is_shared].max(axis=1, keepdims=True))
        weights = np.bincount(which) / len(which)
        scores = weights @ np.log(likelihood)
        scores[self.is_shared] = scores[self.column[own]] = -np.inf
        best = int(scores.argmax())
        difference = float(scores[best] - weights @ np.log(likelihood[:, self.column[own]].max(axis=1)))
        return BetterFit(int(self.topics[best]), difference) if difference > _WORSE else None


def _compare_topics(own: set[int], shared: Sequence[int], context: EvaluationContext) -> _TopicComparison | None:
    """Topics of documents and background topics, or None if there is nothing to compare."""
    if len(own) < 2 or context.counts.assignments is None:
        return None
    topics = np.array(sorted(own.union(shared)), dtype=np.int64)
    column = np.full(context.knowledge.topics.n_topics, -1, np.int64)
    column[topics] = np.arange(len(topics))
    counts = context.counts.word_topics[:, topics].tocsr()
    return _TopicComparison(topics, column, np.isin(topics, shared), counts, np.asarray(counts.sum(axis=0)).ravel())


def document_topic_advice(share: float, better: BetterFit | None, names: Sequence[str]) -> str:
    """Advice on the topic of a document, from the share of its tokens there and a topic that fits it better."""
    if better is not None:
        return f"check the document; its words fit {names[better.topic]!r} better"
    return "most of its words are elsewhere; raise `weight`, or check the document" if share < TOGETHER else ""


def label_advice(
    labels: Sequence[tuple[str, ...]], shared: Sequence[int], context: EvaluationContext
) -> dict[str, str]:
    """Advice on labels: those of which some documents read like another label."""
    numbers = context.knowledge.topics
    topics_of_doc = {row: [numbers.number(label) for label in own] for row, own in enumerate(labels) if own}
    better = find_better_topics(topics_of_doc, shared, context)
    rows_of_label: dict[str, list[int]] = {}
    for row in better:
        for label in labels[row]:
            rows_of_label.setdefault(label, []).append(row)
    return {
        label: told
        for label, rows in rows_of_label.items()
        if (told := _doubtful_documents({row: better[row] for row in rows}, context))
    }


def _doubtful_documents(better: Mapping[int, BetterFit | None], context: EvaluationContext) -> str:
    doubtful = sorted(((fit, row) for row, fit in better.items() if fit), key=lambda pair: -pair[0].difference)
    if not doubtful:
        return ""
    titles, names = context.corpus.ids or range(context.corpus.n_docs), context.knowledge.topics.names()
    some = ", ".join(f"{titles[row]} → {names[fit.topic]}" for fit, row in doubtful[:_EXAMPLES])
    more = ", …" if len(doubtful) > _EXAMPLES else ""
    return (
        f"check {len(doubtful):,} of {pluralize(len(better), 'document')}, whose words fit another label better "
        f"({some}{more})"
    )

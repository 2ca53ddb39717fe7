"""Explanations of scores by topics and words, and descriptions of classes by topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._utils.formatting import NO_KNOWN_WORD, align_columns, plain_html_table
from .._utils.validation import check_integer
from ..corpus import Corpus
from ..errors import InputError
from ._inputs import Floats, plain_class
from .medlda.base import tfidf_features

if TYPE_CHECKING:
    from .medlda.base import MedLDABase

_WORDS = 5  # words listed for a topic
_RUN = 5  # longest n-gram


class TopicShare(NamedTuple):
    """Contribution of a topic to a score: its share of the words times its weight.

    ``share`` is the expected share of the known words of the document that have the topic. Unlike θ of ``transform`` it
    does not include the prior: a topic that has all three words of a document has share 1, and a small θ if alpha is
    large.
    """

    topic: int
    name: str | None
    share: float
    weight: float
    contribution: float
    words: tuple[str, ...]


class WordShare(NamedTuple):
    """Contribution of the tokens of a word to a score, through their topics and through the weight of the word."""

    word: str
    times: int
    contribution: float
    by_itself: float = 0.0  # part of the contribution that is due to the weight of the word


class TaskExplanation(NamedTuple):
    """Score of one class or target, with the contributions of topics and words.

    Topics are in the order of their absolute contributions. Words that raise the score come first, then those that
    lower it, each with the largest contribution first.
    """

    what: Any
    score: float
    intercept: float
    topics: tuple[TopicShare, ...]
    words: tuple[WordShare, ...]
    from_words: float = 0.0  # total contribution of the weights of words
    probability: float | None = None  # of a class, if the model has probabilities

    @property
    def words_for(self) -> tuple[WordShare, ...]:
        """Words that raise the score."""
        return tuple(word for word in self.words if word.contribution >= 0)

    @property
    def words_against(self) -> tuple[WordShare, ...]:
        """Words that lower the score."""
        return tuple(word for word in self.words if word.contribution < 0)

    def negated(self, what: Any) -> TaskExplanation:
        """Explanation of the first of two classes: a model has one score for both, that of the second."""
        topics = (topic._replace(weight=-topic.weight, contribution=-topic.contribution) for topic in self.topics)
        words = (
            word._replace(contribution=-word.contribution, by_itself=-word.by_itself)
            for word in (*self.words_against, *self.words_for)
        )
        return TaskExplanation(what, 0.0 - self.score, 0.0, tuple(topics), tuple(words), 0.0 - self.from_words)


@dataclass(frozen=True)
class Explanation:
    """Explanation of the scores of a document. ``print`` it, or use ``reasons``, one for each class or target.

    A topic contributes its share of the words times its weight. The intercept, the contributions of all topics and, if
    words have weights, those of the words themselves add up to the score. A word contributes through the topics that
    its tokens are likely to have, and through its own weight.
    """

    reasons: list[TaskExplanation]

    def to_dict(self) -> dict[str, Any]:
        """JSON-compatible dictionary."""
        return {
            "reasons": [
                {
                    **reasons._asdict(),
                    "what": plain_class(reasons.what),
                    "topics": [{**topic._asdict(), "words": list(topic.words)} for topic in reasons.topics],
                    "words": [word._asdict() for word in reasons.words],
                }
                for reasons in self.reasons
            ]
        }

    def __str__(self) -> str:
        return "\n\n".join(_text(title, tables) for title, tables in self._blocks()) or NO_KNOWN_WORD

    def _repr_html_(self) -> str:
        return "".join(_html(title, tables) for title, tables in self._blocks()) or f"<p>{NO_KNOWN_WORD}</p>"

    def _blocks(self) -> Iterable[tuple[str, list[_Table]]]:
        for reasons in self.reasons:
            topics = [["contribution", "share of words", "weight", "topic", "words"]]
            topics += map(_topic_line, reasons.topics)
            sides = {"word for it": reasons.words_for, "word against it": reasons.words_against}
            start = f" (from {reasons.intercept:.4g})" if reasons.intercept else ""
            alone = f", {reasons.from_words:+.4g} of it by weights of words" if reasons.from_words else ""
            words = [_word_table(head, side) for head, side in sides.items() if side]
            chance = "" if reasons.probability is None else f", probability {reasons.probability:.3g}"
            yield f"{reasons.what}: {reasons.score:.4g}{start}{alone}{chance}", [topics, *words]


class WeightedTopic(NamedTuple):
    """Topic with its weight in a class or target, and its words."""

    topic: int
    name: str | None
    weight: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """Description of classes by topics. ``print`` it, or use ``topics``: a list per class, the heaviest first."""

    topics: dict[Any, list[WeightedTopic]]

    def to_dict(self) -> dict[str, Any]:
        """JSON-compatible dictionary."""
        return {
            str(plain_class(what)): [{**topic._asdict(), "words": list(topic.words)} for topic in topics]
            for what, topics in self.topics.items()
        }

    def __str__(self) -> str:
        return "\n\n".join(_text(title, tables) for title, tables in self._blocks())

    def _repr_html_(self) -> str:
        return "".join(_html(title, tables) for title, tables in self._blocks())

    def _blocks(self) -> Iterable[tuple[str, list[_Table]]]:
        for what, topics in self.topics.items():
            lines = [[f"{t.weight:+.3g}", _called(t.topic, t.name), " ".join(t.words)] for t in topics]
            yield str(what), [[["weight", "topic", "words"], *(lines or [["", "", "no topic with a positive weight"]])]]


# ---------------------------------------------------------------------- from models


def explain_task(
    model: MedLDABase, document: Any, names: Sequence[Any], intercepts: Floats, scales: Floats, top: int
) -> list[TaskExplanation]:
    """Explanations of the scores of one document, one for each task, in the units of the task."""
    check_integer("top", top, 1)
    documents = model._documents(one_document(document))
    if len(documents.offsets) != 2:
        raise InputError(f"`document` must be one document: got {len(documents.offsets) - 1:,}", parameter="document")
    shares = model._shares(documents)[0]
    ids, counts = np.unique(documents.tokens, return_counts=True)
    if len(ids):
        intercepts = intercepts + scales * model._intercepts
    weights = model._weights.topics * scales[:, None]
    of_topics = weights * shares
    alone = np.zeros((len(weights), len(ids)))
    if model._idf is not None:
        row = tfidf_features(documents.tokens, documents.offsets, model._idf)[[0]][:, ids].toarray()
        alone = scales[:, None] * model._weights.words[:, ids] * row
    of_words = _of_words(model, shares, ids, counts, weights) + alone
    top_words = model.top_words(_WORDS)

    def topic_share(task: int, k: int) -> TopicShare:
        numbers = float(shares[k]), float(weights[task, k]), float(of_topics[task, k])
        return TopicShare(k, _name(model, k), *numbers, tuple(top_words[k]))

    def word_share(task: int, j: int) -> WordShare:
        word = str(model.vocabulary_[ids[j]])
        return WordShare(word, int(counts[j]), float(of_words[task, j]), float(alone[task, j]))

    return [
        TaskExplanation(
            name,
            float(intercepts[task] + of_topics[task].sum() + alone[task].sum()),
            float(intercepts[task]),
            tuple(topic_share(task, k) for k in _largest(of_topics[task], top) if shares[k] > 0),
            tuple(word_share(task, j) for j in for_and_against(of_words[task], top)),
            float(alone[task].sum()),
        )
        for task, name in enumerate(names)
    ]


def one_document(document: Any) -> Any:
    """List with one document, made from a text, a list of words or a row of counts."""
    if isinstance(document, Corpus) or hasattr(document, "tocsr") or getattr(document, "ndim", 1) == 2:
        return document
    if isinstance(document, (list, tuple)) and any(isinstance(w, str) and len(w.split()) > _RUN for w in document):
        raise InputError(
            "`document` must be one text or a list of its words: got a list of texts", parameter="document"
        )
    return [document]


def heaviest_topics(model: MedLDABase, weights: Floats, n_words: int, n_topics: int) -> list[WeightedTopic]:
    """Topics with the largest positive weights, without empty topics."""
    words = model.top_words(n_words)
    used = [k for k in np.argsort(-weights, kind="stable").tolist() if words[k] and weights[k] > 0]
    return [WeightedTopic(k, _name(model, k), float(weights[k]), tuple(words[k])) for k in used[:n_topics]]


def _of_words(model: MedLDABase, shares: Floats, ids: Any, counts: Any, weights: Floats) -> Floats:
    """Σ over a word's tokens of E[η_z] / N, with p(z = k | w, d) ∝ (N_dk + α_k) φ_kw: tasks × words."""
    prior = np.broadcast_to(model.beta_, len(model.vocabulary_))[ids]
    word_counts = model.topic_word_counts_[:, ids].toarray() + prior
    if model.word_prior_ is not None:
        word_counts = word_counts + model.word_prior_[:, ids].toarray()
    in_doc = shares * counts.sum() + model.alpha_
    rows = in_doc / (model._snapshot.sizes + model._snapshot.beta_sum)
    probabilities = rows[:, None] * word_counts
    expected = weights @ (probabilities / probabilities.sum(axis=0))
    return np.asarray(expected * counts / max(1, counts.sum()))


def _largest(contributions: Floats, top: int) -> list[int]:
    order: list[int] = np.argsort(-np.abs(contributions), kind="stable")[:top].tolist()
    return order


def for_and_against(contributions: Floats, top: int) -> list[int]:
    """The ``top`` largest contributions, then the ``top`` most negative ones."""
    order = np.argsort(-contributions, kind="stable")
    signs = contributions[order]
    return [*order[signs >= 0][:top].tolist(), *order[signs < 0][::-1][:top].tolist()]


def _name(model: MedLDABase, topic: int) -> str | None:
    return None if model.topic_names_ is None else str(model.topic_names_[topic])


# ---------------------------------------------------------------------- tables

_Table = list[list[str]]


def _topic_line(t: TopicShare) -> list[str]:
    return [f"{t.contribution:+.3g}", f"{t.share:.0%}", f"{t.weight:+.3g}", _called(t.topic, t.name), " ".join(t.words)]


def _word_table(head: str, words: Sequence[WordShare]) -> _Table:
    return [["contribution", "count", head], *([f"{w.contribution:+.3g}", str(w.times), w.word] for w in words)]


def _called(topic: int, name: str | None) -> str:
    return str(topic) if name in (None, str(topic)) else f"{topic} {name}"


def _text(title: str, tables: list[_Table]) -> str:
    return "\n".join([title, *(f"  {line}" for table in tables for line in align_columns(table))])


def _html(title: str, tables: list[_Table]) -> str:
    return f"<p><b>{escape(title)}</b></p>" + "".join(map(plain_html_table, tables))

"""A document to read: its text in pieces, each word with its topic, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.validation import check_integer
from .._utils.warnings import collect_warnings
from ..corpus import Corpus
from ..errors import InputError
from ..models._inputs import encode_for
from ..models.labeled.token_posteriors import token_posteriors
from .documents import TokenPositions, known_of, token_positions
from .validation import has_documents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_WEIGHTS = 4_000_000  # numbers in memory at a time, where topics are many


class TopicProbability(NamedTuple):
    """A topic that a word may be of: p(topic | word, document) ∝ φ_kw θ_dk."""

    topic: int
    probability: float


class TokenPosterior(NamedTuple):
    """A word's topic, how probable it is, and the most probable ones, the best first."""

    topic: int
    probability: float
    chances: tuple[TopicProbability, ...]


class Allowed:
    """The topics that labels and hard seeds leave to each word of a training document; without one, all."""

    def __init__(self, model: Any, row: int | None) -> None:
        self.n_topics = len(model.alpha_)
        self._limits = None if row is None else model.fit_state_.compiled.allowed_topics
        self._span = slice(0) if row is None else slice(*model.corpus_.offsets[row : row + 2].tolist())

    def sets(self, n_tokens: int) -> Ints:
        """The number of each token's set; 0 is that of all topics."""
        if self._limits is None:
            return np.zeros(n_tokens, np.int64)
        return np.asarray(self._limits.sets[self._span].astype(np.int64))

    def mask(self, number: int) -> NDArray[np.bool_]:
        """Which topics are in a set."""
        if self._limits is None or number == 0:
            return np.ones(self.n_topics, dtype=bool)
        start, end = self._limits.start[number : number + 2].tolist()
        mask = np.zeros(self.n_topics, dtype=bool)
        mask[self._limits.topics[int(start) : int(end)]] = True
        return mask


def theta_of_row(model: Any, row: int) -> Floats:
    """θ of a training document; zero for topics that none of its words may have."""
    allowed = Allowed(model, row)
    weights = model.doc_topic_counts_[[row], :].toarray()[0] + model.alpha_
    numbers = np.unique(allowed.sets(0)).tolist()
    if numbers and 0 not in numbers:
        weights = weights * np.any([allowed.mask(number) for number in numbers], axis=0)
    return np.asarray(weights / weights.sum())


def token_posterior(
    model: Any, theta: Floats, tokens: Any, topics: Ints | None, allowed: Allowed, n: int
) -> list[TokenPosterior]:
    """Each token with its own topic, or else its most probable one, and the ``n`` most probable topics."""
    kinds, kind_of, counts = np.unique(
        np.stack([tokens.astype(np.int64), allowed.sets(len(tokens))]), axis=1, return_inverse=True, return_counts=True
    )
    members = np.split(np.argsort(kind_of.ravel(), kind="stable"), np.cumsum(counts)[:-1])
    step, found = max(1, _WEIGHTS // len(theta)), [TokenPosterior(0, 0.0, ())] * len(tokens)
    for start in range(0, kinds.shape[1], step):
        words, sets = kinds[:, start : start + step]
        rows = token_posteriors(model, theta, words, np.arange(len(theta)))
        for row, number, own in zip(rows, sets.tolist(), members[start : start + step]):
            row = row * allowed.mask(number) if number else row
            row = row / row.sum()
            best = tuple(TopicProbability(k, float(row[k])) for k in _largest(row, n) if row[k] > 0)
            for place in own.tolist():
                topic = best[0].topic if topics is None else int(topics[place])
                found[place] = TokenPosterior(topic, float(row[topic]), best)
    return found


def _largest(row: Floats, n: int) -> list[int]:
    """The places of the ``n`` largest numbers; of equals the first."""
    least = np.partition(row, -n)[-n] if n < len(row) else -np.inf
    places = np.flatnonzero(row >= least)
    order: list[int] = places[np.argsort(-row[places], kind="stable")][:n].tolist()
    return order


_TOLD = 3  # topics of a word


class TextPiece(NamedTuple):
    """A part of a document: a word of the model with its topic, or what stands between (word and topic None)."""

    text: str
    word: str | None = None
    """As the model knows it."""
    topic: int | None = None
    """That of the token; of a new text, the most probable."""
    probability: float | None = None
    """p(topic | word, document)."""
    chances: tuple[TopicProbability, ...] = ()
    """The most probable topics, the best first."""


class DocumentTopicShare(NamedTuple):
    """A topic, its share θ_dk of a document, and how many of the document's words are its."""

    topic: int
    share: float
    n_words: int


class ReadDocument(NamedTuple):
    """A document in pieces, in reading order: joined, their texts are ``text``, if it was kept.

    Without it, pieces are the words that the corpus has, with blanks between.
    """

    row: int | None
    name: str | None
    labels: tuple[str, ...]
    date: str | None
    pieces: tuple[TextPiece, ...]
    topics: tuple[DocumentTopicShare, ...]
    """Topics that words have, the largest share first."""
    is_whole: bool
    """Whether the pieces are the whole text, and not only the words that the corpus has."""

    @property
    def text(self) -> str:
        """All pieces joined."""
        return "".join(piece.text for piece in self.pieces)

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold."""
        pieces = [
            {"text": piece.text}
            if piece.word is None
            else {**piece._asdict(), "chances": [chance._asdict() for chance in piece.chances]}
            for piece in self.pieces
        ]
        return {**self._asdict(), "pieces": pieces, "topics": [topic._asdict() for topic in self.topics]}


def read_document(model: Any, row: int, *, told: int = _TOLD) -> ReadDocument:
    """A training document, every word with the topic of its token, and the ``told`` most probable topics of each.

    θ and φ are those of the model; where labels or seeds limit a word to some topics, others have no chance.

    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["The ship, at sea!", "bread oven"] * 5, stop_words="english", keep_texts=True)
    >>> document = read_document(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus), 0)
    >>> [(piece.text, piece.topic) for piece in document.pieces]
    [('The ', None), ('ship', 0), (', at ', None), ('sea', 0), ('!', None)]
    """
    check_is_fitted(model)
    if not has_documents(model):
        raise InputError("read_document needs the training documents, and this model does not keep them")
    row = check_integer("row", row, 0, model.corpus_.n_docs - 1)
    corpus = model.corpus_.select([row])
    first, last = model.corpus_.offsets[row : row + 2].tolist()
    topics = model.assignments_[first:last].astype(np.int64)
    return _read(model, corpus, row, theta_of_row(model, row), topics, told)


def read_text(model: Any, text: str, *, told: int = _TOLD) -> ReadDocument:
    """A new text, its θ inferred as ``transform`` does: every word that is known with its most probable topic.

    >>> import topicwright as tw
    >>> model = tw.LDA(n_topics=1, n_sweeps=5).fit(["ship sea", "bread oven"] * 5)
    >>> [piece.word for piece in read_text(model, "A SHIP?").pieces]
    [None, 'ship', None]
    """
    check_is_fitted(model)
    if not isinstance(text, str):
        raise InputError(f"text must be a str: got {type(text).__name__}")
    with collect_warnings():  # words that are not known are seen to have no topic
        corpus = replace(encode_for(model, [text]), vocabulary=model.vocabulary_, texts=(text,))
    theta = np.asarray(model.transform(corpus)[0])
    return _read(model, corpus, None, theta, None, told)


def _read(model: Any, corpus: Corpus, row: int | None, theta: Floats, topics: Ints | None, told: int) -> ReadDocument:
    """The one document of a corpus."""
    judged = token_posterior(model, theta, corpus.tokens, topics, Allowed(model, row), check_integer("told", told, 1))
    standing = token_positions(corpus, 0)
    words = [TextPiece(word, word, *one) for word, one in zip(corpus.words(0), judged)]
    return ReadDocument(
        row,
        *known_of(corpus, 0),
        tuple(_with_gaps(standing, words)),
        _shares(theta, [one.topic for one in judged]),
        standing.text is not None,
    )


def _with_gaps(standing: TokenPositions, words: Sequence[TextPiece]) -> Iterator[TextPiece]:
    """Words and what stands between them; where runs of words overlap, the first is taken."""
    for (before, text), word in zip(standing.words, words):
        if before:
            yield TextPiece(before)
        if text:
            yield word._replace(text=text)
    if standing.after:
        yield TextPiece(standing.after)


def _shares(theta: Floats, topics: Sequence[int]) -> tuple[DocumentTopicShare, ...]:
    numbers, counts = np.unique(np.array(topics, dtype=np.int64), return_counts=True)
    shares = [DocumentTopicShare(k, float(theta[k]), n) for k, n in zip(numbers.tolist(), counts.tolist())]
    return tuple(sorted(shares, key=lambda one: (-one.share, one.topic)))

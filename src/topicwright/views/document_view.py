"""A document to read: its text in pieces, and for each word the posterior of its topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.deprecation import deprecated_keywords, deprecation_warning
from .._utils.validation import check_integer
from ..corpus import Corpus, encode
from ..errors import InputError
from .documents import TokenPositions, metadata_of, token_positions
from .validation import require_documents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_MOST_WEIGHTS = 4_000_000  # in memory at a time, if there are many topics
_N_TOPICS = 3  # of each word


class TopicProbability(NamedTuple):
    """A topic and its posterior probability for a word: p(topic | word, document) ∝ φ_kw θ_dk."""

    topic: int
    probability: float


class TextPiece(NamedTuple):
    """A part of a document: a word of the vocabulary with its topic, or the text between words (word is None)."""

    text: str
    word: str | None = None
    """The word as it is in the vocabulary."""
    topic: int | None = None
    """Topic of the token; in a new text, the most probable topic."""
    probability: float | None = None
    """p(topic | word, document)."""
    posterior: tuple[TopicProbability, ...] = ()
    """The most probable topics, best first."""

    @property
    def chances(self) -> tuple[TopicProbability, ...]:
        """Deprecated name of ``posterior``."""
        deprecation_warning("TextPiece.chances", "TextPiece.posterior")
        return self.posterior


class DocumentTopicShare(NamedTuple):
    """A topic of a document, its share θ_dk, and the number of words that are assigned to it."""

    topic: int
    share: float
    n_words: int


class ReadDocument(NamedTuple):
    """A document in pieces, in reading order.

    Joined, the pieces are the text if it was stored. Otherwise they are the words of the corpus with blanks between.
    """

    row: int | None
    name: str | None
    labels: tuple[str, ...]
    date: str | None
    pieces: tuple[TextPiece, ...]
    topics: tuple[DocumentTopicShare, ...]
    """Topics that words have, by decreasing share."""
    is_whole: bool
    """Whether the pieces are the whole text, and not only the words of the corpus."""

    @property
    def text(self) -> str:
        """All pieces joined."""
        return "".join(piece.text for piece in self.pieces)

    def to_dict(self) -> dict[str, Any]:
        """The document as a dictionary that JSON can hold."""
        pieces = [_piece_to_dict(piece) for piece in self.pieces]
        return {**self._asdict(), "pieces": pieces, "topics": [topic._asdict() for topic in self.topics]}


def _piece_to_dict(piece: TextPiece) -> dict[str, Any]:
    if piece.word is None:
        return {"text": piece.text}
    fields = piece._asdict()
    del fields["posterior"]
    return {**fields, "chances": [topic._asdict() for topic in piece.posterior]}


@deprecated_keywords(told="n_topics")
def read_document(model: Any, row: int, *, n_topics: int = _N_TOPICS) -> ReadDocument:
    """A training document with the topic of each word.

    Parameters
    ----------
    model : fitted model
        With its training documents.
    row : int
        Row of the document in the corpus.
    n_topics : int
        Number of topics in the ``posterior`` of each word, the most probable first. Topics that labels or hard seeds
        rule out for a word have probability zero.

    Returns
    -------
    ReadDocument

    Examples
    --------
    >>> import topicwright as tw
    >>> corpus = tw.Corpus.from_texts(["The ship, at sea!", "bread oven"] * 5, stop_words="english", keep_texts=True)
    >>> document = read_document(tw.LDA(n_topics=1, n_sweeps=5).fit(corpus), 0)
    >>> [(piece.text, piece.topic) for piece in document.pieces]
    [('The ', None), ('ship', 0), (', at ', None), ('sea', 0), ('!', None)]
    """
    check_is_fitted(model)
    require_documents(model, "read_document")
    row = check_integer("row", row, 0, model.corpus_.n_docs - 1)
    corpus = model.corpus_.select([row])
    first, last = model.corpus_.offsets[row : row + 2].tolist()
    assigned = model.assignments_[first:last].astype(np.int64)
    return _read(model, corpus, row, _theta_of_row(model, row), assigned, n_topics)


@deprecated_keywords(told="n_topics")
def read_text(model: Any, text: str, *, n_topics: int = _N_TOPICS) -> ReadDocument:
    """A new text with the most probable topic of each word of the vocabulary.

    Parameters
    ----------
    model : fitted model
        Trained on texts. The topics of the text are inferred as by ``transform``.
    text : str
        The text.
    n_topics : int
        Number of topics in the ``posterior`` of each word, the most probable first.

    Returns
    -------
    ReadDocument

    Examples
    --------
    >>> import topicwright as tw
    >>> model = tw.LDA(n_topics=1, n_sweeps=5).fit(["ship sea", "bread oven"] * 5)
    >>> [piece.word for piece in read_text(model, "A SHIP?").pieces]
    [None, 'ship', None]
    """
    check_is_fitted(model)
    if not isinstance(text, str):
        raise InputError(parameter="text", expected="a string", got=type(text))
    tokenizer = model.corpus_.tokenizer
    if tokenizer is None:
        raise InputError("read_text needs a model of texts: this one was trained on counts or lists of words")
    corpus = encode([text], tokenizer, model.vocabulary_).corpus
    corpus = replace(corpus, vocabulary=model.vocabulary_, texts=(text,))
    theta = np.asarray(model.transform(corpus)[0])
    return _read(model, corpus, None, theta, None, n_topics)


def _read(
    model: Any, corpus: Corpus, row: int | None, theta: Floats, assigned: Ints | None, n_topics: int
) -> ReadDocument:
    """The only document of ``corpus``, with the topics that are assigned to its tokens, if any."""
    n_topics = check_integer("n_topics", n_topics, 1)
    posteriors = _token_posteriors(model, theta, corpus.tokens, assigned, _TokenTopicSets(model, row), n_topics)
    positions = token_positions(corpus, 0)
    words = [TextPiece(word, word, *posterior) for word, posterior in zip(corpus.words(0), posteriors)]
    return ReadDocument(
        row,
        *metadata_of(corpus, 0),
        pieces=tuple(_with_gaps(positions, words)),
        topics=_topic_shares(theta, [posterior.topic for posterior in posteriors]),
        is_whole=positions.text is not None,
    )


def _with_gaps(positions: TokenPositions, words: Sequence[TextPiece]) -> Iterator[TextPiece]:
    """Words and the text between them; of n-grams that overlap, the first."""
    for (before, text), word in zip(positions.words, words):
        if before:
            yield TextPiece(before)
        if text:
            yield word._replace(text=text)
    if positions.after:
        yield TextPiece(positions.after)


def _topic_shares(theta: Floats, topics: Sequence[int]) -> tuple[DocumentTopicShare, ...]:
    numbers, counts = np.unique(np.array(topics, dtype=np.int64), return_counts=True)
    shares = [DocumentTopicShare(k, float(theta[k]), n) for k, n in zip(numbers.tolist(), counts.tolist())]
    return tuple(sorted(shares, key=lambda one: (-one.share, one.topic)))


# ---------------------------------------------------------------------- posteriors of tokens


class _TokenTopicSets:
    """Topics that labels and hard seeds allow to each token of a training document; without a row, all topics."""

    def __init__(self, model: Any, row: int | None) -> None:
        self.n_topics = len(model.alpha_)
        self._allowed = None if row is None else model.fit_state_.compiled.allowed_topics
        self._tokens = slice(0) if row is None else slice(*model.corpus_.offsets[row : row + 2].tolist())

    def sets(self, n_tokens: int) -> Ints:
        """Number of the set of each token; set 0 has all topics."""
        if self._allowed is None:
            return np.zeros(n_tokens, np.int64)
        return np.asarray(self._allowed.sets[self._tokens].astype(np.int64))

    def mask(self, number: int) -> NDArray[np.bool_]:
        """Which topics are in a set."""
        if self._allowed is None or number == 0:
            return np.ones(self.n_topics, dtype=bool)
        start, end = self._allowed.start[number : number + 2].tolist()
        mask = np.zeros(self.n_topics, dtype=bool)
        mask[self._allowed.topics[int(start) : int(end)]] = True
        return mask


def _theta_of_row(model: Any, row: int) -> Floats:
    """θ of a training document; zero for topics that are not allowed to any of its words."""
    allowed = _TokenTopicSets(model, row)
    weights = model.doc_topic_counts_[[row], :].toarray()[0] + model.alpha_
    numbers = np.unique(allowed.sets(0)).tolist()
    if numbers and 0 not in numbers:
        weights = weights * np.any([allowed.mask(number) for number in numbers], axis=0)
    return np.asarray(weights / weights.sum())


class _TokenPosterior(NamedTuple):
    """Topic of a token, its probability, and the most probable topics."""

    topic: int
    probability: float
    best: tuple[TopicProbability, ...]


def _token_posteriors(
    model: Any, theta: Floats, tokens: Any, assigned: Ints | None, allowed: _TokenTopicSets, n: int
) -> list[_TokenPosterior]:
    """Posterior of each token: p(z = k | w, d) ∝ θ_dk φ_kw over its allowed topics.

    Tokens of the same word and the same set of allowed topics have the same posterior, which is computed once.
    """
    kinds, kind_of, n_members = np.unique(
        np.stack([tokens.astype(np.int64), allowed.sets(len(tokens))]), axis=1, return_inverse=True, return_counts=True
    )
    members = np.split(np.argsort(kind_of.ravel(), kind="stable"), np.cumsum(n_members)[:-1])
    likelihoods = _WordLikelihoods(model, kinds[0])
    step, found = max(1, _MOST_WEIGHTS // len(theta)), [_TokenPosterior(0, 0.0, ())] * len(tokens)
    for start in range(0, kinds.shape[1], step):
        block = slice(start, start + step)
        for row, number, own in zip(likelihoods.rows(block) * theta, kinds[1, block].tolist(), members[block]):
            row = row * allowed.mask(number) if number else row
            row = row / row.sum()
            best = tuple(TopicProbability(k, float(row[k])) for k in _largest(row, n) if row[k] > 0)
            for token in own.tolist():
                topic = best[0].topic if assigned is None else int(assigned[token])
                found[token] = _TokenPosterior(topic, float(row[topic]), best)
    return found


class _WordLikelihoods:
    """φ_kw of some words: smoothed counts over the totals of topics."""

    def __init__(self, model: Any, words: Ints) -> None:
        counts, seeds = model.topic_word_counts_, model.seed_prior_
        smoothed = counts if seeds is None else counts + seeds
        beta = np.broadcast_to(np.asarray(model.beta_, dtype=np.float64), counts.shape[1])
        self._counts = smoothed.tocsr()[:, words].tocsc()
        self._beta = beta[words]
        self._totals = np.asarray(smoothed.sum(axis=1), dtype=np.float64).ravel() + beta.sum()

    def rows(self, block: slice) -> Floats:
        """A row of φ for each word of the block, with a column for each topic."""
        return np.asarray((self._counts[:, block].toarray().T + self._beta[block, None]) / self._totals)


def _largest(row: Floats, n: int) -> list[int]:
    """Indices of the ``n`` largest numbers; of equal ones the first."""
    least = np.partition(row, -n)[-n] if n < len(row) else -np.inf
    candidates = np.flatnonzero(row >= least)
    order: list[int] = candidates[np.argsort(-row[candidates], kind="stable")][:n].tolist()
    return order

"""Documents of a topic with their densest passages, and single documents with the topic of each word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._utils.deprecation import deprecated_keywords, deprecation_warning
from .._utils.formatting import CONTROL_CHARS, html_table, percent, pluralize, truncate
from .._utils.table import Table
from .._utils.validation import check_integer
from ..corpus import Corpus, Tokenizer, encode
from ..corpus.tokenizer import Span, token_spans
from ..errors import InputError
from .format import WORD_LENGTH, check_topic, document_name, full_name, require_documents

_WHITE_SPACE = re.compile(r"\s+")
_CANDIDATES = 10  # for each document of a topic that is shown
_LONGEST_GAP = 60  # characters that are shown of each end of the text between two words


class DocumentMetadata(NamedTuple):
    """Name, labels and date of a document, as far as the corpus has them."""

    name: str | None
    labels: tuple[str, ...]
    date: str | None


def metadata_of(corpus: Corpus, row: int) -> DocumentMetadata:
    """Name, labels and date of the document in this row of the corpus."""
    name = None if corpus.ids is None else corpus.ids[row]
    labels = () if corpus.labels is None else corpus.labels[row]
    date = None if corpus.dates is None or np.isnat(corpus.dates[row]) else str(corpus.dates[row])
    return DocumentMetadata(name, labels, date)


class TokenPositions(NamedTuple):
    """Words of a document with the text before each of them, and the text after the last."""

    text: str | None
    """None if the text was not stored or does not contain the words: then a blank precedes each word."""
    words: tuple[tuple[str, str], ...]
    """The text before a word, and the word as written; both are empty if an earlier n-gram covers the word."""
    after: str


def token_positions(corpus: Corpus, row: int) -> TokenPositions:
    """Positions of the words of a document in its text.

    >>> corpus = Corpus.from_texts(["The ship, at sea!"], stop_words="english", keep_texts=True)
    >>> token_positions(corpus, 0).words
    (('The ', 'ship'), (', at ', 'sea'))
    """
    words = corpus.words(row)
    text = None if corpus.texts is None else corpus.texts[row]
    spans = None if text is None else _spans_of_words(text, words, corpus.tokenizer)
    if text is None or spans is None:
        return TokenPositions(None, tuple((" " * (number > 0), word) for number, word in enumerate(words)), "")
    end, found = 0, []
    for span in spans:
        overlaps = span.start < end
        found.append(("", "") if overlaps else (text[end : span.start], text[span.start : span.end]))
        end = end if overlaps else span.end
    return TokenPositions(text, tuple(found), text[end:])


def _spans_of_words(text: str, words: list[str], tokenizer: Tokenizer | None) -> list[Span] | None:
    """Spans of all words in a text, or None if one of them is not found."""
    if tokenizer is None or tokenizer.is_custom:  # the words are known: there is no need to tokenize the text again
        tokenizer = Tokenizer(analyzer=lambda _: words)
    remaining, found = iter(words), []
    wanted = next(remaining, None)
    for span in token_spans(text, tokenizer) or ():
        if span.word == wanted and wanted is not None:
            found.append(span)
            wanted = next(remaining, None)
    return found if len(found) == len(words) else None


class MarkedWord(NamedTuple):
    """A word of a document, and whether its token is assigned to the topic.

    If the corpus has texts, ``text`` is the word as written there, and ``before`` the text between it and the previous
    word.
    """

    word: str
    is_of_topic: bool
    text: str
    before: str


class TopicDocument(NamedTuple):
    """A document of a topic: its row, name and labels, the topic's share of it, and a passage.

    The passage consists of the words that are in the corpus. ``after`` is the text after the last of them, if the
    passage reaches the end of the document.
    """

    row: int
    name: str | None
    share: float
    labels: tuple[str, ...]
    passage: tuple[MarkedWord, ...]
    starts: bool
    """Whether the passage starts where the document starts."""
    ends: bool
    """Whether the passage ends where the document ends."""
    after: str

    def record(self) -> dict[str, Any]:
        """The document as a row of a table, with the passage as text."""
        text = "".join(passage_pieces(self))
        return {"row": self.row, "name": self.name, "share": self.share, "labels": self.labels, "passage": text}


def documents_of(model: Any, topic: int | str, n: int = 5, length: int = 40) -> Table[TopicDocument]:
    """Documents with the largest share of a topic, each with the passage that has most words of the topic.

    Parameters
    ----------
    model : fitted model
        With its training documents.
    topic : int or str
        Number or name of the topic.
    n : int
        Number of documents.
    length : int
        Number of words of a passage.

    Returns
    -------
    Table of TopicDocument
        By decreasing share θ_dk. It is a list, displayed as a table; ``to_frame()`` gives a data frame.

    Examples
    --------
    >>> import topicwright as tw
    >>> labels = [["sea"], ["kitchen"], ["sea", "kitchen"]] * 5
    >>> model = tw.LabeledLDA(n_sweeps=20).fit(["ship sea", "bread oven", "ship sea bread oven"] * 5, labels)
    >>> [word.word for word in documents_of(model, 1, n=1)[0].passage]
    ['ship', 'sea']
    """
    topic = check_topic(model, topic)
    check_integer("n", n, 1)
    check_integer("length", length, 1)
    require_documents(model, "documents_of")
    rows, shares = _largest_shares(model, topic, n)
    found = [_topic_document(model, topic, row, share, length) for row, share in zip(rows, shares)]
    title = f"documents of topic {full_name(model, topic)}"
    return Table(found, title, ("row", "name", "share", "labels", "passage"))


def _largest_shares(model: Any, topic: int, n: int) -> tuple[list[int], list[float]]:
    """Documents with the largest θ_dk, found among those with the largest shares of tokens."""
    column = model.doc_topic_counts_[:, [topic]].tocoo()
    rows, counts = column.row[column.data > 0], column.data[column.data > 0]
    lengths = np.diff(model.corpus_.offsets)[rows]
    by_tokens = (counts + model.alpha_[topic]) / (lengths + np.sum(model.alpha_))
    likely = np.sort(rows[np.lexsort((rows, -by_tokens))[: _CANDIDATES * n]])
    shares = model.document_topics(likely)[:, topic]
    best = np.lexsort((likely, -shares))[:n]
    return likely[best].tolist(), shares[best].tolist()


def _topic_document(model: Any, topic: int, row: int, share: float, length: int) -> TopicDocument:
    corpus = model.corpus_
    first, last = int(corpus.offsets[row]), int(corpus.offsets[row + 1])
    is_of_topic = model.assignments_[first:last] == topic
    start = _densest_window(is_of_topic, length)
    positions, window = token_positions(corpus, row), slice(start, start + length)
    words = zip(corpus.words(row)[window], is_of_topic[window].tolist(), positions.words[window])
    passage = [MarkedWord(word, is_own, text, before) for word, is_own, (before, text) in words]
    if start > 0:
        passage[0] = passage[0]._replace(before="")
    name, labels, _ = metadata_of(corpus, row)
    ends = start + length >= last - first
    return TopicDocument(row, name, share, labels, tuple(passage), start == 0, ends, positions.after if ends else "")


def _densest_window(is_of_topic: NDArray[np.bool_], length: int) -> int:
    """Start of the first window with the largest number of words of the topic."""
    if len(is_of_topic) <= length:
        return 0
    before = np.concatenate([[0], np.cumsum(is_of_topic)])
    return int(np.argmax(before[length:] - before[:-length]))


def passage_pieces(document: TopicDocument) -> list[str]:
    """The passage as alternating strings: every second one is a word of the topic, the others are the text between."""
    pieces = ["" if document.starts else "… "]
    for word in document.passage:
        pieces[-1] += _shorten_gap(word.before)
        if word.is_of_topic and word.text:
            pieces += [truncate(word.text, WORD_LENGTH), ""]
        else:
            pieces[-1] += truncate(word.text, WORD_LENGTH)
    pieces[-1] += _shorten_gap(document.after) if document.ends else " …"
    return pieces


def _shorten_gap(text: str) -> str:
    """The text between two words on one line, without its middle if it is long."""
    if len(text) > 2 * _LONGEST_GAP:
        text = f"{text[:_LONGEST_GAP]} … {text[-_LONGEST_GAP:]}"
    return _WHITE_SPACE.sub(" ", text).translate(CONTROL_CHARS)


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_MOST_WEIGHTS = 4_000_000  # in memory at a time, if there are many topics
_N_TOPICS = 3  # of each word
_SHOWN_PIECES, _LINE_WIDTH = 200, 100
_COLORS = ("#2c8ac4", "#e07b39", "#5a9e5a", "#a86fc0", "#b8a02e", "#c25b70")  # of the largest topics of a document


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

    def record(self) -> dict[str, Any]:
        """The piece as a row of a table."""
        return {"text": self.text, "word": self.word, "topic": self.topic, "probability": self.probability}

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

    def words(self) -> Table[TextPiece]:
        """Words of the vocabulary with their topics, in reading order."""
        words = (piece for piece in self.pieces if piece.word is not None)
        return Table(words, self._title(), ("text", "word", "topic", "probability"))

    def to_frame(self) -> Any:
        """Words with their topics as a pandas data frame. Needs the extra ``files``."""
        return self.words().to_frame()

    def __repr__(self) -> str:
        marked = "".join(
            piece.text if piece.topic is None else f"{piece.text}[{piece.topic}]"
            for piece in self.pieces[:_SHOWN_PIECES]
        )
        more = " …" if len(self.pieces) > _SHOWN_PIECES else ""
        lines = fill(" ".join(marked.translate(CONTROL_CHARS).split()) + more, _LINE_WIDTH)
        return "\n".join([self._title(), repr(Table(self.topics)), lines])

    def _repr_html_(self) -> str:
        order = [one.topic for one in self.topics]
        text = "".join(_piece_html(piece, order) for piece in self.pieces)
        shares = [[str(one.topic), percent(one.share), str(one.n_words)] for one in self.topics]
        return html_table(self._title(), ["topic", "share", "words"], shares) + f"<p>{text}</p>"

    def _title(self) -> str:
        name = "text" if self.row is None else f"document {document_name(self.row, self.name)}"
        n_words = sum(one.n_words for one in self.topics)
        details = [pluralize(n_words, "word"), truncate(", ".join(self.labels), _LINE_WIDTH), (self.date or "")]
        details[-1] = details[-1].removesuffix("T00:00:00")
        return f"{name}: {'; '.join(filter(None, details))}"

    def to_dict(self) -> dict[str, Any]:
        """The document as a dictionary that JSON can hold."""
        pieces = [_piece_to_dict(piece) for piece in self.pieces]
        return {**self._asdict(), "pieces": pieces, "topics": [topic._asdict() for topic in self.topics]}


def _piece_html(piece: TextPiece, order: Sequence[int]) -> str:
    """Text of a piece; the words of the largest topics are underlined, and every word has its topic as a tooltip."""
    text = escape(piece.text.translate(CONTROL_CHARS))
    if piece.topic is None or piece.probability is None:
        return text
    rank = order.index(piece.topic)
    style = f' style="border-bottom:3px solid {_COLORS[rank]}"' if rank < len(_COLORS) else ""
    return f'<span title="topic {piece.topic}, {percent(piece.probability)}"{style}>{text}</span>'


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
        Number of topics in the ``posterior`` of each word, the most probable first. Topics that labels or hard priors
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
    return _read(model, corpus, row, model.document_topics([row])[0], assigned, n_topics)


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
    """Topics that labels and hard priors allow to each token of a training document; without a row, all topics."""

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
        counts, priors = model.topic_word_counts_, model.word_prior_
        smoothed = counts if priors is None else counts + priors
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

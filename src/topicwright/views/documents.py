"""Documents with the largest share of a topic, and the passage of each in which the topic is densest."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import CONTROL_CHARS, truncate
from .._utils.validation import check_integer
from ..corpus import Corpus, Tokenizer
from ..corpus.spans import Span, token_spans
from .format import WORD_LENGTH
from .validation import check_topic, require_documents

_WHITE_SPACE = re.compile(r"\s+")
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


def documents_of(model: Any, topic: int | str, n: int = 5, length: int = 40) -> list[TopicDocument]:
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
    list of TopicDocument
        By decreasing share θ_dk.

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
    return [_topic_document(model, topic, row, share, length) for row, share in zip(rows, shares)]


def _largest_shares(model: Any, topic: int, n: int) -> tuple[list[int], list[float]]:
    column = model.doc_topic_counts_[:, [topic]].tocoo()
    rows, counts = column.row[column.data > 0], column.data[column.data > 0]
    lengths = np.diff(model.corpus_.offsets)[rows]
    shares = (counts + model.alpha_[topic]) / (lengths + np.sum(model.alpha_))
    best = np.lexsort((rows, -shares))[:n]
    return rows[best].tolist(), shares[best].tolist()


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

"""The documents of a topic, and the passage of each that has most of it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.formatting import CONTROL_CHARS, truncate
from .._utils.validation import check_integer
from ..corpus import Corpus, Tokenizer
from ..errors import InputError
from ..models.labeled.attribution import TokenSpan, places_of_text
from .format import WORD_LENGTH
from .validation import checked_topic, has_documents


class TokenPositions(NamedTuple):
    """The words of a document with what stands before each of them, and after the last."""

    text: str | None
    """None where the text was not kept, or words are not to be found in it: then blanks stand between."""
    words: tuple[tuple[str, str], ...]
    """What stands before a word, and the word as it is written; both empty where a run of words holds it already."""
    after: str


def token_positions(corpus: Corpus, row: int) -> TokenPositions:
    """The words of a document as they stand in its text.

    >>> corpus = Corpus.from_texts(["The ship, at sea!"], stop_words="english", keep_texts=True)
    >>> token_positions(corpus, 0).words
    (('The ', 'ship'), (', at ', 'sea'))
    """
    words = corpus.words(row)
    text = None if corpus.texts is None else corpus.texts[row]
    places = None if text is None else _places(text, words, corpus.tokenizer)
    if text is None or places is None:
        return TokenPositions(None, tuple((" " * (number > 0), word) for number, word in enumerate(words)), "")
    end, found = 0, []
    for place in places:
        start, stop = place.start or 0, place.end or 0
        overlaps = start < end
        found.append(("", "") if overlaps else (text[end:start], place.text))
        end = end if overlaps else stop
    return TokenPositions(text, tuple(found), text[end:])


def _places(text: str, words: list[str], tokenizer: Tokenizer | None) -> list[TokenSpan] | None:
    """The places of all words in a text, or None."""
    if tokenizer is None or tokenizer.is_custom:  # the words are known: there is no need to cut the text again
        tokenizer = Tokenizer(analyzer=lambda _: words)
    own, found = iter(words), []
    wanted = next(own, None)
    for place in places_of_text(text, tokenizer):
        if place.word == wanted and wanted is not None and place.start is not None:
            found.append(place)
            wanted = next(own, None)
    return found if len(found) == len(words) else None


_BLANKS = re.compile(r"\s+")
_BETWEEN = 60  # letters at either end


class MarkedWord(NamedTuple):
    """A word of a document, and whether its token is one of the topic's.

    Where texts were kept, ``text`` is how it is written there, and ``before`` what stands between the last word and it.
    """

    word: str
    is_of_topic: bool
    text: str
    before: str


class TopicDocument(NamedTuple):
    """A document of a topic: its row, what it is called, the topic's share of it, its labels, and a passage.

    The passage has the words that the corpus keeps, in the order in which it keeps them; ``after`` is what the text has
    after the last of them, where the passage reaches the end.
    """

    row: int
    name: str | None
    share: float
    labels: tuple[str, ...]
    passage: tuple[MarkedWord, ...]
    starts: bool  # whether the passage is the document's beginning
    ends: bool  # and whether it reaches its end
    after: str


def documents_of(model: Any, topic: int | str, n: int = 5, length: int = 40) -> list[TopicDocument]:
    """The documents with the largest share θ_dk of a topic, and of each the ``length`` words in a row with most of it.

    >>> import topicwright as tw
    >>> labels = [["sea"], ["kitchen"], ["sea", "kitchen"]] * 5
    >>> model = tw.LabeledLDA(n_sweeps=20).fit(["ship sea", "bread oven", "ship sea bread oven"] * 5, labels)
    >>> [word.word for word in documents_of(model, 1, n=1)[0].passage]
    ['ship', 'sea']
    """
    topic = checked_topic(model, topic)
    check_integer("n", n, 1)
    check_integer("length", length, 1)
    if not has_documents(model):
        raise InputError("documents_of needs the training documents, and this model does not keep them")
    rows, shares = _largest_shares(model, topic, n)
    return [_document(model, topic, row, share, length) for row, share in zip(rows, shares)]


def _largest_shares(model: Any, topic: int, n: int) -> tuple[list[int], list[float]]:
    column = model.doc_topic_counts_[:, [topic]].tocoo()
    rows, counts = column.row[column.data > 0], column.data[column.data > 0]
    lengths = np.diff(model.corpus_.offsets)[rows]
    shares = (counts + model.alpha_[topic]) / (lengths + np.sum(model.alpha_))
    best = np.lexsort((rows, -shares))[:n]
    return rows[best].tolist(), shares[best].tolist()


def _document(model: Any, topic: int, row: int, share: float, length: int) -> TopicDocument:
    corpus = model.corpus_
    first, last = int(corpus.offsets[row]), int(corpus.offsets[row + 1])
    is_own = model.assignments_[first:last] == topic
    start = _densest(is_own, length)
    standing, window = token_positions(corpus, row), slice(start, start + length)
    words = zip(corpus.words(row)[window], is_own[window].tolist(), standing.words[window])
    passage = [MarkedWord(word, own, text, before) for word, own, (before, text) in words]
    if start > 0:
        passage[0] = passage[0]._replace(before="")
    name, labels, _ = known_of(corpus, row)
    ends = start + length >= last - first
    return TopicDocument(row, name, share, labels, tuple(passage), start == 0, ends, standing.after if ends else "")


def pieces_of(document: TopicDocument) -> list[str]:
    """The passage as it is shown: every second piece is a word of the topic, the others are what stands between."""
    pieces = ["" if document.starts else "… "]
    for word in document.passage:
        pieces[-1] += _between(word.before)
        if word.is_of_topic and word.text:
            pieces += [truncate(word.text, WORD_LENGTH), ""]
        else:
            pieces[-1] += truncate(word.text, WORD_LENGTH)
    pieces[-1] += _between(document.after) if document.ends else " …"
    return pieces


def _between(text: str) -> str:
    """What stands between words, in one line; of much, how it begins and ends."""
    if len(text) > 2 * _BETWEEN:
        text = f"{text[:_BETWEEN]} … {text[-_BETWEEN:]}"
    return _BLANKS.sub(" ", text).translate(CONTROL_CHARS)


def known_of(corpus: Corpus, row: int) -> tuple[str | None, tuple[str, ...], str | None]:
    """The name, the labels and the date of a document, as far as it has them."""
    name = None if corpus.ids is None else corpus.ids[row]
    date = None if corpus.dates is None or np.isnat(corpus.dates[row]) else str(corpus.dates[row])
    return name, () if corpus.labels is None else corpus.labels[row], date


def _densest(is_own: NDArray[np.bool_], length: int) -> int:
    """Where the window begins that has most words of the topic; the first of such."""
    if len(is_own) <= length:
        return 0
    before = np.concatenate([[0], np.cumsum(is_own)])
    return int(np.argmax(before[length:] - before[:-length]))

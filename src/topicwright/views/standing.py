"""Where the words of a corpus stand in the texts that it keeps."""

from __future__ import annotations

from typing import NamedTuple

from ..corpus import Corpus, Tokenizer
from ..models.attribution import Place, places_of_text


class Standing(NamedTuple):
    """The words of a document with what stands before each of them, and after the last."""

    text: str | None
    """None where the text was not kept, or words are not to be found in it: then blanks stand between."""
    words: tuple[tuple[str, str], ...]
    """What stands before a word, and the word as it is written; both empty where a run of words holds it already."""
    after: str


def standing_of(corpus: Corpus, row: int) -> Standing:
    """The words of a document as they stand in its text.

    >>> corpus = Corpus.from_texts(["The ship, at sea!"], stop_words="english", keep_texts=True)
    >>> standing_of(corpus, 0).words
    (('The ', 'ship'), (', at ', 'sea'))
    """
    words = corpus.words(row)
    text = None if corpus.texts is None else corpus.texts[row]
    places = None if text is None else _places(text, words, corpus.tokenizer)
    if text is None or places is None:
        return Standing(None, tuple((" " * (number > 0), word) for number, word in enumerate(words)), "")
    end, found = 0, []
    for place in places:
        start, stop = place.start or 0, place.end or 0
        overlaps = start < end
        found.append(("", "") if overlaps else (text[end:start], place.text))
        end = end if overlaps else stop
    return Standing(text, tuple(found), text[end:])


def _places(text: str, words: list[str], tokenizer: Tokenizer | None) -> list[Place] | None:
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

"""Character offsets of the words of a text.

A tokenizer returns words in lower case and composed, without their positions, so they are found again in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from .tokenizer import Tokenizer, normal_form

_CHUNKS = re.compile(r"\s+|\S{1,200}")


class Span(NamedTuple):
    """Word as the tokenizer returns it, None if it excludes the word, and its character offsets in the text."""

    word: str | None
    start: int
    end: int


def token_spans(text: str, tokenizer: Tokenizer) -> list[Span] | None:
    """Spans of the words of a text, in reading order; None if words of an analyzer are not found in the text.

    >>> [text[span.start : span.end] for text in ["Ein süßes  Brötchen"] for span in token_spans(text, Tokenizer())]
    ['Ein', 'süßes', 'Brötchen']
    >>> token_spans("The cat.", Tokenizer(stop_words="english"))
    [Span(word=None, start=0, end=3), Span(word='cat', start=4, end=7)]
    """
    normal = _NormalizedText(text, tokenizer.lowercase or tokenizer.is_custom)
    found: list[Span] = []
    for word, span in _split(text, normal.text, tokenizer):
        if span is None:
            return None
        kept = None if word in tokenizer.excluded_words else word
        found.append(Span(kept, normal.origin(span[0]), normal.origin(span[1])))
    if tokenizer.ngram_range == (1, 1):
        return found
    return _ngrams([span for span in found if span.word is not None], *tokenizer.ngram_range)


def _split(text: str, normal: str, tokenizer: Tokenizer) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Single words with their offsets in the normal form of the text."""
    if tokenizer.token_pattern is not None:
        for match in re.finditer(tokenizer.token_pattern, normal):
            if match[match.re.groups]:
                yield match[match.re.groups], match.span(match.re.groups)
        return
    end = 0
    for word in tokenizer.split(text):
        wanted = normal_form(word, True) if tokenizer.is_custom else word
        start = _find_whole(normal, wanted, end) if tokenizer.is_custom else normal.find(wanted, end)
        end = start + len(wanted) if start >= 0 else end
        yield word, None if start < 0 else (start, end)


def _find_whole(text: str, word: str, start: int) -> int:
    """Offset of a word that is not part of a longer one."""
    match = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(text, start)
    return -1 if match is None else match.start()


def _ngrams(spans: list[Span], shortest: int, longest: int) -> list[Span]:
    """N-grams, as the tokenizer joins them."""
    return [
        Span(" ".join(str(span.word) for span in spans[i : i + length]), spans[i].start, spans[i + length - 1].end)
        for i in range(len(spans))
        for length in range(shortest, min(longest, len(spans) - i) + 1)
    ]


class _NormalizedText:
    """Normal form of a text, which may be longer or shorter, with the offsets in the text."""

    def __init__(self, text: str, lowercase: bool) -> None:
        chunks = [match[0] for match in _CHUNKS.finditer(text)]
        parts = [normal_form(chunk, lowercase) for chunk in chunks]
        self.text = "".join(parts)
        self._lowercase = lowercase
        self._chunks, self._parts = chunks, parts
        self._starts = list(accumulate(map(len, chunks), initial=0))
        self._normal_starts = list(accumulate(map(len, parts), initial=0))

    def origin(self, offset: int) -> int:
        """Offset in the text of an offset in its normal form."""
        number = bisect_right(self._normal_starts, offset, hi=len(self._parts)) - 1
        inside, chunk = offset - self._normal_starts[number], self._chunks[number]
        if len(chunk) != len(self._parts[number]):
            lengths = [len(normal_form(chunk[:n], self._lowercase)) for n in range(len(chunk) + 1)]
            inside = max(n for n, length in enumerate(lengths) if length <= inside)
        return self._starts[number] + inside

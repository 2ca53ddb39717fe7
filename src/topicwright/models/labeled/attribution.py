"""Which label each word of a document owes its being there to, and the passages that are most about a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._utils.formatting import truncate
from ...corpus import Tokenizer
from ...corpus.spans import token_spans
from ...errors import InputError
from .._targets import Floats, plain_class

if TYPE_CHECKING:
    from rich.console import RenderableType


_SHOWN = 3  # labels


class TokenSpan(NamedTuple):
    """A word of a document; start and end are where it stands in the text, if there is one."""

    text: str
    word: str | None  # as the model may know it
    start: int | None = None
    end: int | None = None


class AttributedWord(NamedTuple):
    """A word, its most probable label and that label's probability; a word that the model does not know has none."""

    text: str
    word: str | None
    label: Any
    probability: float
    start: int | None
    end: int | None


class LabelShare(NamedTuple):
    """A label, and the share of the document's words that are its."""

    label: Any
    share: float


class LabelWord(NamedTuple):
    """A word as the model knows it, how often it occurs, and the probability that it is owed to a label."""

    word: str
    times: int
    probability: float


class Snippet(NamedTuple):
    """A passage: its text, where it stands, its words, and the mean probability that they are the label's."""

    text: str
    score: float
    first: int
    """The position of its first word among the document's words."""
    last: int
    """That of its last word, and one more."""
    start: int | None
    """Where it starts and ends in the text, if there is one."""
    end: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Attribution:
    """Each word of a document with its label: ``print`` it, show it in a notebook, or take its ``words``.

    ``probabilities`` has a row for each word and a column for each of ``labels``; rows sum to 1, but for words that the
    model does not know, where they are zero. Background topics are the last columns.
    """

    words: tuple[AttributedWord, ...]
    labels: tuple[Any, ...]
    probabilities: Floats
    n_background: int = 0
    text: str | None = None

    def shares(self, labels: Sequence[Any] | None = None) -> list[LabelShare]:
        """Shares of the known words: of the labels that some word has, the largest first, or of these labels."""
        known = max(1, sum(word.word is not None for word in self.words))
        totals = (self.probabilities.sum(axis=0) / known).tolist()
        if labels is not None:
            return [LabelShare(label, totals[self._column(label)]) for label in labels]
        used = {word.label for word in self.words if word.word is not None}
        found = [LabelShare(label, total) for label, total in zip(self.labels, totals) if label in used]
        return sorted(found, key=lambda label: -label.share)

    def background(self) -> tuple[Any, ...]:
        """The names of the background topics."""
        return self.labels[len(self.labels) - self.n_background :]

    def words_of(self, label: Any, n: int) -> list[LabelWord]:
        """The ``n`` words that add most to a label's share, by how often they occur and how probably they are its."""
        chances = self.probabilities[:, self._column(label)].tolist()
        known = {word.word: chance for word, chance in zip(self.words, chances) if word.word is not None}
        times = Counter(word.word for word in self.words)
        words = [LabelWord(word, times[word], chance) for word, chance in known.items() if chance > 0]
        return sorted(words, key=lambda word: -word.times * word.probability)[:n]

    def snippets(self, label: Any, length: int, n: int) -> list[Snippet]:
        """The ``n`` best passages of ``length`` words, none of which overlap."""
        return best_passages(self, self.probabilities[:, self._column(label)], length, n)

    def _column(self, label: Any) -> int:
        if label not in self.labels:
            known = ", ".join(map(repr, self.labels[:10])) + (" …" if len(self.labels) > 10 else "")
            raise InputError(parameter="label", expected=f"one of {known}", got=label)
        return self.labels.index(label)

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold; of the probabilities only the largest of each word."""
        background = self.background()
        return {
            "text": self.text,
            "labels": [
                {"label": plain_class(label), "share": share, "background": label in background}
                for label, share in self.shares()
            ],
            "words": [{**word._asdict(), "label": plain_class(word.label)} for word in self.words],
        }

    def to_html(self) -> str:
        """The document with its words coloured by label, and what the colours mean, as HTML to put in any page.

        Colours are translucent and lie behind the text, which keeps the page's own colour: it can be read on light and
        on dark pages. The label and its probability are told where the mouse rests on a word.
        """
        from .attribution_display import html_of

        return html_of(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from .attribution_display import rich_of

        return rich_of(self)

    def __repr__(self) -> str:
        parts = [
            f"{len(self.words):,} words",
            *(f"{truncate(label, 40)} {share:.0%}" for label, share in self.shares()),
        ]
        return f"<Attribution: {', '.join([*parts[: _SHOWN + 1], *['…'] * (len(parts) > _SHOWN + 1)])}>"

    def __str__(self) -> str:
        from .attribution_display import text_of

        return text_of(self)


# ---------------------------------------------------------------------- documents


def places_of_text(text: str, tokenizer: Tokenizer) -> list[TokenSpan]:
    """The words of a text; without their places, where an analyzer's words are not those of the text."""
    spans = token_spans(text, tokenizer)
    if spans is None:
        return places_of_words(tokenizer(text))
    return [TokenSpan(text[span.start : span.end], span.word, span.start, span.end) for span in spans]


def places_of_words(words: Sequence[str]) -> list[TokenSpan]:
    """Words that come without a text."""
    return [TokenSpan(word, word) for word in words]


def build_attribution(
    places: Sequence[TokenSpan],
    known: Sequence[bool],
    labels: Sequence[Any],
    probabilities: Floats,
    n_background: int,
    text: str | None,
) -> Attribution:
    """The attribution of a document; ``probabilities`` has a row for each word that is known."""
    rows = np.zeros((len(places), len(labels)))
    rows[np.array(known, dtype=bool)] = probabilities
    best = rows.argmax(axis=1).tolist()
    words = tuple(
        AttributedWord(
            place.text,
            place.word if is_known else None,
            labels[best[i]] if is_known else None,
            float(rows[i, best[i]]),
            place.start,
            place.end,
        )
        for i, (place, is_known) in enumerate(zip(places, known))
    )
    has_places = all(word.start is not None for word in words)
    return Attribution(words, tuple(labels), rows, n_background, text if has_places else None)


# ---------------------------------------------------------------------- passages


def best_passages(attribution: Attribution, chances: Floats, length: int, n: int) -> list[Snippet]:
    """Windows with the largest sums of chances; of those with equal sums the first."""
    length = min(length, len(chances))
    if length == 0:
        return []
    sums = np.concatenate([[0.0], np.cumsum(chances)])
    windows = sums[length:] - sums[:-length]
    found: list[Snippet] = []
    while len(found) < n and windows.max() > 0:
        first = int(np.argmax(windows >= windows.max() - 1e-12))  # sums that differ by rounding alone are equal
        found.append(_snippet(attribution, first, first + length, float(windows[first]) / length))
        windows[max(0, first - length + 1) : first + length] = -1.0
    return found


def _snippet(attribution: Attribution, first: int, last: int, score: float) -> Snippet:
    words = attribution.words[first:last]
    start, end = words[0].start, words[-1].end
    if attribution.text is None or start is None or end is None:
        return Snippet(" ".join(word.text for word in words), score, first, last, None, None)
    return Snippet(attribution.text[start:end], score, first, last, start, end)

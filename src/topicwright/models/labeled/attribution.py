"""Per-word label attribution of a document, its passages about a label, and how both are displayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._utils.formatting import CONTROL_CHARS, NO_KNOWN_WORD, truncate
from ...corpus import Tokenizer
from ...corpus.tokenizer import token_spans
from ...errors import InputError
from .._inputs import Floats, plain_class

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_SHOWN = 3  # labels in a repr


class TokenSpan(NamedTuple):
    """Word of a document, with its position in the text if there is one."""

    text: str
    word: str | None  # normalized, as in a vocabulary
    start: int | None = None
    end: int | None = None


class AttributedWord(NamedTuple):
    """Word with its most probable label and the probability; None for words outside the vocabulary."""

    text: str
    word: str | None
    label: Any
    probability: float
    start: int | None
    end: int | None


class LabelShare(NamedTuple):
    """Label and the share of the words of the document that are attributed to it."""

    label: Any
    share: float


class LabelWord(NamedTuple):
    """Word of the vocabulary, its frequency in the document, and the probability of a label."""

    word: str
    times: int
    probability: float


class Snippet(NamedTuple):
    """Passage of a document, with the mean probability of a label over its words."""

    text: str
    score: float
    first: int
    """Index of its first word among the words of the document."""
    last: int
    """Index after its last word."""
    start: int | None
    """Start and end in the text, if there is one."""
    end: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Attribution:
    """Label of each word of a document. A notebook displays it, and ``print`` shows a summary.

    Attributes
    ----------
    words : tuple of AttributedWord
        Words of the document.
    labels : tuple
        Labels, then background topics.
    probabilities : array of shape (n_words, n_labels)
        Probability of each label for each word. Rows sum to 1; they are zero for words outside the vocabulary.
    n_background : int
        Number of background topics.
    text : str or None
        Text of the document, if it is one.
    """

    words: tuple[AttributedWord, ...]
    labels: tuple[Any, ...]
    probabilities: Floats
    n_background: int = 0
    text: str | None = None

    def shares(self, labels: Sequence[Any] | None = None) -> list[LabelShare]:
        """Share of each label in the words of the vocabulary.

        Parameters
        ----------
        labels : sequence, optional
            Labels in this order. By default the labels of at least one word, the largest share first.

        Returns
        -------
        list of LabelShare
        """
        known = max(1, sum(word.word is not None for word in self.words))
        totals = (self.probabilities.sum(axis=0) / known).tolist()
        if labels is not None:
            return [LabelShare(label, totals[self._column(label)]) for label in labels]
        used = {word.label for word in self.words if word.word is not None}
        found = [LabelShare(label, total) for label, total in zip(self.labels, totals) if label in used]
        return sorted(found, key=lambda label: -label.share)

    def background(self) -> tuple[Any, ...]:
        """Names of the background topics."""
        return self.labels[len(self.labels) - self.n_background :]

    def words_of(self, label: Any, n: int) -> list[LabelWord]:
        """The ``n`` words that contribute most to the share of a label: by frequency times probability."""
        column = self.probabilities[:, self._column(label)].tolist()
        probabilities = {word.word: p for word, p in zip(self.words, column) if word.word is not None}
        times = Counter(word.word for word in self.words)
        words = [LabelWord(word, times[word], p) for word, p in probabilities.items() if p > 0]
        return sorted(words, key=lambda word: -word.times * word.probability)[:n]

    def snippets(self, label: Any, length: int, n: int) -> list[Snippet]:
        """The ``n`` best passages of ``length`` words about a label; they do not overlap."""
        return best_passages(self, self.probabilities[:, self._column(label)], length, n)

    def _column(self, label: Any) -> int:
        if label not in self.labels:
            known = ", ".join(map(repr, self.labels[:10])) + (" …" if len(self.labels) > 10 else "")
            raise InputError(parameter="label", expected=f"one of {known}", got=label)
        return self.labels.index(label)

    def to_dict(self) -> dict[str, Any]:
        """JSON-compatible dictionary, with the largest probability of each word only."""
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
        """HTML fragment with the words of the document colored by label, and a legend.

        Colors are translucent and lie behind the text, so that it suits light and dark pages. Hovering over a word
        shows its label and probability.
        """

        return html_of(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:

        return rich_of(self)

    def __repr__(self) -> str:
        parts = [
            f"{len(self.words):,} words",
            *(f"{truncate(label, 40)} {share:.0%}" for label, share in self.shares()),
        ]
        return f"<Attribution: {', '.join([*parts[: _SHOWN + 1], *['…'] * (len(parts) > _SHOWN + 1)])}>"

    def __str__(self) -> str:

        return text_of(self)


# ---------------------------------------------------------------------- documents


def spans_of_text(text: str, tokenizer: Tokenizer) -> list[TokenSpan]:
    """Words of a text; without positions if an analyzer returns words that are not in the text."""
    spans = token_spans(text, tokenizer)
    if spans is None:
        return spans_of_words(tokenizer(text))
    return [TokenSpan(text[span.start : span.end], span.word, span.start, span.end) for span in spans]


def spans_of_words(words: Sequence[str]) -> list[TokenSpan]:
    """Words without a text."""
    return [TokenSpan(word, word) for word in words]


def build_attribution(
    spans: Sequence[TokenSpan],
    in_vocabulary: Sequence[bool],
    labels: Sequence[Any],
    probabilities: Floats,
    n_background: int,
    text: str | None,
) -> Attribution:
    """Attribution of a document; ``probabilities`` has one row for each word of the vocabulary."""
    rows = np.zeros((len(spans), len(labels)))
    rows[np.array(in_vocabulary, dtype=bool)] = probabilities
    best = rows.argmax(axis=1).tolist()
    words = tuple(
        AttributedWord(
            span.text,
            span.word if is_known else None,
            labels[best[i]] if is_known else None,
            float(rows[i, best[i]]),
            span.start,
            span.end,
        )
        for i, (span, is_known) in enumerate(zip(spans, in_vocabulary))
    )
    has_positions = all(word.start is not None for word in words)
    return Attribution(words, tuple(labels), rows, n_background, text if has_positions else None)


# ---------------------------------------------------------------------- passages


def best_passages(attribution: Attribution, probabilities: Floats, length: int, n: int) -> list[Snippet]:
    """Windows with the largest sums of probabilities; the first of equal ones."""
    length = min(length, len(probabilities))
    if length == 0:
        return []
    sums = np.concatenate([[0.0], np.cumsum(probabilities)])
    windows = sums[length:] - sums[:-length]
    found: list[Snippet] = []
    while len(found) < n and windows.max() > 0:
        first = int(np.argmax(windows >= windows.max() - 1e-12))  # equal up to rounding
        found.append(_snippet(attribution, first, first + length, float(windows[first]) / length))
        windows[max(0, first - length + 1) : first + length] = -1.0
    return found


def _snippet(attribution: Attribution, first: int, last: int, score: float) -> Snippet:
    words = attribution.words[first:last]
    start, end = words[0].start, words[-1].end
    if attribution.text is None or start is None or end is None:
        return Snippet(" ".join(word.text for word in words), score, first, last, None, None)
    return Snippet(attribution.text[start:end], score, first, last, start, end)


# Of medium lightness, to be distinguishable on light and dark backgrounds.
_COLORS = (
    (66, 133, 214),
    (230, 126, 34),
    (46, 160, 90),
    (214, 69, 65),
    (150, 100, 200),
    (20, 160, 165),
    (220, 95, 160),
    (165, 130, 20),
    (110, 140, 40),
    (150, 105, 80),
)
_GRAY = (128, 128, 128)  # for the background, and for labels beyond the palette
_FAINTEST, _STRONGEST = 0.10, 0.45
_TOP_WORDS = 8


def html_of(attribution: Attribution) -> str:
    """HTML of an attribution."""
    colors = _colors(attribution)
    names = " ".join(
        f'<span style="{_style(colors.get(label, _GRAY), 1.0)}">{escape(str(label))} {share:.0%}</span>'
        for label, share in attribution.shares()
    )
    words = "".join(
        escape(gap) if word is None else _html_word(word, gap, colors) for gap, word in _pieces(attribution)
    )
    return (
        '<div class="topicwright-attribution" style="line-height:1.7">'
        f'<p style="margin:0 0 .6em">{names}</p>'
        f'<p style="margin:0;white-space:pre-wrap;overflow-wrap:anywhere">{words}</p></div>'
    )


def _html_word(word: AttributedWord, shown: str, colors: dict[Any, tuple[int, int, int]]) -> str:
    title = escape(f"{word.label}: {word.probability:.2f}")
    style = _style(colors.get(word.label, _GRAY), word.probability)
    return f'<span title="{title}" style="{style}">{escape(shown)}</span>'


def _style(color: tuple[int, int, int], strength: float) -> str:
    opacity = _FAINTEST + (_STRONGEST - _FAINTEST) * strength
    red, green, blue = color
    if color == _GRAY:  # words without a label should not stand out
        return f"border-bottom:1px dotted rgb({red},{green},{blue});padding:0 .15em"
    return (
        f"background:rgba({red},{green},{blue},{opacity:.2f});border-bottom:2px solid rgb({red},{green},{blue});"
        "border-radius:3px;padding:0 .15em"
    )


def rich_of(attribution: Attribution) -> RenderableType:
    """Legend and document in the colors of a terminal."""
    from rich.console import Group
    from rich.text import Text

    styles = rich_styles(attribution)
    names = Text()
    for label, share in attribution.shares():
        names.append(f"{label} {share:.0%}".translate(CONTROL_CHARS), style=styles[label])
        names.append("  ")
    return Group(names, rich_text(attribution))


def rich_styles(attribution: Attribution) -> dict[Any, str]:
    """How the labels that words have are to look in a terminal."""
    colors = _colors(attribution)
    return {label: _rich_style(colors.get(label, _GRAY), 1.0) for label, _ in attribution.shares()}


def rich_text(attribution: Attribution) -> Text:
    """Words of the document in the colors of a terminal."""
    from rich.text import Text

    colors, body = _colors(attribution), Text()
    for shown, word in _pieces(attribution):
        style = "" if word is None else _rich_style(colors.get(word.label, _GRAY), word.probability)
        body.append(shown.translate(CONTROL_CHARS), style=style)
    return body


def _rich_style(color: tuple[int, int, int], strength: float) -> str:
    red, green, blue = color
    if color == _GRAY:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"{'bold ' if strength >= 0.5 else ''}#{red:02x}{green:02x}{blue:02x}"


def text_of(attribution: Attribution) -> str:
    """The labels with the words that are most surely theirs."""
    lines = []
    for label, share in attribution.shares():
        own = sorted((word for word in attribution.words if word.label == label), key=lambda word: -word.probability)
        words = list(dict.fromkeys(word.text for word in own))[:_TOP_WORDS]
        lines.append((str(label), f"{share:.0%}", " ".join(words)))
    if not lines:
        return NO_KNOWN_WORD
    width = max(len(label) for label, *_ in lines)
    return "\n".join(f"{label.ljust(width)}  {share:>4}  {words}" for label, share, words in lines)


def _colors(attribution: Attribution) -> dict[Any, tuple[int, int, int]]:
    """Color of each label, the most frequent first, as far as the palette goes."""
    background = attribution.background()
    labels = [label for label, _ in attribution.shares() if label not in background]
    return dict(zip(labels, _COLORS))


def _pieces(attribution: Attribution) -> Iterator[tuple[str, AttributedWord | None]]:
    """All of the text in turn: words with a label, and what lies between with None.

    Where runs of words overlap, the first is shown.
    """
    text = attribution.text
    if text is None:
        for n, word in enumerate(attribution.words):
            if n:
                yield " ", None
            yield word.text, None if word.word is None else word
        return
    end = 0
    for word in attribution.words:
        if word.word is None or word.start is None or word.end is None or word.start < end:
            continue
        yield text[end : word.start], None
        yield text[word.start : word.end], word
        end = word.end
    yield text[end:], None

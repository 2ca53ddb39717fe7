"""Attributions as HTML, for terminals and as plain text: words colored by label."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from ..._utils.formatting import CONTROL_CHARS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from .attribution import AttributedWord, Attribution

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
        return "no word that the model knows"
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

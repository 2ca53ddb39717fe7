"""All topics of a page as a table, which can be read without its script."""

from __future__ import annotations

from html import escape
from typing import Any

from .contents import label_counts
from .text import MINUS, fixed, percent

_WORDS = 8  # of a topic


def table_html(model: Any, topics: list[dict[str, Any]]) -> str:
    """The largest first; heads of figures are buttons that sort."""
    has_coherence = any("coherence" in topic for topic in topics)
    has_counts = label_counts(model) is not None
    speaks = None if not hasattr(model, "coef_") else "speaks for" if hasattr(model, "classes_") else "adds"
    keys = {"topic": "topic", "share": "share"}
    keys |= {"coherence": "NPMI"} if has_coherence else {}
    keys |= {"documents": "documents"} if has_counts else {}
    head = "".join(
        f'<th class="figure"><button type="button" data-sort="{key}">{name}</button></th>' for key, name in keys.items()
    )
    head += "" if speaks is None else f"<th>{speaks}</th>"
    ordered = sorted(topics, key=lambda topic: (-topic["share"], topic["topic"]))
    rows = "\n".join(_row(topic, list(keys)[1:], speaks) for topic in ordered)
    return (
        '<section class="card">\n<h2>All topics</h2>\n<div class="scroll"><table class="topics">'
        f"<thead><tr>{head}<th>most frequent words</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n</section>\n"
    )


def _row(topic: dict[str, Any], keys: list[str], speaks: str | None) -> str:
    number = topic["topic"]
    columns = "".join(f'<td class="figure">{_figure(topic, key)}</td>' for key in keys)
    columns += "" if speaks is None else f"<td>{escape(_weight(topic, speaks == 'speaks for'))}</td>"
    name = "" if topic["name"] is None else f"<b>{escape(topic['name'])}</b> "
    words = escape(" ".join(word for word, *_ in topic["words"][:_WORDS]))
    link = f'<td class="figure"><a href="#topic={number}">{number}</a></td>'
    return f'<tr data-topic="{number}">{link}{columns}<td>{name}{words}</td></tr>'


def _figure(topic: dict[str, Any], key: str) -> str:
    if key not in topic:
        return "–"
    return {"share": percent, "coherence": fixed, "documents": "{:,}".format}[key](topic[key])


def _weight(topic: dict[str, Any], of_classes: bool) -> str:
    """The class that a topic speaks for most, or what it adds to numbers."""
    bars = topic["bars"]
    if of_classes and (not bars or bars[0][1] <= 0):
        return "none"
    return ", ".join(f"{name} {_rounded(value)}" for name, value in (bars[:1] if of_classes else bars))


def _rounded(value: float) -> str:
    return f"{value:.3g}".replace("-", MINUS)

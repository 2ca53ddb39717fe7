"""A page about a model, for a browser: one file, with nothing to load from elsewhere."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._utils.formatting import truncate
from ...knowledge.report import cells, heads, rest
from ..format import MINUS, fixed, percent
from ..over_time import TopicsOverTime
from ..summary import facts_of, parameters_of
from ..topic_map import TopicLayout, map_of_topics
from ..topic_metrics import coherence_of_topics
from ..validation import has_documents
from .data import MIDDLE, WORDS, Bars, bars_of, label_counts, topics_as_data
from .svg import MapCircle, curve_html, curve_svg, map_svg, timeline_html, times_on_page

if TYPE_CHECKING:
    from ...knowledge import KnowledgeReport

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
    columns = "".join(f'<td class="figure">{_table_figure(topic, key)}</td>' for key in keys)
    columns += "" if speaks is None else f"<td>{escape(_weight(topic, speaks == 'speaks for'))}</td>"
    name = "" if topic["name"] is None else f"<b>{escape(topic['name'])}</b> "
    words = escape(" ".join(word for word, *_ in topic["words"][:_WORDS]))
    link = f'<td class="figure"><a href="#topic={number}">{number}</a></td>'
    return f'<tr data-topic="{number}">{link}{columns}<td>{name}{words}</td></tr>'


def _table_figure(topic: dict[str, Any], key: str) -> str:
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


_ROWS, _SENTENCES = 50, 20
_CELL, _SENTENCE = 200, 400  # letters


def knowledge_html(report: KnowledgeReport | None) -> str:
    """A table for each kind of knowledge; nothing where there is none."""
    if report is None or not (report.rows or report.notes or report.contradictions):
        return ""
    kinds = "".join(_kind(report, kind) for kind in report.satisfied)
    said = [*(f"contradiction: {sentence}" for sentence in report.contradictions), *report.notes]
    more = [f"… and {len(said) - _SENTENCES:,} more remarks"] if len(said) > _SENTENCES else []
    remarks = "".join(f"<p>{escape(truncate(sentence, _SENTENCE))}</p>" for sentence in [*said[:_SENTENCES], *more])
    return f'<section class="card">\n<h2>What was known, and how far it holds</h2>\n{kinds}{remarks}</section>\n'


def _kind(report: KnowledgeReport, kind: str) -> str:
    head = "".join(f"<th{_knowledge_figure(name)}>{name}</th>" for name in heads(report.has_before))
    rows = [cells(row, report.has_before) for row in report.first(kind, _ROWS)]
    names = heads(report.has_before)
    body = "".join(
        f'<tr class="{_outcome(row[0])}">'
        + "".join(
            f"<td{_knowledge_figure(name)}>{escape(truncate(cell, _CELL))}</td>" for name, cell in zip(names, row)
        )
        + "</tr>"
        for row in rows
    )
    more = rest(report, kind, _ROWS)
    return (
        f"<h3>{escape(report.summary_of(kind))}</h3>\n"
        f'<div class="scroll"><table class="known"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'
        + (f"<p>{escape(more)}</p>\n" if more else "")
    )


def _knowledge_figure(head: str) -> str:
    return ' class="figure"' if head in ("before", "now") else ""


def _outcome(holds: str) -> str:
    return {"yes": "holds", "no": "fails"}.get(holds, "untold")


_TOPICS = 200  # on a page, the largest
_TOLD, _NAMED = 8, 2  # words of a topic when its circle is pointed at, and beside it
_WIDE, _NARROW = (620, 520), (358, 380)
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def report_page(
    model: Any, *, title: str | None = None, knowledge: KnowledgeReport | None = None, documents: bool = True
) -> str:
    """A page with a map of topics, their words, documents and weights, and how training and knowledge went.

    Parameters
    ----------
    model : fitted model
        Of any kind; without its training documents it is a page without documents and coherence.
    title : str, optional
        What the page is called.
    knowledge : KnowledgeReport, optional
        What :meth:`LDA.knowledge_report` gave.
    documents : bool
        Whether passages of the training documents may be on the page.

    Examples
    --------
    >>> import topicwright as tw
    >>> page = report_page(tw.LDA(n_topics=2, n_sweeps=10).fit(["ship sea", "bread oven"] * 5), title="Ships and bread")
    >>> page.startswith("<!doctype html>"), "Ships and bread" in page
    (True, True)
    """
    check_is_fitted(model)
    places = map_of_topics(model, _TOPICS)
    coherence = coherence_of_topics(model) if has_documents(model) else None
    times = times_on_page(model, places.topics.tolist())
    topics = topics_as_data(model, places, coherence, times, documents=documents)
    title = truncate(title or "Topics of a model", 120)
    bars = bars_of(model, places.topics.tolist())
    data = {"shown": WORDS, "topics": topics} | ({} if bars is None else {"unit": bars.unit, "full": bars.full})
    parts = [
        _head(title),
        _header(model, title, coherence),
        _explorer(places, topics, bars, times, _training(model)),
        timeline_html(times, topics, [_spot(topic).name for topic in topics]),
        table_html(model, topics),
        knowledge_html(knowledge),
        _parameters(model),
        _foot(model, places, documents),
        f'<script type="application/json" id="data">{_json(data)}</script>\n',
        f"<script>{_resource('report.js')}</script>\n</html>\n",
    ]
    return "".join(parts)


def _head(title: str) -> str:
    script = b64encode(sha256(_resource("report.js").encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_resource('report.css')}</style>\n"
    )


def _header(model: Any, title: str, coherence: Any) -> str:
    facts = facts_of(model)
    if coherence is not None and not np.isnan(coherence).all():
        facts.append((fixed(float(np.nanmean(coherence))), "mean coherence (NPMI)"))
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for value, name in facts)
    return f"<header>\n<h1>{escape(title)}</h1>\n<p>{type(model).__name__}</p>\n<dl>{items}</dl>\n</header>\n<main>\n"


def _explorer(
    places: TopicLayout,
    topics: Sequence[dict[str, Any]],
    bars: Bars | None,
    times: TopicsOverTime | None,
    training: str,
) -> str:
    spots = [_spot(topic) for topic in topics]
    maps = "".join(
        map_svg(places, spots, *size, kind) + "\n" for size, kind in ((_WIDE, "wide"), (_NARROW, "narrow")) if topics
    )
    head = "" if bars is None else f'<div id="bars"><h3>{escape(bars.head)}</h3><ul></ul></div>\n'
    time = (
        "" if times is None else f'<div id="time"><h3>Over time</h3><div class="time">{curve_html(times)}</div></div>\n'
    )
    pieces = {"maps": maps, "training": training, "bars": head, "time": time, "middle": MIDDLE}
    return Template(_resource("explorer.html")).substitute(pieces)


def _spot(topic: dict[str, Any]) -> MapCircle:
    ranked = sorted(topic["words"], key=lambda word: -(MIDDLE * word[1] + (1 - MIDDLE) * word[2]))
    words = [word for word, *_ in ranked]
    name = topic["name"]
    called = f"Topic {topic['topic']}" + ("" if name is None else f", {name}")
    label = " ".join(words[:_NAMED]) if name is None else name
    return MapCircle(
        str(topic["topic"]), truncate(label, 24), f"{called}: {' '.join(words[:_TOLD])} ({percent(topic['share'])})"
    )


def _training(model: Any) -> str:
    curve = list(getattr(model, "log_likelihood_", ()))
    if not curve:
        return ""
    sweep, value = curve[-1]
    told = f"After sweep {sweep:,} the log-likelihood per word is {fixed(value)}."
    drawn = curve_svg(curve, "sweep", "log-likelihood per word") if len(curve) > 1 else ""
    return f'<section class="card curve-card">\n<h2>Training</h2>\n<p class="hint">{told}</p>\n{drawn}\n</section>\n'


def _parameters(model: Any) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in parameters_of(model))
    return f'<section class="card">\n<h2>Parameters</h2>\n<table class="parameters">{rows}</table>\n</section>\n'


def _foot(model: Any, places: TopicLayout, documents: bool) -> str:
    from ... import __version__

    told = " ".join([*_left_out(model, places, documents), f"Made by Topicwright {__version__}."])
    return f"</main>\n<footer>{told}</footer>\n"


def _left_out(model: Any, places: TopicLayout, documents: bool) -> Iterator[str]:
    n_topics = len(model.alpha_)
    n_empty = int((np.asarray(model.topic_word_counts_.sum(axis=1)).ravel() <= 0).sum())
    if n_empty:
        yield f"{n_empty:,} of {n_topics:,} topics hold no words and are not shown."
    if len(places.topics) < n_topics - n_empty:
        yield f"Of {n_topics - n_empty:,} topics with words the {len(places.topics):,} largest are shown."
    yield f"Of each topic the page has the {WORDS} most relevant words for any place of the slider, not all."
    if not has_documents(model):
        yield "The model has no documents any more: there are no passages, and no coherence."
    elif documents and model.corpus_.texts is None:
        yield "Passages have only the words that the model was trained on."


def _json(value: Any) -> str:
    """JSON that can end no script, whatever is in it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")

"""HTML report of a model: one file that loads nothing from elsewhere."""

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

from ..._utils.formatting import percent, truncate
from ...knowledge.report import advice_lines, hidden_rows_line, table_cells, table_headers
from ..format import MINUS, fixed, has_documents
from ..over_time import TopicsOverTime
from ..summary import model_facts, model_parameters
from ..topic_map import TopicLayout, map_of_topics
from ..words import coherence_of_topics
from .data import (
    DEFAULT_LAMBDA,
    WORDS,
    Bars,
    MapCircle,
    curve_svg,
    label_counts,
    map_svg,
    smoothed_over_time,
    time_curve_html,
    timeline_html,
    topic_bars,
    topic_data,
)

if TYPE_CHECKING:
    from ...knowledge import KnowledgeReport

_TOPICS = 200  # on a page, the largest
_WIDE, _NARROW = (620, 520), (358, 380)  # sizes of the map
_TITLE_WORDS, _LABEL_WORDS, _TABLE_WORDS = 8, 2, 8  # of a topic: in its tooltip, beside its circle, in the table
_KNOWLEDGE_ROWS, _REMARKS = 50, 20
_CELL_LENGTH, _REMARK_LENGTH = 200, 400  # characters
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def report_page(
    model: Any, *, title: str | None = None, knowledge: KnowledgeReport | None = None, documents: bool = True
) -> str:
    """HTML report of a model: map of topics, their words, documents and weights, training curve and knowledge.

    Parameters
    ----------
    model : fitted model
        Any model. Without its training documents, the report has no passages and no coherence.
    title : str, optional
        Title of the page.
    knowledge : KnowledgeReport, optional
        Result of :meth:`LDA.knowledge_report`.
    documents : bool
        Whether the page includes passages of the training documents.

    Returns
    -------
    str
        The HTML page.

    Examples
    --------
    >>> import topicwright as tw
    >>> page = report_page(tw.LDA(n_topics=2, n_sweeps=10).fit(["ship sea", "bread oven"] * 5), title="Ships and bread")
    >>> page.startswith("<!doctype html>"), "Ships and bread" in page
    (True, True)
    """
    check_is_fitted(model)
    layout = map_of_topics(model, _TOPICS)
    coherence = coherence_of_topics(model) if has_documents(model) else None
    times = smoothed_over_time(model, layout.topics.tolist())
    topics = topic_data(model, layout, coherence, times, documents=documents)
    title = truncate(title or "Topics of a model", 120)
    bars = topic_bars(model, layout.topics.tolist())
    data = {"shown": WORDS, "topics": topics} | ({} if bars is None else {"unit": bars.unit, "full": bars.full})
    parts = [
        _head(title),
        _header(model, title, coherence),
        _explorer(layout, topics, bars, times, _training(model)),
        timeline_html(times, topics, [_map_circle(topic).name for topic in topics]),
        table_html(model, topics),
        knowledge_html(knowledge),
        _parameters(model),
        _manifest(model),
        _foot(model, layout, documents),
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
    facts = model_facts(model)
    if coherence is not None and not np.isnan(coherence).all():
        facts.append((fixed(float(np.nanmean(coherence))), "mean coherence (NPMI)"))
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for value, name in facts)
    return f"<header>\n<h1>{escape(title)}</h1>\n<p>{type(model).__name__}</p>\n<dl>{items}</dl>\n</header>\n<main>\n"


def _explorer(
    layout: TopicLayout,
    topics: Sequence[dict[str, Any]],
    bars: Bars | None,
    times: TopicsOverTime | None,
    training: str,
) -> str:
    labels = [_map_circle(topic) for topic in topics]
    maps = "".join(
        map_svg(layout, labels, *size, kind) + "\n" for size, kind in ((_WIDE, "wide"), (_NARROW, "narrow")) if topics
    )
    head = "" if bars is None else f'<div id="bars"><h3>{escape(bars.head)}</h3><ul></ul></div>\n'
    time = (
        ""
        if times is None
        else f'<div id="time"><h3>Over time</h3><div class="time">{time_curve_html(times)}</div></div>\n'
    )
    parts = {"maps": maps, "training": training, "bars": head, "time": time, "default_lambda": DEFAULT_LAMBDA}
    return Template(_resource("explorer.html")).substitute(parts)


def _map_circle(topic: dict[str, Any]) -> MapCircle:
    ranked = sorted(topic["words"], key=lambda word: -(DEFAULT_LAMBDA * word[1] + (1 - DEFAULT_LAMBDA) * word[2]))
    words = [word for word, *_ in ranked]
    name = topic["name"]
    full_name = f"Topic {topic['topic']}" + ("" if name is None else f", {name}")
    label = " ".join(words[:_LABEL_WORDS]) if name is None else name
    title = f"{full_name}: {' '.join(words[:_TITLE_WORDS])} ({percent(topic['share'])})"
    return MapCircle(str(topic["topic"]), truncate(label, 24), title)


def _training(model: Any) -> str:
    curve = list(getattr(model, "log_likelihood_", ()))
    if not curve:
        return ""
    sweep, value = curve[-1]
    hint = f"After sweep {sweep:,} the log-likelihood per word is {fixed(value)}."
    chart = curve_svg(curve, "sweep", "log-likelihood per word") if len(curve) > 1 else ""
    return f'<section class="card curve-card">\n<h2>Training</h2>\n<p class="hint">{hint}</p>\n{chart}\n</section>\n'


def _parameters(model: Any) -> str:
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in model_parameters(model)
    )
    return f'<section class="card">\n<h2>Parameters</h2>\n<table class="parameters">{rows}</table>\n</section>\n'


def _manifest(model: Any) -> str:
    """What it takes to repeat the training; nothing for a model of an old file or of a stream."""
    if model.manifest_ is None:
        return ""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(truncate(value, _REMARK_LENGTH))}</td></tr>"
        for name, value in model.manifest_.rows()
    )
    return f'<section class="card">\n<h2>Manifest</h2>\n<table class="parameters">{rows}</table>\n</section>\n'


def _foot(model: Any, layout: TopicLayout, documents: bool) -> str:
    from ... import __version__

    remarks = " ".join([*_omissions(model, layout, documents), f"Created with Topicwright {__version__}."])
    return f"</main>\n<footer>{remarks}</footer>\n"


def _omissions(model: Any, layout: TopicLayout, documents: bool) -> Iterator[str]:
    n_topics = len(model.alpha_)
    n_empty = int((np.asarray(model.topic_word_counts_.sum(axis=1)).ravel() <= 0).sum())
    if n_empty:
        yield f"{n_empty:,} of {n_topics:,} topics are empty and not shown."
    if len(layout.topics) < n_topics - n_empty:
        yield f"The {len(layout.topics):,} largest of {n_topics - n_empty:,} topics are shown."
    yield f"The page contains the {WORDS} most relevant words of each topic for any position of the slider."
    if not has_documents(model):
        yield "The model contains no documents, so there are no passages and no coherence."
    elif documents and model.corpus_.texts is None:
        yield "Passages contain only the words that the model was trained on."


def _json(value: Any) -> str:
    """JSON that cannot end the script element that contains it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


# ---------------------------------------------------------------------- table of topics


def table_html(model: Any, topics: list[dict[str, Any]]) -> str:
    """Table of all topics, the largest first; the heads of numeric columns are buttons that sort."""
    has_coherence = any("coherence" in topic for topic in topics)
    has_counts = label_counts(model) is not None
    speaks = None if not hasattr(model, "coef_") else "class" if hasattr(model, "classes_") else "weight"
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
    columns = "".join(f'<td class="figure">{_cell(topic, key)}</td>' for key in keys)
    columns += "" if speaks is None else f"<td>{escape(_weight(topic, speaks == 'class'))}</td>"
    name = "" if topic["name"] is None else f"<b>{escape(topic['name'])}</b> "
    words = escape(" ".join(word for word, *_ in topic["words"][:_TABLE_WORDS]))
    link = f'<td class="figure"><a href="#topic={number}">{number}</a></td>'
    return f'<tr data-topic="{number}">{link}{columns}<td>{name}{words}</td></tr>'


def _cell(topic: dict[str, Any], key: str) -> str:
    if key not in topic:
        return "–"
    return {"share": percent, "coherence": fixed, "documents": "{:,}".format}[key](topic[key])


def _weight(topic: dict[str, Any], of_classes: bool) -> str:
    """The class in which the topic has its largest weight, or its weights in targets."""
    bars = topic["bars"]
    if of_classes and (not bars or bars[0][1] <= 0):
        return "none"
    return ", ".join(f"{name} {_rounded(value)}" for name, value in (bars[:1] if of_classes else bars))


def _rounded(value: float) -> str:
    return f"{value:.3g}".replace("-", MINUS)


# ---------------------------------------------------------------------- knowledge


def knowledge_html(report: KnowledgeReport | None) -> str:
    """Table of each kind of knowledge; empty if there is none."""
    if report is None or not (report.rows or report.notes or report.contradictions):
        return ""
    kinds = "".join(_knowledge_table(report, kind) for kind in report.satisfied)
    cost = [] if report.cost is None else [str(report.cost)]
    sentences = [*cost, *(f"contradiction: {sentence}" for sentence in report.contradictions), *report.notes]
    more = [f"… and {len(sentences) - _REMARKS:,} more remarks"] if len(sentences) > _REMARKS else []
    shown = [truncate(sentence, _REMARK_LENGTH) for sentence in [*sentences[:_REMARKS], *more]]
    remarks = "".join(f"<p>{escape(sentence)}</p>" for sentence in shown)
    return f'<section class="card">\n<h2>Knowledge report</h2>\n{kinds}{remarks}</section>\n'


def _knowledge_table(report: KnowledgeReport, kind: str) -> str:
    names = table_headers(report.has_before)
    head = "".join(f"<th{_numeric_class(name)}>{name}</th>" for name in names)
    rows = [table_cells(row, report.has_before) for row in report.first(kind, _KNOWLEDGE_ROWS)]
    body = "".join(
        f'<tr class="{_outcome(row[0])}">'
        + "".join(
            f"<td{_numeric_class(name)}>{escape(truncate(cell, _CELL_LENGTH))}</td>" for name, cell in zip(names, row)
        )
        + "</tr>"
        for row in rows
    )
    more = hidden_rows_line(report, kind, _KNOWLEDGE_ROWS)
    return (
        f"<h3>{escape(report.summary_of(kind))}</h3>\n"
        '<div class="scroll"><table class="knowledge">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n"
        + (f"<p>{escape(more)}</p>\n" if more else "")
        + _advice_html(report, kind)
    )


def _advice_html(report: KnowledgeReport, kind: str) -> str:
    items = "".join(f"<li>{escape(truncate(line, _REMARK_LENGTH))}</li>" for line in advice_lines(report, kind))
    return f"<p>Advice:</p>\n<ul>{items}</ul>\n" if items else ""


def _numeric_class(head: str) -> str:
    return ' class="figure"' if head in ("before", "now") else ""


def _outcome(holds: str) -> str:
    return {"yes": "holds", "no": "fails"}.get(holds, "unknown")

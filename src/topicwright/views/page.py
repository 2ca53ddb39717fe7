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

from .about import facts_of, parameters_of
from .checks import has_documents
from .contents import MIDDLE, WORDS, Bars, bars_of, topics_as_data
from .knowledge import knowledge_html
from .mapping import TopicMap, map_of_topics
from .measures import coherence_of_topics
from .over_time import TopicsOverTime
from .svg import Spot, curve_svg, map_svg
from .table import table_html
from .text import fixed, percent, shown
from .timeline import curve_html, timeline_html, times_on_page

if TYPE_CHECKING:
    from ..knowledge import KnowledgeReport

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
    title = shown(title or "Topics of a model", 120)
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
    places: TopicMap, topics: Sequence[dict[str, Any]], bars: Bars | None, times: TopicsOverTime | None, training: str
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


def _spot(topic: dict[str, Any]) -> Spot:
    ranked = sorted(topic["words"], key=lambda word: -(MIDDLE * word[1] + (1 - MIDDLE) * word[2]))
    words = [word for word, *_ in ranked]
    name = topic["name"]
    called = f"Topic {topic['topic']}" + ("" if name is None else f", {name}")
    label = " ".join(words[:_NAMED]) if name is None else name
    return Spot(
        str(topic["topic"]), shown(label, 24), f"{called}: {' '.join(words[:_TOLD])} ({percent(topic['share'])})"
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


def _foot(model: Any, places: TopicMap, documents: bool) -> str:
    from .. import __version__

    told = " ".join([*_left_out(model, places, documents), f"Made by Topicwright {__version__}."])
    return f"</main>\n<footer>{told}</footer>\n"


def _left_out(model: Any, places: TopicMap, documents: bool) -> Iterator[str]:
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

"""``python -m benchmarks online``: the tables and figures of the Online Labeled LDA paper, with our stream.

>>> import topicwright as tw
>>> from benchmarks.online import OnlineOptions, run
>>> texts, labels = ["ship sails sea", "bread oven flour", "ship sea bread"], [["sea"], ["kitchen"], ["sea", "kitchen"]]
>>> corpus = tw.Corpus.from_texts(texts * 20, labels=labels * 20)
>>> result = run(OnlineOptions(parts=("perplexity",), every=20, held_out=20, peers=()), corpus)
>>> [point.n_docs for point in result.points if point.method == "stream"]
[20, 40]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from topicwright.errors import InputError

from ..common.base import sizes_of
from ..common.machine import machine
from . import batch, labels, million, points, speed, topics
from .context import OnlineContext
from .corpora import tagged
from .options import PARTS, OnlineOptions
from .results import OnlineResult
from .speed import N_TENTHS

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

__all__ = ["PARTS", "OnlineOptions", "OnlineResult", "run"]

_PARTS = {"topics": topics, "points": points, "speed": speed, "million": million, "labels": labels, "batch": batch}


def run(
    options: OnlineOptions, corpus: Corpus, *, progress: Callable[[str], object] = lambda text: None
) -> OnlineResult:
    """Run the parts that the options name.

    Parameters
    ----------
    corpus : Corpus
        Documents with labels, in the order of the stream; those without words or labels are left out.
    progress : callable
        Called with a short description of each step.
    """
    stream = tagged(corpus)
    context = OnlineContext(options, stream, progress=progress)
    _check(context)
    if stream.n_docs < corpus.n_docs:
        context.note(f"documents without words or labels, which are left out: {corpus.n_docs - stream.n_docs:,}")
    wanted = {*options.parts, *(["points"] if options.needs_points else [])}
    rows = {part: module.run(context.prefixed(part)) for part, module in _PARTS.items() if part in wanted}
    sizes = sizes_of(stream) | {
        "n_labels": len(stream.label_names()),
        "n_tags": sum(len(own) for own in stream.labels or ()),
    }
    parameters = {**asdict(options), "parts": [part for part in PARTS if part in options.parts]}
    return OnlineResult({"stream": sizes}, parameters, machine(["topicwright", "tomotopy"]), context.notes, **rows)


def _check(context: OnlineContext) -> None:
    """There is enough to read."""
    options, n_docs = context.options, context.corpus.n_docs
    if n_docs == 0:
        raise InputError("the stream must have documents with words and labels: got none")
    if n_docs < N_TENTHS and not {"speed", "labels"}.isdisjoint(options.parts):
        raise InputError(f"speed and labels need {N_TENTHS} documents or more: got {n_docs}")
    if options.needs_points and not points.ends(n_docs, options.every, options.held_out):
        asked = f"every {options.every or 'tenth of them'}, with {options.held_out} held out after it"
        raise InputError(f"{n_docs:,} documents are too few for a point {asked}: change `every` or `held_out`")

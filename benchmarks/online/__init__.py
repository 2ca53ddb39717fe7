"""The tables and figures of the paper on Online Labeled LDA, measured with our stream: ``benchmark online``.

>>> import topicwright as tw
>>> from benchmarks.online import Options, run
>>> texts, labels = ["ship sails sea", "bread oven flour", "ship sea bread"], [["sea"], ["kitchen"], ["sea", "kitchen"]]
>>> corpus = tw.Corpus.from_texts(texts * 20, labels=labels * 20)
>>> result = run(Options(parts=("perplexity",), every=20, held_out=20, peers=()), corpus)
>>> [point.n_docs for point in result.points if point.method == "stream"]
[20, 40]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from topicwright.errors import InputError

from ..machine import machine
from ..result_types import sizes_of
from . import batch, labels, million, points, speed, topics
from .context import Setting
from .corpora import tagged
from .options import PARTS, Options
from .results import Result
from .speed import N_TENTHS

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

__all__ = ["PARTS", "Options", "Result", "run"]

_PARTS = {"topics": topics, "points": points, "speed": speed, "million": million, "labels": labels, "batch": batch}


def run(options: Options, corpus: Corpus, *, tell: Callable[[str], object] = lambda text: None) -> Result:
    """Run the parts that the options name.

    Parameters
    ----------
    corpus : Corpus
        Documents with labels, in the order of the stream; those without words or labels are left out.
    tell : callable
        Called with a sentence on what is being done.
    """
    stream = tagged(corpus)
    setting = Setting(options, stream, tell=tell)
    _check(setting)
    if stream.n_docs < corpus.n_docs:
        setting.note(f"documents without words or labels, which are left out: {corpus.n_docs - stream.n_docs:,}")
    wanted = {*options.parts, *(["points"] if options.needs_points else [])}
    rows = {part: module.run(setting.telling(part)) for part, module in _PARTS.items() if part in wanted}
    sizes = sizes_of(stream) | {
        "n_labels": len(stream.label_names()),
        "n_tags": sum(len(own) for own in stream.labels or ()),
    }
    parameters = {**asdict(options), "parts": [part for part in PARTS if part in options.parts]}
    return Result({"stream": sizes}, parameters, machine(["topicwright", "tomotopy"]), setting.notes, **rows)


def _check(setting: Setting) -> None:
    """There is enough to read."""
    options, n_docs = setting.options, setting.corpus.n_docs
    if n_docs == 0:
        raise InputError("the stream must have documents with words and labels: got none")
    if n_docs < N_TENTHS and not {"speed", "labels"}.isdisjoint(options.parts):
        raise InputError(f"speed and labels need {N_TENTHS} documents or more: got {n_docs}")
    if options.needs_points and not points.ends(n_docs, options.every, options.held_out):
        asked = f"every {options.every or 'tenth of them'}, with {options.held_out} held out after it"
        raise InputError(f"{n_docs:,} documents are too few for a point {asked}: see --every and --held-out")

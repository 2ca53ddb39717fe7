"""``python -m benchmarks sclda``: the tables and figures of the SC-LDA paper, with our engine and baselines.

>>> import topicwright as tw
>>> from benchmarks.sclda import SCLDAOptions, run
>>> corpus = tw.Corpus.from_texts(["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10)
>>> options = SCLDAOptions(parts=("table2",), n_topics=2, sweeps=4)
>>> result = run(options, links_corpus=corpus, links=[("ship", "boat"), ("bread", "loaf")])
>>> [row.name for row in result.table2][:2]
['no links', '2 links, as in the paper']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from topicwright.errors import InputError

from ..common.base import sizes_of
from ..common.machine import machine
from . import figure1, figure2, figure3, labels, table2, table3
from .context import SCLDAContext, compile_kernels
from .corpora import Link
from .options import PARTS, SCLDAOptions
from .results import SCLDAResult

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

__all__ = ["PARTS", "SCLDAOptions", "SCLDAResult", "run"]

_PARTS = {
    "figure1": figure1,
    "table2": table2,
    "table3": table3,
    "figure2": figure2,
    "figure3": figure3,
    "labels": labels,
}


def run(
    options: SCLDAOptions,
    *,
    links_corpus: Corpus | None = None,
    labels_corpus: Corpus | None = None,
    links: Sequence[Link] = (),
    progress: Callable[[str], object] = lambda text: None,
) -> SCLDAResult:
    """Run the parts that the options name.

    Parameters
    ----------
    links_corpus, labels_corpus : Corpus
        The documents of the parts about word links, and of those about labels.
    links : pairs of words
        Must-links; table 2 takes the first 100, 500 and 1,000, the figures the first 100.
    progress : callable
        Called with a short description of each step.
    """
    context = SCLDAContext(options, links_corpus, labels_corpus, links, progress=progress)
    _check(context)
    progress("compiling")
    compile_kernels()
    parts = [part for part in PARTS if part in options.parts]
    rows = {part: _PARTS[part].run(context.prefixed(part)) for part in parts}
    corpora = {"links": links_corpus, "labels": labels_corpus}
    sizes = {kind: sizes_of(corpus) for kind, corpus in corpora.items() if corpus is not None}
    parameters = {**asdict(options), "parts": parts, "n_links": len(links)}
    return SCLDAResult(sizes, parameters, machine(["topicwright"]), context.notes, **rows)


def _check(context: SCLDAContext) -> None:
    """Require the data of each part; add notes about what is incomplete."""
    options = context.options
    for needed, corpus, kind in (
        (options.need_links_corpus, context.links_corpus, "links"),
        (options.need_labels, context.labels_corpus, "labels"),
    ):
        if needed and (corpus is None or corpus.n_tokens == 0):
            raise InputError(f"the corpus for {kind} must have words: got none")
    if "table3" in options.parts and not any(context.corpus_of("labels").labels or ()):
        raise InputError("table3 needs documents with labels: got none")
    if options.need_links and not context.links:
        raise InputError("the corpus has no words that are alike enough for a link: give links")
    if options.need_links and len(context.links) < options.n_links:
        context.note(f"{len(context.links):,} must-links are here, not {options.n_links:,}")

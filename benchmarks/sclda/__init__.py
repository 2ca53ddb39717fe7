"""The tables and figures of the SC-LDA paper, measured with our engine beside baselines: ``benchmark sclda``.

>>> import topicwright as tw
>>> from benchmarks.sclda import Options, run
>>> corpus = tw.Corpus.from_texts(["ship sails", "boat sails", "bread bakes", "loaf bakes"] * 10)
>>> options = Options(parts=("table2",), n_topics=2, sweeps=4)
>>> result = run(options, links_corpus=corpus, links=[("ship", "boat"), ("bread", "loaf")])
>>> [row.name for row in result.table2][:2]
['no links', '2 links, as in the paper']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from topicwright.errors import InputError

from ..machine import machine
from ..result_types import sizes_of
from . import figure1, figure2, figure3, labels, table2, table3
from .context import Setting, compile_kernels
from .corpora import Baselines, Link
from .options import PARTS, Options
from .results import Result

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

__all__ = ["PARTS", "Options", "Result", "run"]

_PARTS = {
    "figure1": figure1,
    "table2": table2,
    "table3": table3,
    "figure2": figure2,
    "figure3": figure3,
    "labels": labels,
}


def run(
    options: Options,
    *,
    links_corpus: Corpus | None = None,
    labels_corpus: Corpus | None = None,
    links: Sequence[Link] = (),
    baselines: Baselines | None = None,
    tell: Callable[[str], object] = lambda text: None,
) -> Result:
    """Run the parts that the options name.

    Parameters
    ----------
    links_corpus, labels_corpus : Corpus
        The documents of the parts about word links, and of those about labels.
    links : pairs of words
        Must-links; table 2 takes the first 100, 500 and 1,000, the figures the first 100.
    baselines : mapping, optional
        Classes of baselines by name; those that are not here are left out.
    tell : callable
        Called with a sentence on what is being done.
    """
    setting = Setting(options, links_corpus, labels_corpus, links, baselines or {}, tell=tell)
    _check(setting)
    tell("compiling")
    compile_kernels()
    parts = [part for part in PARTS if part in options.parts]
    rows = {part: _PARTS[part].run(setting.telling(part)) for part in parts}
    corpora = {"links": links_corpus, "labels": labels_corpus}
    sizes = {kind: sizes_of(corpus) for kind, corpus in corpora.items() if corpus is not None}
    parameters = {**asdict(options), "parts": parts, "n_links": len(links)}
    return Result(sizes, parameters, machine(["topicwright"]), setting.notes, **rows)


def _check(setting: Setting) -> None:
    """What each part needs is here; what only makes a run poorer is noted."""
    options = setting.options
    for needed, corpus, kind in (
        (options.need_links_corpus, setting.links_corpus, "links"),
        (options.need_labels, setting.labels_corpus, "labels"),
    ):
        if needed and (corpus is None or corpus.n_tokens == 0):
            raise InputError(f"the corpus for {kind} must have words: got none")
    if "table3" in options.parts and not any(setting.corpus_of("labels").labels or ()):
        raise InputError("table3 needs documents with labels: got none")
    if options.need_links and not setting.links:
        raise InputError("the corpus has no words that are alike enough for a link: give links")
    if options.need_links and len(setting.links) < options.n_links:
        setting.note(f"{len(setting.links):,} must-links are here, not {options.n_links:,}")
    if not setting.baselines and not {"table3", "figure2", "figure3"}.isdisjoint(options.parts):
        setting.note("baselines not found: ours alone (they are in benchmarks/ of a checkout; see --baselines)")

"""Table 2: cost of word links, sweep by sweep."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from statistics import median

from ..common.averages import median_or_none, ratios
from ..common.schedule import Contestant, take_turns
from . import paper
from .context import SCLDAContext, our_engine

AROUND = 5  # a value is the median over this many sweeps on both sides


@dataclass
class LinkedSweeps:
    """CPU seconds of all sweeps with some number of links."""

    n_links: int
    firmness: float | None  # None: the paper's own links
    seconds: list[list[float]] = field(default_factory=list)  # run by run

    @property
    def name(self) -> str:
        """As it stands in the table."""
        if not self.n_links:
            return "no links"
        return f"{self.n_links:,} links, " + (
            "as in the paper" if self.firmness is None else f"firmness {self.firmness:g}"
        )

    def at(self, mark: int) -> float | None:
        """CPU seconds per sweep about the mark-th; the first stands alone. None where it was not reached."""
        if not all(len(run) >= mark for run in self.seconds):
            return None
        first, last = (0, 1) if mark == 1 else (max(mark - 1 - AROUND, 1), mark + AROUND)
        return median_or_none([median(run[first:last]) for run in self.seconds])

    def overhead(self, base: LinkedSweeps) -> float | None:
        """How much longer sweeps take than without links, as a share: the median of late ratios, round by round."""
        ratio = median_or_none(ratios(self.seconds, base.seconds, late=True))
        return None if ratio is None else ratio - 1


def run(context: SCLDAContext) -> list[LinkedSweeps]:
    """No links, and several numbers of them as in the paper and at the default firmness."""
    options, corpus = context.options, context.corpus_of("links")
    rows = _rows(len(context.links))
    for seed in context.seeds():
        contestants = []
        for row in rows:
            items = context.must_links(row.n_links, row.firmness) if row.n_links else []
            build = partial(our_engine, corpus, options.n_topics, items, **context.prior(seed))
            contestants.append(Contestant(row.name, build))
        for row, seconds in zip(rows, take_turns(contestants, options.sweeps, context.progress)):
            row.seconds.append(seconds)
    return rows


def _rows(n_found: int) -> list[LinkedSweeps]:
    from topicwright.knowledge.links import DEFAULT_FIRMNESS

    counts = sorted({min(n, n_found) for n in paper.LINKS} - {0})
    return [
        LinkedSweeps(0, None),
        *(LinkedSweeps(n, firmness) for firmness in (None, DEFAULT_FIRMNESS) for n in counts),
    ]

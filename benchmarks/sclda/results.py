"""What a run found: every sweep as it was measured, as plain values; and whether the goals are met."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..common.base import BenchmarkResult, Goal
from . import paper
from .figure1 import Sparsity
from .figure2 import LikelihoodCurve
from .figure3 import Coherences
from .labels import SIZES, LabelCost
from .table2 import LinkedSweeps
from .table3 import LABELED, LabeledSweeps


@dataclass
class SCLDAResult(BenchmarkResult):
    """A whole run; parts that were not asked for are empty."""

    figure1: list[Sparsity] = field(default_factory=list)
    table2: list[LinkedSweeps] = field(default_factory=list)
    table3: list[LabeledSweeps] = field(default_factory=list)
    figure2: list[LikelihoodCurve] = field(default_factory=list)
    figure3: list[Coherences] = field(default_factory=list)
    labels: list[LabelCost] = field(default_factory=list)

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        makers = {"table2": _table2, "table3": _table3, "labels": _labels}
        return [make(self) for part, make in makers.items() if self.rows(part)]


def _table2(result: SCLDAResult) -> Goal:
    """Links as in the paper, if there were 1,000."""
    rows, wanted = result.table2, (max(paper.LINKS), None)
    value = next((row.overhead(rows[0]) for row in rows if (row.n_links, row.firmness) == wanted), None)
    return Goal("table2", "overhead of 1,000 links", paper.MOST_OVERHEAD, True, value)


def _table3(result: SCLDAResult) -> Goal:
    """At the alpha of the run, if there were as many labeled documents as the paper has."""
    wanted = (max(paper.BY_TOPICS), LABELED, result.parameters["alpha"])
    rows = (row for row in result.table3 if (row.n_topics, row.n_labeled, row.alpha) == wanted)
    value = next((row.ratio for row in rows), None)
    return Goal("table3", "times as fast as dense, 500 topics", paper.LEAST_SPEEDUP, False, value)


def _labels(result: SCLDAResult) -> Goal:
    few, many = result.labels[0], result.labels[-1]
    value = many.ratio(few) if many.n_labels == SIZES[-1] else None
    return Goal("labels", "cost per token with 100,000 labels, relative to 100", paper.MOST_LABELS_RATIO, True, value)

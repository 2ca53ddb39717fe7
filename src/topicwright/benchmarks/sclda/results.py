"""What a run found: every sweep as it was measured, as plain values; and whether the goals are met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..parts import Goal, PartsResult
from . import paper
from .figure1 import Sparsity
from .figure2 import Curve
from .figure3 import Coherences
from .labels import SIZES, ManyLabels
from .table2 import LinkedSweeps
from .table3 import LABELLED, LabelledSweeps

ROWS: dict[str, type[Any]] = {
    "figure1": Sparsity,
    "table2": LinkedSweeps,
    "table3": LabelledSweeps,
    "figure2": Curve,
    "figure3": Coherences,
    "labels": ManyLabels,
}


@dataclass
class Result(PartsResult):
    """A whole run; parts that were not asked for are empty."""

    ROWS: ClassVar[Mapping[str, type[Any]]] = ROWS

    figure1: list[Sparsity] = field(default_factory=list)
    table2: list[LinkedSweeps] = field(default_factory=list)
    table3: list[LabelledSweeps] = field(default_factory=list)
    figure2: list[Curve] = field(default_factory=list)
    figure3: list[Coherences] = field(default_factory=list)
    labels: list[ManyLabels] = field(default_factory=list)

    def goals(self) -> list[Goal]:
        """The goals of the parts that ran."""
        return [goal for part in ("table2", "table3", "labels") if getattr(self, part) for goal in [_goal(self, part)]]


def _goal(result: Result, part: str) -> Goal:
    if part == "table2":
        return Goal(part, "overhead of 1,000 links", paper.MOST_OVERHEAD, True, _overhead(result.table2))
    if part == "table3":
        what = "times as fast as dense, 500 topics"
        return Goal(part, what, paper.LEAST_SPEEDUP, False, _speedup(result))
    last = result.labels[-1]
    value = last.ratio(result.labels[0]) if last.n_labels == SIZES[-1] else None
    return Goal(part, "cost of a token with 100,000 labels to that with 100", paper.MOST_LABELS_RATIO, True, value)


def _overhead(rows: list[LinkedSweeps]) -> float | None:
    """Of links as in the paper, if there were 1,000."""
    wanted = (max(paper.LINKS), None)
    return next((row.overhead(rows[0]) for row in rows if (row.n_links, row.firmness) == wanted), None)


def _speedup(result: Result) -> float | None:
    """At the alpha of the run, if there were as many labelled documents as the paper has."""
    wanted = (max(paper.BY_TOPICS), LABELLED, result.parameters["alpha"])
    rows = (row for row in result.table3 if (row.n_topics, row.n_labelled, row.alpha) == wanted)
    return next((row.ratio for row in rows), None)

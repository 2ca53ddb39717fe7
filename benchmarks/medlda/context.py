"""What the parts of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..common.base import BenchmarkContext
from . import paper
from .options import KINDS, MedLDAOptions
from .parameters import OURS, Parameters
from .problems import CLASSES, LABELS, TARGETS, Problem

_BY_KIND = {CLASSES: paper.USUAL, LABELS: paper.MULTILABEL, TARGETS: paper.REGRESSION}


@dataclass(frozen=True)
class MedLDAContext(BenchmarkContext):
    """Everything that a part needs to run."""

    options: MedLDAOptions
    problems: Mapping[str, Problem]  # by kind

    def problem(self, part: str) -> Problem:
        """What a part is to learn; where any kind will do, the first there is."""
        return self.problems[self.kind(part)]

    def kind(self, part: str) -> str:
        """Classes, labels or targets."""
        return KINDS.get(part) or next(iter(self.problems))

    def parameters(self, part: str) -> Parameters:
        """The paper's for this kind of problem, but ours where there is no figure; what was given comes first."""
        usual = _BY_KIND[self.kind(part)]
        if part not in KINDS and self.options.loss == "logistic" and self.kind(part) != TARGETS:
            usual = paper.LOGISTIC
        return self.options.adjust(usual if part in KINDS else replace(usual, **OURS))  # type: ignore[arg-type]

    def sweeps(self, usual: int) -> int:
        """As many as were asked for, or else the usual."""
        return self.options.sweeps or usual

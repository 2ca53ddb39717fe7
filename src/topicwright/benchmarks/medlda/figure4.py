"""Figure 4: the logistic loss beside the hinge, all classes with shared topics."""

from __future__ import annotations

from dataclasses import replace

from . import paper
from .fits import Fit, Variant, against_topics, dense
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """Light-sLDA and Gibbs-sLDA, and LightMedLDA with as many sweeps."""
    logistic = setting.options.adjust(paper.LOGISTIC)
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure4"])
    hinge = replace(setting.parameters("figure4"), cost=paper.USUAL.cost)  # a cost that is given is the logistic's
    variants = [
        Variant("Light-sLDA", logistic, ours),
        dense("Gibbs-sLDA", logistic, theirs),
        Variant("LightMedLDA", hinge, ours),
    ]
    return against_topics(setting, setting.problem("figure4"), variants)

"""Figure 8: how often weights are drawn in a sweep."""

from __future__ import annotations

from dataclasses import replace

from . import paper
from .fits import Fit, Variant, against_topics
from .setting import Setting

WEIGHT_SWEEPS = (1, 2, 4, 8)


def run(setting: Setting) -> list[Fit]:
    """Several numbers of sweeps over the weights."""
    parameters = setting.parameters("figure8")
    n_sweeps = setting.sweeps(paper.SWEEPS["figure8"][0])
    variants = [
        Variant(f"{n} sweep{'s' * (n > 1)}", replace(parameters, weight_sweeps=n), n_sweeps) for n in WEIGHT_SWEEPS
    ]
    return against_topics(setting, setting.problem("figure8"), variants)

"""Figure 5: ratings of reviews: predictive R²."""

from __future__ import annotations

from . import paper
from .fits import Fit, Variant, against_topics, dense
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """LightMedLDA and GibbsMedLDA with the ε-insensitive loss, and peers."""
    parameters = setting.parameters("figure5")
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure5"])
    variants = [Variant("LightMedLDA", parameters, ours), dense("GibbsMedLDA", parameters, theirs)]
    return against_topics(setting, setting.problem("figure5"), variants, setting.options.peers)

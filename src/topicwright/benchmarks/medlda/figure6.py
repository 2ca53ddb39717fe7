"""Figure 6: how proposals are put together."""

from __future__ import annotations

from ...samplers.supervised_engine import PROPOSALS
from . import paper
from .fits import Fit, Variant, against_topics
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """Every way that the engine offers, with the same number of steps."""
    parameters = setting.parameters("figure6")
    n_sweeps = setting.sweeps(paper.SWEEPS["figure6"][0])
    variants = [Variant(kind, parameters, n_sweeps, engine={"proposals": kind}) for kind in PROPOSALS]
    return against_topics(setting, setting.problem("figure6"), variants)

"""Figure 7: how many Metropolis steps a token takes."""

from __future__ import annotations

from dataclasses import replace

from . import paper
from .fits import Fit, Variant, against_topics
from .setting import Setting

STEPS = (1, 2, 4, 6, 10)


def run(setting: Setting) -> list[Fit]:
    """A mixture of proposals with several numbers of steps."""
    parameters = setting.parameters("figure7")
    n_sweeps = setting.sweeps(paper.SWEEPS["figure7"][0])
    variants = [Variant(f"{n} step{'s' * (n > 1)}", replace(parameters, mh_steps=n), n_sweeps) for n in STEPS]
    return against_topics(setting, setting.problem("figure7"), variants)

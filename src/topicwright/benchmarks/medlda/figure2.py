"""Figure 2: all classes, one against the rest and with shared topics, up to 400 topics."""

from __future__ import annotations

from ...models.one_vs_rest import ONE_VS_REST
from . import paper
from .fits import Fit, Variant, against_topics, dense
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """LightMedLDA and GibbsMedLDA with both strategies, and peers."""
    parameters = setting.parameters("figure2")
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure2"])
    variants = [
        Variant("LightMedLDA", parameters, ours),
        dense("GibbsMedLDA", parameters, theirs),
        Variant("LightMedLDA, one-vs-rest", parameters, ours, ONE_VS_REST),
        dense("GibbsMedLDA, one-vs-rest", parameters, theirs, ONE_VS_REST),
    ]
    return against_topics(setting, setting.problem("figure2"), variants, setting.options.peers)

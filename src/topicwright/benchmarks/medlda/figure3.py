"""Figure 3: documents with several labels each: F1, training time and memory."""

from __future__ import annotations

from . import paper
from .fits import Fit, Variant, against_topics, dense
from .memory import peak_memory
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """LightMedLDA and GibbsMedLDA, and peers; memory of our two by processes of their own."""
    problem, parameters = setting.problem("figure3"), setting.parameters("figure3")
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure3"])
    variants = [Variant("LightMedLDA", parameters, ours), dense("GibbsMedLDA", parameters, theirs)]
    fits = against_topics(setting, problem, variants, setting.options.peers)
    by_name = {variant.name: variant for variant in variants}
    for fit in fits:
        if setting.options.memory and fit.method in by_name and fit.n_topics and fit.seed == setting.options.seed:
            setting.tell(f"memory of {fit.method}, {fit.n_topics} topics")
            fit.memory = peak_memory(problem, by_name[fit.method], fit.n_topics, fit.seed)
    return fits

"""Figure 1: two newsgroups that are hard to tell apart, with 10 to 100 topics."""

from __future__ import annotations

from . import paper
from .fits import Fit, Variant, against_topics, dense
from .problems import Problem
from .setting import Setting


def run(setting: Setting) -> list[Fit]:
    """LightMedLDA and GibbsMedLDA, and peers."""
    problem = pair(setting)
    parameters = setting.options.adjust(paper.BINARY)
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure1"])
    variants = [Variant("LightMedLDA", parameters, ours), dense("GibbsMedLDA", parameters, theirs)]
    return against_topics(setting, problem, variants, setting.options.peers)


def pair(setting: Setting) -> Problem:
    """The two classes that were asked for, those of the paper, or the two largest."""
    problem = setting.problem("figure1")
    names = setting.options.classes or (paper.PAIR if set(paper.PAIR) <= set(problem.names) else problem.two_largest())
    setting.note(f"figure1: {' and '.join(names)}")
    return problem.of_pair(*names)

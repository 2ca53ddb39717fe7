"""Figures 1 to 8: who takes part in each."""

from __future__ import annotations

from dataclasses import replace

from topicwright._sampling.medlda.engine import PROPOSALS
from topicwright.models.medlda.one_vs_rest import ONE_VS_REST

from . import paper
from .context import Setting
from .fits import GIBBS, LIGHT, Fit, Variant, against_topics, dense
from .memory import peak_memory
from .parameters import Parameters
from .problems import Problem

STEPS = (1, 2, 4, 6, 10)
WEIGHT_SWEEPS = (1, 2, 4, 8)


def figure1(setting: Setting) -> list[Fit]:
    """Two newsgroups that are hard to tell apart, with 10 to 100 topics."""
    variants = _both(setting, "figure1", setting.options.adjust(paper.BINARY))
    return against_topics(setting, pair(setting), variants, setting.options.peers)


def pair(setting: Setting) -> Problem:
    """The two classes that were asked for, those of the paper, or the two largest."""
    problem = setting.problem("figure1")
    names = setting.options.classes or (paper.PAIR if set(paper.PAIR) <= set(problem.names) else problem.two_largest())
    setting.note(f"figure1: {' and '.join(names)}")
    return problem.of_pair(*names)


def figure2(setting: Setting) -> list[Fit]:
    """All classes, with shared topics and one against the rest, up to 400 topics."""
    parameters = setting.parameters("figure2")
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure2"])
    variants = [
        *_both(setting, "figure2", parameters),
        Variant(f"{LIGHT}, one-vs-rest", parameters, ours, ONE_VS_REST),
        dense(f"{GIBBS}, one-vs-rest", parameters, theirs, ONE_VS_REST),
    ]
    return against_topics(setting, setting.problem("figure2"), variants, setting.options.peers)


def figure3(setting: Setting) -> list[Fit]:
    """Several labels a document: F1, training time, and memory of our two by processes of their own."""
    problem, variants = setting.problem("figure3"), _both(setting, "figure3", setting.parameters("figure3"))
    fits = against_topics(setting, problem, variants, setting.options.peers)
    by_name = {variant.name: variant for variant in variants}
    for fit in fits:
        if setting.options.memory and fit.method in by_name and fit.n_topics and fit.seed == setting.options.seed:
            setting.tell(f"memory of {fit.method}, {fit.n_topics} topics")
            fit.memory = peak_memory(problem, by_name[fit.method], fit.n_topics, fit.seed)
    return fits


def figure4(setting: Setting) -> list[Fit]:
    """The logistic loss, and the hinge with as many sweeps; all classes with shared topics."""
    logistic = setting.options.adjust(paper.LOGISTIC)
    ours, theirs = map(setting.sweeps, paper.SWEEPS["figure4"])
    hinge = replace(setting.parameters("figure4"), cost=paper.USUAL.cost)  # a cost that is given is the logistic's
    variants = [
        Variant("Light-sLDA", logistic, ours),
        dense("Gibbs-sLDA", logistic, theirs),
        Variant(LIGHT, hinge, ours),
    ]
    return against_topics(setting, setting.problem("figure4"), variants)


def figure5(setting: Setting) -> list[Fit]:
    """Ratings of reviews, by the ε-insensitive loss: predictive R²."""
    variants = _both(setting, "figure5", setting.parameters("figure5"))
    return against_topics(setting, setting.problem("figure5"), variants, setting.options.peers)


def figure6(setting: Setting) -> list[Fit]:
    """How proposals are put together: every way that the engine offers, with the same number of steps."""
    parameters, n_sweeps = setting.parameters("figure6"), setting.sweeps(paper.SWEEPS["figure6"][0])
    variants = [Variant(kind, parameters, n_sweeps, engine={"proposals": kind}) for kind in PROPOSALS]
    return against_topics(setting, setting.problem("figure6"), variants)


def figure7(setting: Setting) -> list[Fit]:
    """How many Metropolis steps a token takes."""
    return _among(setting, "figure7", "mh_steps", "step", STEPS)


def figure8(setting: Setting) -> list[Fit]:
    """How often weights are drawn in a sweep."""
    return _among(setting, "figure8", "weight_sweeps", "sweep", WEIGHT_SWEEPS)


def _both(setting: Setting, figure: str, parameters: Parameters) -> list[Variant]:
    ours, theirs = map(setting.sweeps, paper.SWEEPS[figure])
    return [Variant(LIGHT, parameters, ours), dense(GIBBS, parameters, theirs)]


def _among(setting: Setting, figure: str, parameter: str, unit: str, numbers: tuple[int, ...]) -> list[Fit]:
    """Ours with several values of one parameter."""
    usual, n_sweeps = setting.parameters(figure), setting.sweeps(paper.SWEEPS[figure][0])
    variants = [
        Variant(f"{n} {unit}{'s' * (n > 1)}", replace(usual, **{parameter: n}), n_sweeps)  # type: ignore[arg-type]
        for n in numbers
    ]
    return against_topics(setting, setting.problem(figure), variants)

"""Figures 1 to 8: who takes part in each."""

from __future__ import annotations

from dataclasses import replace

from topicwright._sampling.medlda.engine import PROPOSALS
from topicwright.models.medlda.one_vs_rest import ONE_VS_REST

from . import paper
from .context import MedLDAContext
from .fits import GIBBS, LIGHT, Fit, MethodVariant, against_topics, dense
from .memory import peak_memory
from .parameters import Parameters
from .problems import Problem

STEPS = (1, 2, 4, 6, 10)
WEIGHT_SWEEPS = (1, 2, 4, 8)


def figure1(context: MedLDAContext) -> list[Fit]:
    """Two newsgroups that are hard to distinguish, with 10 to 100 topics."""
    variants = _both(context, "figure1", context.options.adjust(paper.BINARY))
    return against_topics(context, pair(context), variants, context.options.peers)


def pair(context: MedLDAContext) -> Problem:
    """The two classes that were asked for, those of the paper, or the two largest."""
    problem = context.problem("figure1")
    names = context.options.classes or (paper.PAIR if set(paper.PAIR) <= set(problem.names) else problem.two_largest())
    context.note(f"figure1: {' and '.join(names)}")
    return problem.of_pair(*names)


def figure2(context: MedLDAContext) -> list[Fit]:
    """All classes, with shared topics and one against the rest, up to 400 topics."""
    parameters = context.parameters("figure2")
    ours, theirs = map(context.sweeps, paper.SWEEPS["figure2"])
    variants = [
        *_both(context, "figure2", parameters),
        MethodVariant(f"{LIGHT}, one-vs-rest", parameters, ours, ONE_VS_REST),
        dense(f"{GIBBS}, one-vs-rest", parameters, theirs, ONE_VS_REST),
    ]
    return against_topics(context, context.problem("figure2"), variants, context.options.peers)


def figure3(context: MedLDAContext) -> list[Fit]:
    """Several labels a document: F1, training time, and memory of our two by processes of their own."""
    problem, variants = context.problem("figure3"), _both(context, "figure3", context.parameters("figure3"))
    fits = against_topics(context, problem, variants, context.options.peers)
    by_name = {variant.name: variant for variant in variants}
    for fit in fits:
        if context.options.memory and fit.method in by_name and fit.n_topics and fit.seed == context.options.seed:
            context.progress(f"memory of {fit.method}, {fit.n_topics} topics")
            fit.memory = peak_memory(problem, by_name[fit.method], fit.n_topics, fit.seed)
    return fits


def figure4(context: MedLDAContext) -> list[Fit]:
    """The logistic loss, and the hinge with as many sweeps; all classes with shared topics."""
    logistic = context.options.adjust(paper.LOGISTIC)
    ours, theirs = map(context.sweeps, paper.SWEEPS["figure4"])
    hinge = replace(context.parameters("figure4"), cost=paper.USUAL.cost)  # a cost that is given is the logistic's
    variants = [
        MethodVariant("Light-sLDA", logistic, ours),
        dense("Gibbs-sLDA", logistic, theirs),
        MethodVariant(LIGHT, hinge, ours),
    ]
    return against_topics(context, context.problem("figure4"), variants)


def figure5(context: MedLDAContext) -> list[Fit]:
    """Ratings of reviews, by the ε-insensitive loss: predictive R²."""
    variants = _both(context, "figure5", context.parameters("figure5"))
    return against_topics(context, context.problem("figure5"), variants, context.options.peers)


def figure6(context: MedLDAContext) -> list[Fit]:
    """How proposals are put together: every way that the engine offers, with the same number of steps."""
    parameters, n_sweeps = context.parameters("figure6"), context.sweeps(paper.SWEEPS["figure6"][0])
    variants = [MethodVariant(kind, parameters, n_sweeps, engine={"proposals": kind}) for kind in PROPOSALS]
    return against_topics(context, context.problem("figure6"), variants)


def figure7(context: MedLDAContext) -> list[Fit]:
    """How many Metropolis steps per token takes."""
    return _among(context, "figure7", "mh_steps", "step", STEPS)


def figure8(context: MedLDAContext) -> list[Fit]:
    """How often weights are drawn in a sweep."""
    return _among(context, "figure8", "weight_sweeps", "sweep", WEIGHT_SWEEPS)


def _both(context: MedLDAContext, figure: str, parameters: Parameters) -> list[MethodVariant]:
    ours, theirs = map(context.sweeps, paper.SWEEPS[figure])
    return [MethodVariant(LIGHT, parameters, ours), dense(GIBBS, parameters, theirs)]


def _among(context: MedLDAContext, figure: str, parameter: str, unit: str, numbers: tuple[int, ...]) -> list[Fit]:
    """Ours with several values of one parameter."""
    usual, n_sweeps = context.parameters(figure), context.sweeps(paper.SWEEPS[figure][0])
    variants = [
        MethodVariant(f"{n} {unit}{'s' * (n > 1)}", replace(usual, **{parameter: n}), n_sweeps)  # type: ignore[arg-type]
        for n in numbers
    ]
    return against_topics(context, context.problem(figure), variants)

"""Methods that train on one problem in turns, and what came of each: the rows of all figures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from topicwright.errors import TopicwrightWarning
from topicwright.models.medlda.one_vs_rest import SHARED

from ..common.schedule import Contestant, take_turns
from .context import MedLDAContext
from .options import LEAST_SWEEPS
from .ours import Ours
from .parameters import Parameters
from .peers import LdaSVC, TfidfSVC, TomotopySLDA
from .problems import Problem

LIGHT, GIBBS = "LightMedLDA", "GibbsMedLDA"
LDA_SWEEPS = 100
DENSE = {"weight_draw": "cholesky"}

Entrant = tuple[Callable[[], Contestant], int]  # and how many sweeps it gets


@dataclass
class Fit:
    """One method trained once."""

    method: str
    n_topics: int | None  # None for a method without topics
    seed: int
    setup_seconds: float
    sweep_seconds: list[float]  # CPU
    scores: dict[str, float]  # on the test documents
    memory: int | None = None  # the most that a process had which trained this alone, in bytes
    finish_seconds: float = 0.0  # CPU, after the last sweep

    @property
    def seconds(self) -> float:
        """CPU time of the whole training."""
        return sum(self.sweep_seconds) + self.finish_seconds


@dataclass(frozen=True)
class MethodVariant:
    """One way to run ours."""

    name: str
    parameters: Parameters
    n_sweeps: int
    strategy: str = SHARED
    sampler: str = "compositional"
    engine: Mapping[str, Any] = field(default_factory=dict)

    def build(self, problem: Problem, n_topics: int, seed: int) -> Ours:
        """The model, before its first sweep."""
        how: dict[str, Any] = {"strategy": self.strategy, "sampler": self.sampler, "engine": self.engine}
        return Ours(problem, self.parameters, n_topics, seed, **how)

    def ready(self, problem: Problem, n_topics: int, seed: int) -> Contestant:
        """The same with a clock, after everything has been compiled."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TopicwrightWarning)  # more topics than tokens
            tiny = self.build(problem.tiny(), n_topics, seed)
        tiny.prepare()
        for _ in range(LEAST_SWEEPS + 1):
            tiny.sweep()
        return Contestant(self.name, partial(self.build, problem, n_topics, seed))


def dense(name: str, parameters: Parameters, n_sweeps: int, strategy: str = SHARED) -> MethodVariant:
    """GibbsMedLDA: exact draws, and weights by Cholesky."""
    return MethodVariant(name, parameters, n_sweeps, strategy, sampler="dense", engine=DENSE)


def against_topics(
    context: MedLDAContext,
    problem: Problem,
    variants: Sequence[MethodVariant],
    peers: Sequence[str] = (),
    measure: Callable[[Contestant], dict[str, float]] = lambda one: {},
) -> list[Fit]:
    """All variants with all numbers of topics, and peers beside them; those of one number take turns.

    ``measure`` gives further scores of what was trained.
    """
    fits = []
    for seed in context.seeds():
        for n_topics in context.options.topics:
            own = context.prefixed(f"{n_topics} topics")
            here = [one for one in variants if one.sampler != "dense" or n_topics <= context.options.dense_topics]
            entrants: list[Entrant] = [(partial(one.ready, problem, n_topics, seed), one.n_sweeps) for one in here]
            entrants += _peers(own, problem, variants[0], n_topics, seed, peers)
            fits += compete(own, problem, entrants, n_topics, seed, measure)
    if "svc" in peers:
        fits += compete(context, problem, [(partial(_contestant, TfidfSVC, problem), 1)], None, context.options.seed)
    return fits


def compete(
    context: MedLDAContext,
    problem: Problem,
    entrants: Sequence[Entrant],
    n_topics: int | None,
    seed: int,
    measure: Callable[[Contestant], dict[str, float]] = lambda one: {},
) -> list[Fit]:
    """Train all, each with its own number of sweeps, in turns; then let them predict."""
    context.progress("setting up")
    contestants = [ready() for ready, _ in entrants]
    times = take_turns(contestants, [n_sweeps for _, n_sweeps in entrants], context.progress)
    fits = []
    for one, seconds in zip(contestants, times):
        context.progress(f"{one.name} predicts")
        finish_seconds = one.finish()
        scores = {**problem.score(one.model.predict(problem.test)), **measure(one)}
        fits.append(Fit(one.name, n_topics, seed, one.setup_seconds, seconds, scores, finish_seconds=finish_seconds))
    return fits


def _peers(
    context: MedLDAContext, problem: Problem, ours: MethodVariant, n_topics: int, seed: int, names: Sequence[str]
) -> list[Entrant]:
    """Peers with topics: LDA with as many sweeps as it needs, tomotopy with as many as ours."""
    entrants: list[Entrant] = []
    if "lda" in names:
        n_sweeps = context.sweeps(LDA_SWEEPS)
        how = (problem, ours.parameters, n_topics, n_sweeps, seed)
        entrants.append((partial(_contestant, LdaSVC, *how), n_sweeps))
    if "tomotopy" in names and n_topics <= context.options.dense_topics:
        if (reason := TomotopySLDA.why_not(problem)) is None:
            how_slda = (problem, ours.parameters, n_topics, seed)
            entrants.append((partial(_contestant, TomotopySLDA, *how_slda), ours.n_sweeps))
        else:
            context.note(reason)
    return entrants


def _contestant(kind: Any, *arguments: Any) -> Contestant:
    return Contestant(kind.name, partial(kind, *arguments))

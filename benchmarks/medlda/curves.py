"""Scores on the test documents against CPU time of the training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from ..common.averages import value_at, when_reached
from ..common.schedule import Contestant
from .context import MedLDAContext
from .fits import GIBBS, LIGHT, MethodVariant, dense
from .problems import MAIN_SCORE, Problem


@dataclass
class AccuracyCurve:
    """One run of one method: its score by sweeps and seconds."""

    method: str
    n_topics: int
    seed: int
    setup_seconds: float
    n_sweeps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # CPU, of all sweeps so far and of what ends a training
    scores: list[float] = field(default_factory=list)
    finishing: list[float] = field(default_factory=list)  # what ends a training, each time; seconds have the median

    def at(self, seconds: float) -> float | None:
        """The score then, between two points on a line; None before the first and after the last."""
        return value_at(self.seconds, self.scores, seconds)

    def reaches(self, score: float) -> float | None:
        """CPU seconds after which the score was that high for the first time, as seen at a point."""
        return when_reached(self.seconds, self.scores, score)


def run(context: MedLDAContext) -> list[AccuracyCurve]:
    """LightMedLDA, and GibbsMedLDA where there are not too many topics, with the same CPU time."""
    problem, parameters = context.problem("curves"), context.parameters("curves")
    light, gibbs = MethodVariant(LIGHT, parameters, 0), dense(GIBBS, parameters, 0)
    curves = []
    for seed in context.seeds():
        for n_topics in context.options.topics:
            own = context.prefixed(f"{n_topics} topics")
            variants = [light, gibbs] if n_topics <= context.options.dense_topics else [light]
            own.progress("setting up")
            contestants = [variant.ready(problem, n_topics, seed) for variant in variants]
            curves += _race(own, problem, contestants, n_topics, seed)
    return curves


def _race(
    context: MedLDAContext, problem: Problem, contestants: Sequence[Contestant], n_topics: int, seed: int
) -> list[AccuracyCurve]:
    """Run some sweeps of each in turn and evaluate test documents (not timed) until all have used their time."""
    options, score = context.options, MAIN_SCORE[problem.kind]
    runs = [(one, AccuracyCurve(one.name, n_topics, seed, one.setup_seconds)) for one in contestants]
    while any(one.seconds < options.seconds for one, _ in runs):
        runs.reverse()
        for one, curve in runs:
            if one.seconds >= options.seconds:
                continue
            context.progress(f"{one.name}, {one.seconds:.1f} of {options.seconds:g} CPU seconds")
            for _ in range(options.every):
                one.sweep()
            if one.model.can_predict:
                curve.n_sweeps.append(one.n_sweeps)
                curve.seconds.append(one.seconds)
                curve.finishing.append(one.finish())
                curve.scores.append(problem.score(one.model.predict(problem.test))[score])
    for _, curve in runs:
        curve.seconds = [seconds + median(curve.finishing) for seconds in curve.seconds]
    return sorted((curve for _, curve in runs), key=lambda curve: [one.name for one in contestants].index(curve.method))

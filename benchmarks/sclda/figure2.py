"""Figure 2: log-likelihood against CPU time, ours beside three other ways to use the same links."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..common.averages import value_at, when_reached
from ..common.metrics import joint_log_likelihood
from ..common.schedule import Contestant, race
from .context import SCLDAContext, methods


@dataclass
class LikelihoodCurve:
    """One run of one method."""

    method: str
    seed: int
    setup_seconds: float
    n_sweeps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # CPU, of all sweeps so far
    log_likelihood: list[float] = field(default_factory=list)  # log p(w, z) of plain LDA, per token

    def at(self, seconds: float) -> float | None:
        """The likelihood then, between two points on a line; None before the first and after the last."""
        return value_at(self.seconds, self.log_likelihood, seconds)

    def reaches(self, level: float) -> float | None:
        """CPU seconds after which the likelihood was that high for the first time, as seen at a point."""
        return when_reached(self.seconds, self.log_likelihood, level)


def run(context: SCLDAContext) -> list[LikelihoodCurve]:
    """All methods on the same CPU budget, run by run."""
    return [curve for seed in context.seeds() for curve in _race(context, seed)]


def _race(context: SCLDAContext, seed: int) -> list[LikelihoodCurve]:
    options, corpus = context.options, context.corpus_of("links")
    contestants = methods(context, options.n_topics, seed, plain=False)
    curves = {one.name: LikelihoodCurve(one.name, seed, one.setup_seconds) for one in contestants}

    def measure(one: Contestant) -> None:
        z = one.model.assignments
        curve = curves[one.name]
        curve.n_sweeps.append(one.n_sweeps)
        curve.seconds.append(one.seconds)
        curve.log_likelihood.append(joint_log_likelihood(corpus, z, options.n_topics, options.alpha, options.beta))

    race(contestants, options.seconds, context.progress, measure)
    return list(curves.values())

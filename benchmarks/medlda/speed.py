"""What a sweep costs, compositional and dense, as topics grow in number."""

from __future__ import annotations

from dataclasses import dataclass, field

from topicwright._sampling.medlda.engine import WARMUP_SWEEPS

from ..common.averages import TimedSweeps
from ..common.schedule import take_turns
from .context import MedLDAContext
from .fits import GIBBS, LIGHT, MethodVariant, dense


@dataclass
class SamplerSweeps(TimedSweeps):
    """CPU seconds per sweep of one sampler with one number of topics."""

    method: str
    n_topics: int
    n_tokens: int
    seconds: list[list[float]] = field(default_factory=list)  # run by run


def run(context: MedLDAContext) -> list[SamplerSweeps]:
    """All samplers with all numbers of topics in turn; sweeps without the loss do not count."""
    problem, parameters, options = context.problem("speed"), context.parameters("speed"), context.options
    light, gibbs = MethodVariant(LIGHT, parameters, 0), dense(GIBBS, parameters, 0)
    cases = [(light, n) for n in options.topics] + [(gibbs, n) for n in options.topics if n <= options.dense_topics]
    rows = [SamplerSweeps(variant.name, n, problem.train.n_tokens) for variant, n in cases]
    skipped = WARMUP_SWEEPS + options.warm_up
    for seed in context.seeds():
        context.progress("setting up")
        contestants = [variant.ready(problem, n, seed) for variant, n in cases]
        for row, seconds in zip(rows, take_turns(contestants, skipped + options.rounds, context.progress)):
            row.seconds.append(seconds[skipped:])
    return rows


def find(rows: list[SamplerSweeps], method: str, n_topics: int) -> SamplerSweeps | None:
    """The row of a method with this number of topics."""
    return next((row for row in rows if (row.method, row.n_topics) == (method, n_topics)), None)

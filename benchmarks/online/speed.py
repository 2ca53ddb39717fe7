"""What a token costs the stream, tenth by tenth of its life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from statistics import median

from ..common.averages import median_or_none
from ..common.schedule import Contestant, take_turns
from .context import OnlineContext
from .streams import DEFAULTS, PAPER, Follower, Slice, StreamVariant, bounds, cut

N_TENTHS = 10
N_SLICES = 10  # in a tenth
SECOND, LAST = 1, N_TENTHS - 1


@dataclass
class Pace:
    """One stream from beginning to end, tenth by tenth and slice by slice."""

    variant: str
    n_particles: int
    seed: int
    n_tokens: list[list[int]] = field(default_factory=list)
    n_choices: list[list[int]] = field(default_factory=list)  # labels that tokens may have, over all tokens
    seconds: list[list[float]] = field(default_factory=list)  # CPU
    young_seconds: list[float] = field(default_factory=list)  # of a stream that reads the second tenth beside the last
    n_redrawn: int = 0
    n_resamplings: int = 0

    @property
    def total(self) -> int:
        """Tokens in all."""
        return sum(chain.from_iterable(self.n_tokens))

    @property
    def rate(self) -> float:
        """Tokens a second, over all."""
        return self.total / max(sum(chain.from_iterable(self.seconds)), 1e-9)

    @property
    def redraws(self) -> float:
        """Rejuvenated tokens per new token."""
        return self.n_redrawn / max(self.total, 1)

    @property
    def growth(self) -> float | None:
        """What a token costs in the last tenth to that in the second, where both were read at the same time."""
        return ratio_of_costs(self.seconds[LAST], self.n_tokens[LAST], self.young_seconds, self.n_tokens[SECOND])

    def cost(self, tenth: int) -> float:
        """CPU seconds of a token, the median over the slices of a tenth."""
        return cost_of_token(self.seconds[tenth], self.n_tokens[tenth])

    def labels(self, tenth: int) -> float:
        """How many labels a token may have in the mean."""
        return sum(self.n_choices[tenth]) / max(sum(self.n_tokens[tenth]), 1)


def costs(seconds: Sequence[float], n_tokens: Sequence[int]) -> list[float]:
    """CPU seconds of a token in each slice; never zero."""
    return [max(s / max(n, 1), 1e-12) for s, n in zip(seconds, n_tokens)]


def cost_of_token(seconds: Sequence[float], n_tokens: Sequence[int]) -> float:
    """The median over slices.

    >>> cost_of_token([1.0, 9.0, 1.0], [1, 1, 2])
    1.0
    """
    return median(costs(seconds, n_tokens))


def ratio_of_costs(
    seconds: Sequence[float], n_tokens: Sequence[int], others: Sequence[float], n_of_others: Sequence[int]
) -> float | None:
    """The median of ratios, turn by turn: what disturbed a turn disturbed both.

    >>> ratio_of_costs([2.0, 4.0], [1, 1], [1.0, 2.0], [1, 1])
    2.0
    """
    return median_or_none(a / b for a, b in zip(costs(seconds, n_tokens), costs(others, n_of_others)))


def run(context: OnlineContext) -> list[Pace]:
    """The default settings and the paper's with the same number of particles, in turn."""
    corpus = context.corpus
    variants = [replace(one, n_particles=context.options.particles) for one in (DEFAULTS, PAPER)]
    context.progress("setting up")
    tenths = [cut(corpus, *ends, N_SLICES) for ends in bounds(0, corpus.n_docs, N_TENTHS)]
    return [row for seed in context.seeds() for row in _run(context, variants, tenths, seed)]


def _run(context: OnlineContext, variants: list[StreamVariant], tenths: list[list[Slice]], seed: int) -> list[Pace]:
    """All tenths; beside the last one, streams that have read the first alone read the second."""

    def new(variant: StreamVariant) -> Contestant:
        return Contestant(variant.name, partial(Follower, variant, seed, **context.prior))

    def read(contestants: list[Contestant], parts: list[list[Slice]]) -> list[list[float]]:
        for one, slices in zip(contestants, parts):
            one.model.go_on(slices)
        return take_turns(contestants, list(map(len, parts)), context.progress)

    rows = [Pace(one.name, context.options.particles, seed) for one in variants]
    for row in rows:
        row.n_tokens = [[part.n_tokens for part in slices] for slices in tenths]
        row.n_choices = [[part.n_choices for part in slices] for slices in tenths]
    streams, young, beside = [new(one) for one in variants], [new(one) for one in variants], len(variants)
    for tenth, slices in enumerate(tenths):
        context = context.prefixed(f"tenth {tenth + 1}")
        if tenth < LAST:
            times = read(streams, [slices] * beside)
        else:
            read(young, [tenths[0]] * beside)
            times = read([*streams, *young], [slices] * beside + [tenths[SECOND]] * beside)
            for row, seconds in zip(rows, times[beside:]):
                row.young_seconds = seconds
        for row, seconds in zip(rows, times):
            row.seconds.append(seconds)
    for row, one in zip(rows, streams):
        row.n_redrawn, row.n_resamplings = one.model.engine.n_rejuvenated, one.model.engine.n_resamplings
    return rows

"""Figures 2 and 3: perplexity and training time against documents seen, streams beside batches trained from scratch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

import numpy as np

from topicwright.corpus.corpus import Corpus

from ..common.schedule import Contestant, alternating
from .batches import Batch
from .context import OnlineContext
from .peers import peers_beside
from .streams import VARIANTS, Follower, cut

CONVERGED, LONG = "batch, converged", "batch, paper's sweeps"
METHODS = ("fold-in", "completion")  # how perplexity is computed: the first is the paper's formula
N_POINTS = 10
N_SLICES = 20  # in which a stream reads the documents up to the next point, in turn with others


@dataclass
class Point:
    """One method after a number of documents."""

    method: str
    seed: int
    n_docs: int
    n_tokens: int
    seconds: float  # CPU: of the stream from its beginning, or of one training of a batch
    perplexity: dict[str, float] = field(default_factory=dict)  # of the next documents; empty where not computed
    n_sweeps: int | None = None  # of a batch
    n_measured: int | None = None  # fewer than those: the seconds of the others are reckoned
    setup_seconds: float = 0.0  # CPU, not in the others


def ends(n_docs: int, every: int | None, held_out: int) -> list[int]:
    """Documents seen at each point.

    >>> ends(2_000, 500, 100), len(ends(2_000, None, 100))
    ([500, 1000, 1500], 10)
    """
    last = n_docs - held_out
    if every is not None:
        return list(range(every, last + 1, every))
    return np.unique(np.linspace(0, last, N_POINTS + 1).astype(int)[1:]).tolist() if last > 0 else []


def run(context: OnlineContext) -> list[Point]:
    """All points, run by run."""
    return [point for seed in context.seeds() for point in _run(context, seed)]


def _run(context: OnlineContext, seed: int) -> list[Point]:
    options, corpus = context.options, context.corpus
    fixed = {"vocabulary": corpus.vocabulary, **context.prior}
    streams = [Contestant(one.name, partial(Follower, one, seed, **fixed)) for one in VARIANTS]
    points, start = [], 0
    for end in ends(corpus.n_docs, options.every, options.held_out):
        here = context.prefixed(f"{end:,} documents")
        for one in streams:
            one.model.go_on(cut(corpus, start, end, N_SLICES))
        points += _at(here, streams, corpus.select(np.arange(end)), seed)
        start = end
    return points


def _at(context: OnlineContext, streams: Sequence[Contestant], seen: Corpus, seed: int) -> list[Point]:
    """Let streams read on and batches train from scratch, in turn; then look at the next documents."""
    options = context.options
    context.progress("setting up")
    batch = Contestant(CONVERGED, partial(Batch, seen, seed, **context.stop, **context.prior))
    others = [batch, *peers_beside(context, batch.model, seed)]
    times = until_done([*streams, *others], context.progress)
    if not batch.model.has_converged:
        context.note(f"a batch of {seen.n_docs:,} documents had not converged after {options.sweeps:,} sweeps")
    held_out = context.corpus.select(np.arange(seen.n_docs, seen.n_docs + options.held_out))

    def point(one: Contestant) -> Point:
        context.progress(f"{one.name}: perplexity")
        model = one.model.settle()
        scores = {method: model.perplexity(held_out, method=method) for method in METHODS}
        row = Point(one.name, seed, seen.n_docs, seen.n_tokens, one.seconds, scores)
        if one in streams:
            return row
        return replace(row, n_sweeps=one.n_sweeps, n_measured=one.n_sweeps, setup_seconds=one.setup_seconds)

    points = {one.name: point(one) for one in (*streams, *others)}
    left = options.sweeps - batch.n_sweeps
    if options.full:
        for number in range(left):
            context.progress(f"{number:,} of {left:,} sweeps more")
            batch.sweep()
        return [*points.values(), replace(point(batch), method=LONG)]
    a_sweep = median(times[CONVERGED][batch.n_sweeps // 2 :])
    long = replace(points[CONVERGED], method=LONG, seconds=batch.seconds + left * a_sweep, n_sweeps=options.sweeps)
    return [*points.values(), replace(long, perplexity={}) if left else long]


def until_done(contestants: Sequence[Contestant], progress: Callable[[str], object]) -> dict[str, list[float]]:
    """CPU seconds of every sweep of every contestant; they take turns until they are done."""
    times: dict[str, list[float]] = {one.name: [] for one in contestants}
    while left := [one for one in contestants if not one.model.is_done]:
        round_ = max(map(len, times.values()))
        progress(f"turn {round_ + 1}")
        for one in alternating(left, round_):
            times[one.name].append(one.sweep())
            one.model.look()
    return times

"""A sweep of batch Labeled LDA, ours beside tomotopy's."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from ..common.averages import TimedSweeps
from ..common.schedule import Contestant, take_turns
from .batches import Batch
from .context import OnlineContext
from .peers import peers_beside

OURS = "LabeledLDA"


@dataclass
class BatchSweeps(TimedSweeps):
    """CPU seconds of sweeps of one program."""

    program: str
    n_tokens: int
    n_labels: int
    seconds: list[list[float]] = field(default_factory=list)  # run by run


def run(context: OnlineContext) -> list[BatchSweeps]:
    """Both in turn; the first sweeps do not count."""
    options, corpus = context.options, context.corpus
    n_labels, n_sweeps = len(corpus.label_names()), options.warm_up + options.rounds
    rows: dict[str, BatchSweeps] = {}
    for seed in context.seeds():
        context.progress("setting up")
        ours = Contestant(OURS, partial(Batch, corpus, seed, most=n_sweeps, **context.prior))
        contestants = [ours, *peers_beside(context, ours.model, seed)]
        for one, seconds in zip(contestants, take_turns(contestants, n_sweeps, context.progress)):
            row = rows.setdefault(one.name, BatchSweeps(one.name, corpus.n_tokens, n_labels))
            row.seconds.append(seconds[options.warm_up :])
    return list(rows.values())

"""Many labels: what a token costs with a hundred labels in all, and with a hundred thousand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..common.averages import TimedSweeps
from ..common.schedule import Contestant, take_turns
from .context import SCLDAContext, our_engine

SIZES = (100, 1_000, 10_000, 100_000)
PER_DOCUMENT = 3


@dataclass
class LabelCost(TimedSweeps):
    """CPU seconds of sweeps with some number of labels in all."""

    n_labels: int
    n_used: int  # labels that a document has, in the first run
    n_tokens: int
    engine: str
    seconds: list[list[float]] = field(default_factory=list)  # run by run

    @property
    def nanoseconds(self) -> float:
        """CPU time of a token, the median over sweeps."""
        return 1e9 * self.median / max(self.n_tokens, 1)


def run(context: SCLDAContext) -> list[LabelCost]:
    """Measure all numbers of labels in turns, with three labels per document."""
    rows: dict[int, LabelCost] = {}
    for seed in context.seeds():
        context.progress("drawing labels")
        contestants = [_contestant(context, n, seed, rows) for n in SIZES]
        times = take_turns(contestants, context.options.warm_up + context.options.rounds, context.progress)
        for row, seconds in zip(rows.values(), times):
            row.seconds.append(seconds[context.options.warm_up :])
    return list(rows.values())


def _contestant(context: SCLDAContext, n_labels: int, seed: int, rows: dict[int, LabelCost]) -> Contestant:
    from topicwright.knowledge import DocumentLabels

    corpus = context.corpus_of("labels")
    labels = draw_labels(corpus.n_docs, n_labels, seed)
    one = Contestant(
        str(n_labels), lambda: our_engine(corpus, n_labels, [DocumentLabels(labels)], **context.prior(seed))
    )
    n_used = len({label for own in labels for label in own})
    rows.setdefault(n_labels, LabelCost(n_labels, n_used, corpus.n_tokens, type(one.model).__name__))
    return one


def draw_labels(n_docs: int, n_labels: int, seed: int, each: int = PER_DOCUMENT) -> list[list[str]]:
    """Different labels for each document, the r-th most frequent with a weight of 1 / r.

    >>> [len(set(own)) for own in draw_labels(4, 3, seed=0)]
    [3, 3, 3, 3]
    """
    random = np.random.default_rng(seed)
    up_to = np.cumsum(1.0 / np.arange(1, n_labels + 1))
    chosen = []
    for drawn in np.searchsorted(up_to, random.random((n_docs, 4 * each)) * up_to[-1]).tolist():
        own = dict.fromkeys(drawn)
        while len(own) < each:
            own[int(np.searchsorted(up_to, random.random() * up_to[-1]))] = None
        chosen.append([f"label {number}" for number in list(own)[:each]])
    return chosen

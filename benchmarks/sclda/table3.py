"""Table 3: labeled documents, beside dense Labeled LDA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from ..baselines import DenseLabeledLDA
from ..common.averages import median_or_none, ratios
from ..common.schedule import Contestant, take_turns
from . import paper
from .context import SCLDAContext, our_engine

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Labels = list[tuple[str, ...]]

TOPICS, LABELED = 100, 1_000  # while the other varies
SMALL_ALPHA = 0.1


@dataclass
class LabeledSweeps:
    """CPU seconds of sweeps, ours and dense ones, for a number of topics and of labeled documents."""

    n_topics: int
    asked: int  # labeled documents that the paper has here
    n_labeled: int  # and that there are
    alpha: float
    ours: list[list[float]] = field(default_factory=list)  # run by run
    dense: list[list[float]] = field(default_factory=list)

    @property
    def ratio(self) -> float | None:
        """Time of a dense sweep relative to ours: the median of the ratios in each round."""
        return median_or_none(ratios(self.dense, self.ours))

    def paper(self) -> tuple[float, float] | None:
        """Seconds of (Labeled LDA, SC-LDA) in the paper, where it has this case."""
        if self.alpha != paper.ALPHA:
            return None
        return paper.BY_TOPICS.get(self.n_topics) if self.asked == LABELED else paper.BY_LABELED.get(self.asked)


def mean_seconds(runs: list[list[float]]) -> float | None:
    """The average over all sweeps of all runs, as in the paper."""
    return fmean(second for run in runs for second in run) if runs else None


def run(context: SCLDAContext) -> list[LabeledSweeps]:
    """Every case by itself: ours and the dense sampler take turns."""
    labels = _most_frequent(context)
    rows = _rows(context.options.alpha, sum(map(bool, labels)))
    for row in rows:
        for seed in context.seeds():
            _measure(context, row, _some(labels, row.n_labeled, seed), seed)
    return rows


def _rows(alpha: float, n_available: int) -> list[LabeledSweeps]:
    cases = [
        *((n, LABELED, alpha) for n in paper.BY_TOPICS),
        *((TOPICS, n, alpha) for n in paper.BY_LABELED),
        (max(paper.BY_TOPICS), LABELED, SMALL_ALPHA),
    ]
    return [LabeledSweeps(k, n, min(n, n_available), own) for k, n, own in dict.fromkeys(cases)]


def _measure(context: SCLDAContext, row: LabeledSweeps, labels: Labels, seed: int) -> None:
    options, corpus = context.options, context.corpus_of("labels")
    contestants = _contestants(context, corpus, row, labels, seed)

    def progress(text: str) -> None:
        context.progress(f"{row.n_topics} topics, {row.n_labeled:,} labeled documents: {text}")

    times = take_turns(contestants, options.warm_up + options.rounds, progress)
    row.ours.append(times[0][options.warm_up :])
    row.dense.append(times[1][options.warm_up :])


def _contestants(
    context: SCLDAContext, corpus: Corpus, row: LabeledSweeps, labels: Labels, seed: int
) -> list[Contestant]:
    from topicwright.knowledge import DocumentLabels

    prior = {**context.prior(seed), "alpha": row.alpha}
    items = [DocumentLabels(labels)]
    number = {label: n for n, label in enumerate(sorted({label for own in labels for label in own}))}
    numbered = [[number[label] for label in own] for own in labels]
    stream = (corpus.tokens, corpus.offsets, corpus.n_words, row.n_topics)
    return [
        Contestant("ours", lambda: our_engine(corpus, row.n_topics, items, **prior)),
        Contestant("dense", lambda: DenseLabeledLDA(*stream, **prior, doc_labels=numbered)),
    ]


def _most_frequent(context: SCLDAContext) -> Labels:
    """The labels of all documents, but no more different ones than the fewest topics."""
    labels = context.corpus_of("labels").labels or ()
    frequency = Counter(label for own in labels for label in own)
    most = min(paper.BY_TOPICS)
    if len(frequency) > most:
        context.note(f"table3: of {len(frequency):,} labels the {most} most frequent are used")
    kept = {label for label, _ in frequency.most_common(most)}
    return [tuple(label for label in own if label in kept) for own in labels]


def _some(labels: Sequence[tuple[str, ...]], n: int, seed: int) -> Labels:
    """The labels of n random documents; the others have none."""
    labeled = np.flatnonzero([bool(own) for own in labels])
    chosen = set(np.random.default_rng(seed).permutation(labeled)[:n].tolist())
    return [own if d in chosen else () for d, own in enumerate(labels)]

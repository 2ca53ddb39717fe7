"""Table 3: labelled documents, beside dense Labeled LDA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from ..averages import median_or_none, ratios
from ..scheduling import Contestant, take_turns
from . import paper
from .context import Setting, our_engine

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

Labels = list[tuple[str, ...]]

TOPICS, LABELLED = 100, 1_000  # while the other varies
SMALL_ALPHA = 0.1


@dataclass
class LabelledSweeps:
    """CPU seconds of sweeps, ours and dense ones, for a number of topics and of labelled documents."""

    n_topics: int
    asked: int  # labelled documents that the paper has here
    n_labelled: int  # and that there are
    alpha: float
    ours: list[list[float]] = field(default_factory=list)  # run by run
    dense: list[list[float]] = field(default_factory=list)  # empty without baselines

    @property
    def ratio(self) -> float | None:
        """How many times as long a dense sweep takes: the median of ratios, round by round."""
        return median_or_none(ratios(self.dense, self.ours))

    def paper(self) -> tuple[float, float] | None:
        """Seconds of (Labeled LDA, SC-LDA) in the paper, where it has this case."""
        if self.alpha != paper.ALPHA:
            return None
        return paper.BY_TOPICS.get(self.n_topics) if self.asked == LABELLED else paper.BY_LABELLED.get(self.asked)


def mean_seconds(runs: list[list[float]]) -> float | None:
    """The average over all sweeps of all runs, as in the paper."""
    return fmean(second for run in runs for second in run) if runs else None


def run(setting: Setting) -> list[LabelledSweeps]:
    """Every case by itself: ours and the dense sampler take turns."""
    labels = _most_frequent(setting)
    rows = _rows(setting.options.alpha, sum(map(bool, labels)))
    for row in rows:
        for seed in setting.seeds():
            _measure(setting, row, _some(labels, row.n_labelled, seed), seed)
    return rows


def _rows(alpha: float, n_available: int) -> list[LabelledSweeps]:
    cases = [
        *((n, LABELLED, alpha) for n in paper.BY_TOPICS),
        *((TOPICS, n, alpha) for n in paper.BY_LABELLED),
        (max(paper.BY_TOPICS), LABELLED, SMALL_ALPHA),
    ]
    return [LabelledSweeps(k, n, min(n, n_available), own) for k, n, own in dict.fromkeys(cases)]


def _measure(setting: Setting, row: LabelledSweeps, labels: Labels, seed: int) -> None:
    options, corpus = setting.options, setting.corpus_of("labels")
    contestants = _contestants(setting, corpus, row, labels, seed)

    def tell(text: str) -> None:
        setting.tell(f"{row.n_topics} topics, {row.n_labelled:,} labelled documents: {text}")

    times = take_turns(contestants, options.warm_up + options.rounds, tell)
    row.ours.append(times[0][options.warm_up :])
    if len(times) > 1:
        row.dense.append(times[1][options.warm_up :])


def _contestants(setting: Setting, corpus: Corpus, row: LabelledSweeps, labels: Labels, seed: int) -> list[Contestant]:
    from topicwright.knowledge import DocumentLabels

    prior = {**setting.prior(seed), "alpha": row.alpha}
    items = [DocumentLabels(labels)]
    contestants = [Contestant("ours", lambda: our_engine(corpus, row.n_topics, items, **prior))]
    if dense := setting.baselines.get("DenseLabeledLDA"):
        number = {label: n for n, label in enumerate(sorted({label for own in labels for label in own}))}
        known = [[number[label] for label in own] for own in labels]
        stream = (corpus.tokens, corpus.offsets, corpus.n_words, row.n_topics)
        contestants.append(Contestant("dense", lambda: dense(*stream, **prior, doc_labels=known)))
    return contestants


def _most_frequent(setting: Setting) -> Labels:
    """The labels of all documents, but no more different ones than the fewest topics."""
    labels = setting.corpus_of("labels").labels or ()
    frequency = Counter(label for own in labels for label in own)
    most = min(paper.BY_TOPICS)
    if len(frequency) > most:
        setting.note(f"table3: of {len(frequency):,} labels the {most} most frequent are used")
    kept = {label for label, _ in frequency.most_common(most)}
    return [tuple(label for label in own if label in kept) for own in labels]


def _some(labels: Sequence[tuple[str, ...]], n: int, seed: int) -> Labels:
    """The labels of n documents, by chance; the others have none."""
    labelled = np.flatnonzero([bool(own) for own in labels])
    chosen = set(np.random.default_rng(seed).permutation(labelled)[:n].tolist())
    return [own if d in chosen else () for d, own in enumerate(labels)]

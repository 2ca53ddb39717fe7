"""Figure 1: number of topics per word, which is why sparse sampling is quick."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .context import SCLDAContext, our_engine

FEW = 10  # a word has few topics if it has fewer than one in this many


@dataclass
class Sparsity:
    """One trained model."""

    n_topics: int
    seed: int
    n_words: list[int] = field(default_factory=list)  # that have 0, 1, 2, … topics; those that never occur left out

    @property
    def few(self) -> int:
        """What counts as few topics, as in the paper: fewer than ten of a hundred, fifty of five hundred."""
        return max(self.n_topics // FEW, 1)

    @property
    def share(self) -> float:
        """Of words below the threshold."""
        return sum(self.n_words[: self.few]) / max(sum(self.n_words), 1)

    @property
    def median(self) -> float:
        """Topics of a word."""
        return float(np.median(np.repeat(np.arange(len(self.n_words)), self.n_words)))


def run(context: SCLDAContext) -> list[Sparsity]:
    """Plain LDA with the topics of table 2, and with those of figure 3."""
    options = context.options
    sizes = dict.fromkeys((options.n_topics, options.many_topics))
    return [_train(context, n_topics, seed) for seed in context.seeds() for n_topics in sizes]


def _train(context: SCLDAContext, n_topics: int, seed: int) -> Sparsity:
    options, corpus = context.options, context.corpus_of("links")
    engine = our_engine(corpus, n_topics, [], **context.prior(seed))
    for sweep in range(options.sweeps):
        context.progress(f"{n_topics} topics: sweep {sweep + 1} of {options.sweeps}")
        engine.sweep()
    pairs = np.unique(corpus.tokens.astype(np.int64) * n_topics + engine.assignments)
    topics = np.bincount(pairs // n_topics)
    return Sparsity(n_topics, seed, np.bincount(topics[topics > 0], minlength=n_topics + 1).tolist())

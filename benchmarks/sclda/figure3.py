"""Figure 3: coherence of topics after the same CPU time, with and without links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.averages import mean_and_error
from ..common.metrics import topic_word_of
from ..common.schedule import Contestant, race
from .context import SCLDAContext, methods

if TYPE_CHECKING:
    from topicwright.corpus.corpus import Corpus

N_WORDS, N_BEST, EPSILON = 10, 20, 1e-12


@dataclass
class Coherences:
    """UMass of one method's topics, run by run."""

    method: str
    n_sweeps: list[int] = field(default_factory=list)
    n_topics: list[int] = field(default_factory=list)  # with enough words to compute coherence
    average: list[float | None] = field(default_factory=list)  # of all of them
    best: list[float | None] = field(default_factory=list)  # of the 20 best


def gain(over: Coherences, under: Coherences) -> tuple[float | None, float | None]:
    """The difference of the 20 best topics, seed by seed: its mean and standard error."""
    return mean_and_error([None if a is None or b is None else a - b for a, b in zip(over.best, under.best)])


def run(context: SCLDAContext) -> list[Coherences]:
    """All methods on the same CPU budget, run by run."""
    options, corpus = context.options, context.corpus_of("links")
    rows: dict[str, Coherences] = {}
    for seed in context.seeds():
        contestants = methods(context, options.many_topics, seed, plain=True)
        race(contestants, options.seconds, context.progress)
        for one in contestants:
            row = rows.setdefault(one.name, Coherences(one.name))
            scores = _scores(one, corpus, options.many_topics, options.beta)
            row.n_sweeps.append(one.n_sweeps)
            row.n_topics.append(len(scores))
            row.average.append(float(scores.mean()) if len(scores) else None)
            row.best.append(float(scores[:N_BEST].mean()) if len(scores) else None)
    return list(rows.values())


def _scores(one: Contestant, corpus: Corpus, n_topics: int, beta: float) -> NDArray[np.float64]:
    """UMass of the topics, the best first; those with fewer than ten words, whose sums have fewer terms, left out."""
    from topicwright.evaluation import coherence

    phi = _topic_word(one, corpus, n_topics, beta)
    cells = np.unique(one.model.assignments.astype(np.int64) * corpus.n_words + corpus.tokens)
    n_words = np.bincount(cells // corpus.n_words, minlength=n_topics)
    order = np.argsort(-phi, axis=1, kind="stable")[:, :N_WORDS]
    topics = [corpus.vocabulary[words].tolist() for words in order[n_words >= N_WORDS]]
    if not topics:
        return np.empty(0)
    return -np.sort(-coherence(topics, corpus, "mimno", top=N_WORDS, epsilon=EPSILON, per_topic=True))


def _topic_word(one: Contestant, corpus: Corpus, n_topics: int, beta: float) -> NDArray[np.float64]:
    """φ: a baseline's own, ours from its counts."""
    if hasattr(one.model, "topic_word"):
        return np.asarray(one.model.topic_word())
    return topic_word_of(corpus, one.model.assignments, n_topics, beta)

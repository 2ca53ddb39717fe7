"""The sampler of OnlineLDA compared with enumeration: every draw follows the conditional given what came before."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from topicwright._sampling.online_lda import FIRST_SWEEPS, NEW_SWEEPS, OnlineSampler

from .enumeration import Tiny, p_value

BATCHES = [[[0, 1]], [[0, 2]], [[1], [2]]]  # documents of each batch
ALPHA, BETA, N_TOPICS, N_WORDS = 0.5, 0.05, 2, 3
LARGE = 10**6


def tiny(docs: list[list[int]]) -> Tiny:
    return Tiny(docs, N_TOPICS, ALPHA, BETA, N_WORDS)


def sampler(seed: int, rejuvenate: float = 0.0, reservoir: int = LARGE, decay: float = 1.0) -> OnlineSampler:
    alpha = np.full(N_TOPICS, ALPHA)
    return OnlineSampler(
        alpha, BETA, rejuvenate=rejuvenate, warm_up=rejuvenate, reservoir=reservoir, decay=decay, seed=seed
    )


def add(sampler: OnlineSampler, docs: list[list[int]]) -> None:
    tokens = np.concatenate([np.array(doc, np.uint32) for doc in docs])
    sampler.add(tokens, np.array([len(doc) for doc in docs], np.int64), N_WORDS)


class Enumerated:
    """Exact distribution of the assignments of all tokens so far."""

    def __init__(self) -> None:
        self.docs: list[list[int]] = []
        self.p: dict[tuple[int, ...], float] = {(): 1.0}

    def arrive(self, docs: list[list[int]]) -> None:
        """Each token is drawn given all tokens before it."""
        for doc in docs:
            for n in range(len(doc)):
                prefix = tiny([*self.docs, doc[: n + 1]])
                self._replace(prefix, {z: self.p[z] for z in self.p}, len(prefix.tokens) - 1)
            self.docs.append(doc)

    def resample(self, first: int, last: int, n_sweeps: int) -> None:
        """Tokens from ``first`` up to ``last`` are drawn in turn, given all others."""
        corpus = tiny(self.docs)
        for _ in range(n_sweeps):
            for i in range(first, last):
                without: dict[tuple[int, ...], float] = {}
                for z, p in self.p.items():
                    rest = (*z[:i], *z[i + 1 :])
                    without[rest] = without.get(rest, 0.0) + p
                self._replace(corpus, without, i)

    def _replace(self, corpus: Tiny, without: dict[tuple[int, ...], float], i: int) -> None:
        self.p = {}
        for rest, p in without.items():
            for k, share in enumerate(corpus.conditional((*rest[:i], 0, *rest[i:]), i)):
                self.p[(*rest[:i], k, *rest[i:])] = p * share

    def probabilities(self) -> np.ndarray:
        n_tokens = sum(map(len, self.docs))
        return np.array([self.p[z] for z in product(range(N_TOPICS), repeat=n_tokens)])


def enumerated(rejuvenate: int = 0) -> Enumerated:
    """The whole stream, with a reservoir that keeps everything; a batch has two tokens."""
    exact, turn = Enumerated(), 0
    for n, docs in enumerate(BATCHES):
        exact.arrive(docs)
        exact.resample(2 * n, 2 * n + 2, (NEW_SWEEPS if n else FIRST_SWEEPS) - 1)
        for _ in range(rejuvenate):
            exact.resample(2 * turn, 2 * turn + 2, 1)
            turn = (turn + 1) % (n + 1)
    return exact


def state_number(topics: Any) -> int:
    return int(sum(int(k) * N_TOPICS**n for n, k in enumerate(reversed(list(topics)))))


@pytest.mark.draws
@pytest.mark.parametrize("rejuvenate", [0, 3])
def test_a_stream_follows_the_sequential_conditionals(rejuvenate: int) -> None:
    exact = enumerated(rejuvenate).probabilities()
    seen = np.zeros(len(exact), np.int64)
    for seed in range(1500):
        stream = sampler(seed, rejuvenate)
        for docs in BATCHES:
            add(stream, docs)
        seen[state_number(np.concatenate([batch.topics for batch in stream.batches]))] += 1
    assert exact.sum() == pytest.approx(1.0)
    assert p_value(seen, exact) > 0.001
    other = enumerated(3 - rejuvenate).probabilities()
    assert p_value(seen, other) < 1e-6


@pytest.mark.draws
def test_rejuvenation_alone_leads_to_the_posterior_of_batch_lda() -> None:
    posterior = tiny([doc for docs in BATCHES for doc in docs]).posterior()
    stream = sampler(1, rejuvenate=60_000)
    seen = np.zeros(len(posterior), np.int64)
    sweep = stream._sweep

    def recorded(batch: Any) -> None:
        sweep(batch)
        if len(stream.batches) == len(BATCHES) and stream._sweeps % 30 == 0:
            seen[state_number(np.concatenate([part.topics for part in stream.batches]))] += 1

    stream._sweep = recorded  # type: ignore[method-assign]
    for docs in BATCHES:
        stream.warm_up = 60_000 if docs is BATCHES[-1] else 0
        add(stream, docs)
    assert seen.sum() > 1500
    assert p_value(seen, posterior) > 0.001


@pytest.mark.draws
def test_documents_outside_of_the_reservoir_still_count() -> None:
    """Without a reservoir, the last batch follows the conditional given the final counts of the earlier ones."""
    seen = np.zeros(4, np.int64)
    for seed in range(1500):
        stream = sampler(seed, rejuvenate=5, reservoir=0)
        for docs in BATCHES[:-1]:
            add(stream, docs)
        before = stream.word_topics().toarray()
        stream.capacity = 2
        add(stream, BATCHES[-1])
        (last,) = stream.batches
        counts = np.zeros((N_WORDS, N_TOPICS), int)
        np.add.at(counts, (last.tokens, last.topics), 1)
        assert (stream.word_topics().toarray() - before == counts).all()
        seen[state_number(last.topics)] += 1
    # With room for its two tokens the last batch is alone in the reservoir, and is resampled five times more.
    more = enumerated()
    more.resample(4, 6, 5)
    exact = more.probabilities().reshape(16, 4).sum(axis=0)
    assert p_value(seen, exact) > 0.001
    assert stream.sizes.sum() == 6


def reservoir_counts(stream: OnlineSampler) -> np.ndarray:
    counts = np.zeros((N_WORDS, N_TOPICS), int)
    for batch in stream.batches:
        np.add.at(counts, (batch.tokens, batch.topics), 1)
    return counts


@pytest.mark.draws
def test_every_batch_is_kept_with_the_same_probability() -> None:
    kept = np.zeros(5, np.int64)
    for seed in range(600):
        stream = sampler(seed, reservoir=4)
        for _ in range(5):
            add(stream, [[0, 1]])
        assert len(stream.batches) == 2
        assert stream.word_topics().sum() == 10
        kept[[batch.born - 1 for batch in stream.batches]] += 1
    assert p_value(kept, np.full(5, 0.2)) > 0.001


@pytest.mark.draws
def test_decay_forgets_whole_batches_with_their_counts() -> None:
    """A batch is still there with probability decay^age, and the counts are those of the batches that are."""
    n_runs, kept = 600, np.zeros(4, np.int64)
    for seed in range(n_runs):
        stream = sampler(seed, rejuvenate=2, decay=0.6)
        for _ in range(4):
            add(stream, [[0, 1, 2]])
        assert (stream.word_topics().toarray() == reservoir_counts(stream)).all()
        assert (stream.sizes == reservoir_counts(stream).sum(axis=0)).all()
        kept[[batch.born - 1 for batch in stream.batches]] += 1
    exact = 0.6 ** np.arange(3, -1, -1)
    errors = np.sqrt(exact * (1 - exact) / n_runs)
    assert kept[-1] == n_runs
    assert (np.abs(kept / n_runs - exact)[:-1] < 4 * errors[:-1]).all()

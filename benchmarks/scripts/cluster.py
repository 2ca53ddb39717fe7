"""Cost of sharding: seconds per sweep, and how many of them are not spent on sampling.

    python -m benchmarks.scripts.cluster --workers 1 4 --topics 200     with Ray; --in-process without

The overhead of a sweep is its time minus the time of the slowest shard of each step: sending counts, receiving and
summing changes, and writing checkpoints. On a machine with fewer processors than workers the overhead is too high, as
the driver has to wait for a processor; the CPU time of the driver is shown too. The corpus is the training part of
20 Newsgroups, prepared by ``reference_corpora``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import topicwright as tw
from topicwright._sampling.engine import SamplingProblem
from topicwright.knowledge import compile_knowledge

from . import reference_corpora as corpora


class SweepCost(NamedTuple):
    """Time and traffic of one sweep."""

    seconds: float
    overhead: float
    driver: float  # CPU seconds of the driver
    sent: int  # bytes of counts, to all workers together
    received: int  # bytes of changes


class TimedWorkers:
    """Workers that record how long their steps take and how many bytes are sent."""

    def __init__(self, workers: Any) -> None:
        self._workers = workers
        self.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workers, name)

    def clear(self) -> None:
        self._replies, self._sent, self._received = [], [], []

    def submit(self, shards: Sequence[int], method: str, given: Sequence[Any], n_results: int) -> list[Any]:
        asked = self._workers.submit(shards, method, given, n_results)
        if method == "step":
            replies, _, changes, _ = zip(*asked)
            self._replies.append(replies)
            self._sent += [table for _, _, _, n_sizes, *held in given for table in held[n_sizes : n_sizes + 1]]
            self._received += changes
        return asked

    def sampling(self) -> float:
        """Sampling seconds: the slowest shard of each step, summed over the steps."""
        return sum(max(reply.seconds for reply in self._workers.fetch(replies)) for replies in self._replies)

    def traffic(self) -> tuple[int, int]:
        """Bytes of counts sent to shards, and of changes received from them."""
        tables, changes = self._workers.fetch(self._sent), self._workers.fetch(self._received)
        return sum(array.nbytes for table in tables for array in table), sum(delta.nbytes for delta in changes)


def measure(corpus: tw.Corpus, backend: Any, n_topics: int, n_sweeps: int) -> list[SweepCost]:
    """Time of every sweep, its overhead and its traffic."""
    alpha, plain = np.full(n_topics, 0.1), compile_knowledge([], corpus, n_topics)
    problem = SamplingProblem(corpus.tokens, corpus.offsets, corpus.n_words, n_topics, alpha, 0.01, 0, plain)
    make_workers, sweeps = backend._workers, []
    backend._workers = lambda run, n_jobs: TimedWorkers(make_workers(run, n_jobs))
    engine = backend.start(problem, n_jobs=backend.n_shards)
    workers = engine._workers
    try:
        for _ in range(n_sweeps):
            workers.clear()
            started, busy = time.perf_counter(), time.process_time()
            engine.sweep()
            seconds, busy = time.perf_counter() - started, time.process_time() - busy
            sweeps.append(SweepCost(seconds, seconds - workers.sampling(), busy, *workers.traffic()))
    finally:
        engine.close()
    return sweeps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--sweeps", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--in-process", action="store_true")
    options = parser.parse_args()
    docs = corpora.tokenize(corpora.read_texts("20newsgroups", "train"))
    corpus = corpora.encode(docs, corpora.vocabulary_of(docs))
    print(f"{corpus}, {options.topics} topics; medians of the last {options.sweeps // 2} of {options.sweeps} sweeps")
    print("workers   seconds   overhead ms   driver's CPU ms   MB out   MB in")
    for n_workers in options.workers:
        kind = tw.DiskBackend if options.in_process else tw.RayBackend
        sweeps = measure(corpus, kind(n_shards=n_workers, n_rounds=options.rounds), options.topics, options.sweeps)
        late = sweeps[-(options.sweeps // 2) :]
        seconds, overhead, driver, sent, received = (median(column) for column in zip(*late))
        times = f"{seconds:9.3f} {1000 * overhead:13.0f} {1000 * driver:17.0f}"
        print(f"{n_workers:7} {times} {sent / 1e6:8.1f} {received / 1e6:7.1f}", flush=True)


if __name__ == "__main__":
    main()

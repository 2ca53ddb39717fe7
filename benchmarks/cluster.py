"""What shards cost: seconds of a sweep, and how many of them workers and driver spend on anything but sampling.

    python benchmarks/cluster.py --workers 1 4 --topics 200        on Ray; --in-process for shards in one process

Of each sweep, the overhead is its time less that of the slowest shard of each step: giving counts out, taking changes
in, summing them, writing down where the run stands. On a machine with fewer processors than workers it is too high,
since the driver waits for its turn as well; the time that it kept a processor busy is told beside it. The corpus is
20 Newsgroups' training part, as ``corpora.py`` has it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import corpora
import topicwright as tw


class Sweep(NamedTuple):
    seconds: float
    overhead: float
    driver: float  # seconds of a processor that the driver took
    given: int  # bytes of counts, to all workers together
    told: int  # bytes of changes


class Watched:
    """Workers, and a record of what their steps took."""

    def __init__(self, workers: Any) -> None:
        self._workers = workers
        self.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workers, name)

    def clear(self) -> None:
        self._replies, self._given, self._told = [], [], []

    def ask(self, shards: Sequence[int], method: str, given: Sequence[Any], n_results: int) -> list[Any]:
        asked = self._workers.ask(shards, method, given, n_results)
        if method == "step":
            replies, _, changes, _ = zip(*asked)
            self._replies.append(replies)
            self._given += [table for _, _, _, n_sizes, *held in given for table in held[n_sizes : n_sizes + 1]]
            self._told += changes
        return asked

    def sampling(self) -> float:
        """Seconds that the slowest shards of all steps took."""
        return sum(max(reply.seconds for reply in self._workers.fetch(replies)) for replies in self._replies)

    def traffic(self) -> tuple[int, int]:
        """Bytes of counts that shards were given, and of changes that they told."""
        tables, changes = self._workers.fetch(self._given), self._workers.fetch(self._told)
        return sum(array.nbytes for table in tables for array in table), sum(delta.nbytes for delta in changes)


def measure(corpus: tw.Corpus, backend: Any, n_topics: int, n_sweeps: int) -> list[Sweep]:
    model = tw.LDA(n_topics, n_sweeps=1)
    model._start(corpus, tw.models.parameters.starting_alpha(0.1, n_topics))
    model._know(tw.models.knowing.understand(model, corpus, n_topics))
    make, sweeps = backend._workers, []
    backend._workers = lambda run, n_jobs: Watched(make(run, n_jobs))
    engine = backend.start(model._job(), n_jobs=backend.n_shards)
    watched = engine._workers
    try:
        for _ in range(n_sweeps):
            watched.clear()
            started, busy = time.perf_counter(), time.process_time()
            engine.sweep()
            seconds, busy = time.perf_counter() - started, time.process_time() - busy
            sweeps.append(Sweep(seconds, seconds - watched.sampling(), busy, *watched.traffic()))
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
    docs = corpora.cut(corpora.read_texts("20newsgroups", "train"))
    corpus = corpora.encode(docs, corpora.vocabulary_of(docs))
    print(f"{corpus}, {options.topics} topics; medians of the last {options.sweeps // 2} of {options.sweeps} sweeps")
    print("workers   seconds   overhead ms   driver's CPU ms   MB out   MB in")
    for n_workers in options.workers:
        kind = tw.DiskBackend if options.in_process else tw.RayBackend
        sweeps = measure(corpus, kind(n_shards=n_workers, n_rounds=options.rounds), options.topics, options.sweeps)
        late = sweeps[-(options.sweeps // 2) :]
        seconds, overhead, driver, given, told = (median(column) for column in zip(*late))
        times = f"{seconds:9.3f} {1000 * overhead:13.0f} {1000 * driver:17.0f}"
        print(f"{n_workers:7} {times} {given / 1e6:8.1f} {told / 1e6:7.1f}", flush=True)


if __name__ == "__main__":
    main()

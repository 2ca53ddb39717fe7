"""A shard: some documents on disk, and the topics of their tokens. It knows nothing of who runs it, or where."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ClusterError
from ..samplers.dirichlet import Histogram, histogram_of
from ..samplers.likelihood import documents_log_likelihood
from ..samplers.prior import with_seeds
from .checkpoints import Attempt, load
from .cutting import open_run, shard_seed
from .deltas import Delta, changes_between
from .knowing import from_arrays
from .parts import Part, new_part
from .table import Table


class Message(NamedTuple):
    """What all shards are given for a sweep."""

    table: Table
    alpha: NDArray[np.float64]
    beta: float | NDArray[np.float64]


class Reply(NamedTuple):
    """What a shard did in a sweep."""

    delta: Delta
    n_moved: int


class Shard:
    """Part of a corpus, with all that training on it takes.

    ``step`` may be asked for the same sweep again: what has been done is not done twice, and the answer is the same. A
    shard that is opened anew, here or on another machine, goes on from the last sweep that it wrote.
    """

    def __init__(self, folder: Path, number: int, *, n_jobs: int = 1) -> None:
        run = open_run(folder)
        own = run.shard_folder(number)
        self._facts = run.facts
        self._word_counts = run.arrays["word_counts"]
        self.tokens, self.offsets = load(own / "tokens.npy"), load(own / "offsets.npy")
        sets = load(own / "sets.npy") if (own / "sets.npy").exists() else None
        self._knowledge = from_arrays(run.arrays, run.facts["n_topics"], sets)
        self._seed = shard_seed(int(run.facts["random_state"]), number)
        self._n_jobs = n_jobs
        self._name = f"shard {number}"
        self._disk = Attempt(own)
        newest = self._disk.newest()
        self.done: int = self._facts["first_sweep"] if newest is None else newest
        self._part: Part | None = None

    def topics(self, sweep: int) -> NDArray[np.uint32]:
        """The topics of the tokens after a sweep that is on disk; before the first they have none."""
        if sweep == self._facts["first_sweep"] and sweep not in self._disk.sweeps():
            return np.full(len(self.tokens), self._facts["n_topics"], np.uint32)
        return self._disk.read(sweep)

    def count(self, sweep: int) -> Delta:
        """The shard's own counts after a sweep."""
        return self._changes(np.full(len(self.tokens), self._facts["n_topics"], np.uint32), self.topics(sweep))

    def step(self, sweep: int, message: Message) -> Reply:
        """Draw every topic once, and tell what that changed."""
        if sweep not in (self.done, self.done + 1):
            raise ClusterError(f"{self._name} has done {self.done} sweeps: it can't do sweep {sweep} next")
        before = self.topics(sweep - 1)
        if sweep == self.done + 1:
            self._draw(message)
        after = self.topics(sweep)
        return Reply(self._changes(before, after), int(np.count_nonzero(before != after)))

    def measure(self, sweep: int, alpha: NDArray[np.float64]) -> float:
        """log p(z | α) of the documents."""
        return documents_log_likelihood(self._at(sweep).doc_topics(), alpha)

    def histogram(self, sweep: int) -> Histogram:
        """What α is learned from."""
        return histogram_of(self._at(sweep).doc_topics(), np.diff(self.offsets))

    def unload(self) -> None:
        """Free what can be had again from disk."""
        if self._part is not None:
            self._part.close()
            self._part = None

    def _draw(self, message: Message) -> None:
        part = self._at(self.done)
        part.alpha, part.beta = message.alpha, with_seeds(message.beta, self._knowledge.seeds)
        part.take(message.table)
        part.sweep()
        self._disk.write(self.done + 1, part.assignments, self._facts["n_topics"])
        self.done += 1

    def _changes(self, before: NDArray[np.uint32], after: NDArray[np.uint32]) -> Delta:
        return changes_between(self.tokens, before, after, self._facts["n_words"], self._facts["n_topics"])

    def _at(self, sweep: int) -> Part:
        """The engine, as it stands after a sweep."""
        if self._part is not None and self._part.sweep_number != sweep:
            self.unload()
        if self._part is None:
            n_topics = self._facts["n_topics"]
            self._part = new_part(
                self.tokens,
                self.offsets,
                self._facts["n_words"],
                n_topics,
                alpha=np.ones(n_topics),
                beta=1.0,
                seed=self._seed,
                n_jobs=self._n_jobs,
                assignments=self.topics(sweep),
                sweep_number=sweep,
                knowledge=self._knowledge,
                labelled=self._facts["labelled"],
                word_counts=self._word_counts,
            )
        return self._part

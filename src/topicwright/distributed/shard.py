"""A shard: some documents on disk, and the topics of their tokens. It knows nothing of who runs it, or where."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import CountHistogram, count_histogram, documents_log_likelihood
from .._sampling.medlda.refit import TaskWeights
from .._sampling.medlda.weights import WeightStatistics
from .._sampling.problem import SamplingProblem
from ..errors import ClusterError
from .checkpoints import Attempt, load
from .count_table import Delta, WordCountTable, added, changes_between
from .medlda_shard import MedLDAShardEngine
from .medlda_tasks import supervision_of
from .protocol import Message, Reply, round_of
from .remote_documents import narrow
from .shard_engines import LabeledShardEngine, SparseShardEngine
from .sharding import LENGTHS, LENT, open_run, shard_seed
from .user_code import NO_CODE, UserCode

Floats = NDArray[np.float64]
Part = SparseShardEngine | LabeledShardEngine | MedLDAShardEngine


class Shard:
    """Part of a corpus, with all that training on it takes.

    ``step`` may be asked for the steps of the last sweep again: what has been done is not done twice, and the answer is
    the same. A shard that is opened anew, here or on another machine, goes on from the last step that it wrote.
    """

    def __init__(self, folder: Path, number: int, *, n_jobs: int = 1, code: UserCode = NO_CODE) -> None:
        run = open_run(folder, code)
        own = run.shard_folder(number)
        self._run, self._number, self._n_jobs = run, number, n_jobs
        self.offsets = load(own / "offsets.npy")
        self._knowledge = run.knowledge(number)
        self._disk = Attempt(own, run.n_rounds, lasting=run.lasting)
        newest = self._disk.newest()
        self.done = run.first_step if newest is None else newest
        self._part: Part | None = None
        self._part_step = self.done
        self._places: list[NDArray[np.int32]] | None = None
        self._counted = (-1, np.zeros(0, np.int64))  # after which step each topic has how many tokens here

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """The words of the documents, mapped from disk."""
        return load(self._run.shard_folder(self._number) / "tokens.npy")

    def topics(self, step: int) -> NDArray[np.uint32]:
        """The topics of all tokens after a step; ``n_topics`` for those that have none yet."""
        topics = np.empty(len(self.tokens), np.uint32)
        for block, places in enumerate(self._places_of_blocks()):
            topics[places] = self._topics_of(block, step)
        return topics

    def count(self, block: int, step: int) -> Delta:
        """The shard's own counts of a block of words after a step, as changes since it had none."""
        return self._changes(block, self._none(block), self._topics_of(block, step))

    def sizes(self, step: int) -> NDArray[np.int64]:
        """How many tokens of the shard each topic has after a step."""
        if self._counted[0] != step:
            n_topics = self._run.n_topics
            self._counted = (step, np.bincount(self.topics(step), minlength=n_topics + 1)[:n_topics])
        return self._counted[1]

    def lend(self, step: int) -> Any:
        """Counts of topics after a step, as CSR, of the documents that some of other shards are linked to."""
        return narrow(self._at(step).doc_topics()[load(self._disk.folder / LENT)])

    def add(self, table: WordCountTable, *changes: Delta) -> WordCountTable:
        """A table of counts with changes, of whichever shards."""
        return added(table, changes, self._n_jobs)

    def total(self, *sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many tokens each topic has in some shards together."""
        total: NDArray[np.int64] = np.sum(sizes, axis=0, dtype=np.int64)
        return total

    def step(
        self, step: int, message: Message, lent: Any, n_sizes: int, *held: Any
    ) -> tuple[Reply, NDArray[np.int64], Delta, WordCountTable | None]:
        """Draw every topic of a block of words once.

        ``lent`` is what others lend. ``held`` are sizes of topics, which add up to those in all shards, a table of
        counts of the block, and changes that are not in it. Returns, after the reply, the sizes that topics have in
        this shard then, what changed, and the sum made of table and changes, if there are any.
        """
        if not self.done - self._run.n_rounds < step <= self.done + 1:
            raise ClusterError(f"shard {self._number} has done {self.done} steps: it can't do step {step} next")
        sizes, table, changes = held[:n_sizes], held[n_sizes], held[n_sizes + 1 :]
        total = self.add(table, *changes) if changes else table
        started = time.perf_counter()
        which = round_of(step, self._number, self._run.n_rounds)
        before = self._topics_of(which.block, step - 1)
        if step <= self.done:
            after = self._topics_of(which.block, step)
        else:
            after = self._at(self.done).draw(which, total, self.total(*sizes), message, lent)
            self._disk.write(which.block, step, after, self._run.n_topics)
            self.done = self._part_step = step
        delta = self._changes(which.block, before, after)
        self._counted = (step, self.sizes(step - 1) + delta.gained(self._run.n_topics))
        reply = Reply(int(np.count_nonzero(before != after)), time.perf_counter() - started)
        return reply, self._counted[1], delta, total if changes else None

    def measure(self, step: int, alpha: NDArray[np.float64]) -> float:
        """log p(z | α) of the documents."""
        return documents_log_likelihood(self._at(step).doc_topics(), alpha)

    def histogram(self, step: int) -> CountHistogram:
        """What α is learned from."""
        return count_histogram(self._at(step).doc_topics(), np.diff(self.offsets))

    def statistics(self, step: int, sweep: int, before: TaskWeights) -> WeightStatistics:
        """What the weights of a sweep are drawn from, where topics predict something."""
        part = self._at(step)
        assert isinstance(part, MedLDAShardEngine)
        return part.statistics(sweep, before)

    def margins(self, step: int, sweep: int, before: TaskWeights, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """What the weights of words are drawn from, where they have some."""
        part = self._at(step)
        assert isinstance(part, MedLDAShardEngine)
        return part.margins(sweep, before, eta)

    def unload(self) -> None:
        """Free what can be had again from disk."""
        if self._part is not None:
            self._part.close()
        self._part = self._places = None
        self.__dict__.pop("tokens", None)  # what was read of them is let go with their map

    # ------------------------------------------------------------------ state

    def _topics_of(self, block: int, step: int) -> NDArray[np.uint32]:
        topics = self._disk.read(block, step)
        if topics is None and any(
            round_of(earlier, self._number, self._run.n_rounds).block == block
            for earlier in range(self._run.first_step + 1, step + 1)
        ):
            raise ClusterError(f"{self._disk.folder} does not have the topics that step {step} left any more")
        return self._none(block) if topics is None else topics

    def _none(self, block: int) -> NDArray[np.uint32]:
        return np.full(len(self._places_of_blocks()[block]), self._run.n_topics, np.uint32)

    def _changes(self, block: int, before: NDArray[np.uint32], after: NDArray[np.uint32]) -> Delta:
        places, rows = self._places_of_blocks()[block], self._run.rows_of_words
        tokens = rows[self.tokens if len(places) == len(self.tokens) else self.tokens[places]]
        return changes_between(tokens, before, after, len(self._run.words(block)), self._run.n_topics)

    def _places_of_blocks(self) -> list[NDArray[np.int32]]:
        """Where the tokens of each block of words are."""
        if self._places is None:
            blocks = self._run.arrays["block_of_word"][self.tokens]
            self._places = [np.flatnonzero(blocks == block).astype(np.int32) for block in range(self._run.n_rounds)]
        return self._places

    def _at(self, step: int) -> Part:
        """The engine, as it stands after a step."""
        if step > self.done:
            raise ClusterError(f"shard {self._number} has done {self.done} steps: it can't tell of step {step}")
        if self._part is not None and self._part_step != step:
            self.unload()
        if self._part is None:
            run, problem = self._run, self._problem(step)
            make: type[Part] = LabeledShardEngine if run.facts["labelled"] else SparseShardEngine
            self._part_step = step
            self._part = (make if problem.supervision is None else MedLDAShardEngine)(
                problem,
                self._places_of_blocks(),
                n_jobs=self._n_jobs,
                largest=int(run.arrays["word_counts"].max(initial=0)),
                others=load(run.shard_folder(self._number) / LENGTHS),
            )
        return self._part

    def _problem(self, step: int) -> SamplingProblem:
        """The shard as it stands after a step; priors come with each step."""
        run, facts = self._run, self._run.facts["supervision"]
        return SamplingProblem(
            self.tokens,
            self.offsets,
            run.facts["n_words"],
            run.n_topics,
            np.ones(run.n_topics),
            1.0,
            shard_seed(int(run.facts["random_state"]), self._number),
            self._knowledge,
            self.topics(step),
            supervision=facts and supervision_of(facts, run.code.loss, run.predicted(self._number)),
        )

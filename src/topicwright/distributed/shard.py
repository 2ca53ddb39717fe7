"""A shard: some documents on disk and the topics of their tokens, independent of the backend that runs it."""

from __future__ import annotations

import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import CountHistogram, count_histogram, documents_log_likelihood
from .._sampling.engine import SamplingProblem
from .._sampling.medlda.weights import TaskWeights, WeightStatistics
from ..errors import ClusterError
from .checkpoints import Attempt, load
from .count_table import CountDelta, WordCountTable, apply_deltas, count_delta
from .protocol import NO_CODE, StepReply, SweepMessage, UserCode, round_at
from .shard_engines import LabeledShardEngine, MedLDAShardEngine, SparseShardEngine, narrow_counts
from .sharding import LINKED_ELSEWHERE, REMOTE_LENGTHS, open_run, shard_seed, supervision_from_meta

Floats = NDArray[np.float64]
ShardEngine = SparseShardEngine | LabeledShardEngine | MedLDAShardEngine


class Shard:
    """Part of a corpus, with everything that training on it needs.

    ``step`` may be called again for the steps of the last sweep: a step that was done is not repeated, and the result
    is the same. A shard that is opened again, here or on another machine, continues from the last step that it wrote.
    """

    def __init__(self, folder: Path, number: int, *, n_jobs: int = 1, code: UserCode = NO_CODE) -> None:
        run = open_run(folder, code)
        own = run.shard_folder(number)
        self._run, self._number, self._n_jobs = run, number, n_jobs
        self.offsets = load(own / "offsets.npy")
        self._knowledge = run.knowledge(number)
        self._disk = Attempt(own, run.n_rounds, is_durable=run.is_durable)
        newest = self._disk.newest()
        self.done = run.first_step if newest is None else newest
        self._engine: ShardEngine | None = None
        self._engine_step = self.done
        self._block_positions: list[NDArray[np.int32]] | None = None
        self._counted = (-1, np.zeros(0, np.int64))  # a step, and the topic sizes of this shard after it

    @cached_property
    def tokens(self) -> NDArray[np.int32]:
        """Word ids of the documents, mapped from disk."""
        return load(self._run.shard_folder(self._number) / "tokens.npy")

    def topics(self, step: int) -> NDArray[np.uint32]:
        """Topics of all tokens after a step; ``n_topics`` where a token has none yet."""
        topics = np.empty(len(self.tokens), np.uint32)
        for block, positions in enumerate(self._positions_of_blocks()):
            topics[positions] = self._block_topics(block, step)
        return topics

    def count(self, block: int, step: int) -> CountDelta:
        """Counts of the shard for a block of words after a step, as changes to an empty table."""
        return self._delta(block, self._unassigned(block), self._block_topics(block, step))

    def sizes(self, step: int) -> NDArray[np.int64]:
        """Number of tokens of each topic in the shard after a step."""
        if self._counted[0] != step:
            n_topics = self._run.n_topics
            self._counted = (step, np.bincount(self.topics(step), minlength=n_topics + 1)[:n_topics])
        return self._counted[1]

    def linked_document_counts(self, step: int) -> Any:
        """Topic counts after a step, as CSR, of the documents to which those of other shards are linked."""
        return narrow_counts(self._engine_at(step).doc_topics()[load(self._disk.folder / LINKED_ELSEWHERE)])

    def add(self, table: WordCountTable, *changes: CountDelta) -> WordCountTable:
        """Table of counts with changes applied."""
        return apply_deltas(table, changes, self._n_jobs)

    def total(self, *sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum of topic sizes of some shards."""
        total: NDArray[np.int64] = np.sum(sizes, axis=0, dtype=np.int64)
        return total

    def step(
        self, step: int, message: SweepMessage, remote_counts: Any, n_sizes: int, *held: Any
    ) -> tuple[StepReply, NDArray[np.int64], CountDelta, WordCountTable | None]:
        """Sample the tokens of a block of words once.

        ``remote_counts`` are the topic counts of linked documents elsewhere. ``held`` are topic sizes that add up to
        those of all shards, a table of counts of the block, and changes that are not in it. Returns the reply, the
        topic sizes of this shard, its changes, and the sum of table and changes, if there are changes.
        """
        if not self.done - self._run.n_rounds < step <= self.done + 1:
            raise ClusterError(f"shard {self._number} has done {self.done} steps: step {step} cannot be next")
        sizes, table, changes = held[:n_sizes], held[n_sizes], held[n_sizes + 1 :]
        total = self.add(table, *changes) if changes else table
        started = time.perf_counter()
        turn = round_at(step, self._number, self._run.n_rounds)
        before = self._block_topics(turn.block, step - 1)
        if step <= self.done:
            after = self._block_topics(turn.block, step)
        else:
            after = self._engine_at(self.done).draw(turn, total, self.total(*sizes), message, remote_counts)
            self._disk.write(turn.block, step, after, self._run.n_topics)
            self.done = self._engine_step = step
        delta = self._delta(turn.block, before, after)
        self._counted = (step, self.sizes(step - 1) + delta.gained(self._run.n_topics))
        reply = StepReply(int(np.count_nonzero(before != after)), time.perf_counter() - started)
        return reply, self._counted[1], delta, total if changes else None

    def documents_log_likelihood(self, step: int, alpha: NDArray[np.float64]) -> float:
        """log p(z | α) of the documents."""
        return documents_log_likelihood(self._engine_at(step).doc_topics(), alpha)

    def histogram(self, step: int) -> CountHistogram:
        """Histogram of the document–topic counts, from which α is learned."""
        return count_histogram(self._engine_at(step).doc_topics(), np.diff(self.offsets))

    def statistics(self, step: int, sweep: int, before: TaskWeights) -> WeightStatistics:
        """Sufficient statistics of the weights in a sweep of MedLDA."""
        part = self._engine_at(step)
        assert isinstance(part, MedLDAShardEngine)
        return part.statistics(sweep, before)

    def loss_terms(self, step: int, sweep: int, before: TaskWeights, eta: Floats) -> tuple[Floats, Floats]:
        """A − Q m and Q, from which the weights of words are drawn."""
        part = self._engine_at(step)
        assert isinstance(part, MedLDAShardEngine)
        return part.loss_terms(sweep, before, eta)

    def unload(self) -> None:
        """Free what can be loaded again from disk."""
        if self._engine is not None:
            self._engine.close()
        self._engine = self._block_positions = None
        self.__dict__.pop("tokens", None)  # frees the pages of the map

    # ------------------------------------------------------------------ state

    def _block_topics(self, block: int, step: int) -> NDArray[np.uint32]:
        topics = self._disk.read(block, step)
        if topics is None and any(
            round_at(earlier, self._number, self._run.n_rounds).block == block
            for earlier in range(self._run.first_step + 1, step + 1)
        ):
            raise ClusterError(f"{self._disk.folder} no longer has the topics of step {step}")
        return self._unassigned(block) if topics is None else topics

    def _unassigned(self, block: int) -> NDArray[np.uint32]:
        return np.full(len(self._positions_of_blocks()[block]), self._run.n_topics, np.uint32)

    def _delta(self, block: int, before: NDArray[np.uint32], after: NDArray[np.uint32]) -> CountDelta:
        positions, rows = self._positions_of_blocks()[block], self._run.rows_of_words
        tokens = rows[self.tokens if len(positions) == len(self.tokens) else self.tokens[positions]]
        return count_delta(tokens, before, after, len(self._run.words(block)), self._run.n_topics)

    def _positions_of_blocks(self) -> list[NDArray[np.int32]]:
        """Positions of the tokens of each block of words."""
        if self._block_positions is None:
            blocks = self._run.arrays["block_of_word"][self.tokens]
            self._block_positions = [
                np.flatnonzero(blocks == block).astype(np.int32) for block in range(self._run.n_rounds)
            ]
        return self._block_positions

    def _engine_at(self, step: int) -> ShardEngine:
        """The engine in its state after a step."""
        if step > self.done:
            raise ClusterError(
                f"shard {self._number} has done {self.done} steps: the state after step {step} does not exist"
            )
        if self._engine is not None and self._engine_step != step:
            self.unload()
        if self._engine is None:
            run, problem = self._run, self._problem(step)
            make: type[ShardEngine] = LabeledShardEngine if run.meta["labelled"] else SparseShardEngine
            self._engine_step = step
            self._engine = (make if problem.supervision is None else MedLDAShardEngine)(
                problem,
                self._positions_of_blocks(),
                n_jobs=self._n_jobs,
                max_count=int(run.arrays["word_counts"].max(initial=0)),
                remote_lengths=load(run.shard_folder(self._number) / REMOTE_LENGTHS),
            )
        return self._engine

    def _problem(self, step: int) -> SamplingProblem:
        """The shard in its state after a step; priors come with each step."""
        run, meta = self._run, self._run.meta["supervision"]
        return SamplingProblem(
            self.tokens,
            self.offsets,
            run.meta["n_words"],
            run.n_topics,
            np.ones(run.n_topics),
            1.0,
            shard_seed(int(run.meta["random_state"]), self._number),
            self._knowledge,
            self.topics(step),
            supervision=meta and supervision_from_meta(meta, run.code.loss, run.target_arrays(self._number)),
        )

"""Driver of distributed training: schedules the steps of shards and locates the counts of each block of words."""

from __future__ import annotations

import io
import os
import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from itertools import pairwise, product
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import learn_alpha, merge_histograms, topics_log_likelihood
from .._sampling.engine import SamplingProblem, SamplingResults, TopicCountsMixin, WeightResults
from .._sampling.medlda.engine import WARMUP_SWEEPS, WEIGHTS, averaging_weight, sweep_rng
from .._sampling.medlda.weights import (
    TaskWeights,
    WeightPosterior,
    WeightStatistics,
    draw_by_coordinates,
    draw_from_statistics,
)
from .._sampling.priors import Beta, base_prior, with_word_priors
from .._utils.atomic import atomic_write
from ..errors import ClusterError
from ..io.model_file import read_model, write_model
from .checkpoints import ShardCheckpoints, load
from .count_table import WordCountTable, apply_deltas, empty_table, tables_to_csr
from .protocol import CountRef, CountsLostError, StepReply, SweepMessage, Workers, round_at
from .shard_engines import RemoteDocuments
from .sharding import STATE, RunDirectory

_THREADS = min(4, os.cpu_count() or 1)  # that add up counts which the driver fetches
_FEW_SHARDS = 16  # up to here each shard is sent the topic sizes of every shard; beyond, their sum


class BlockCounts:
    """References to the counts of each block of words, and to the topic sizes of each shard.

    The worker that samples a block next adds the changes of the workers that sampled it last, and stores the sum for
    its successor. So sums are computed in parallel and counts pass from worker to worker; the driver has references
    only, and waits for none of them. Lost counts are computed again from the assignments on disk.
    """

    def __init__(self, run: RunDirectory, workers: Workers) -> None:
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._sizes = [workers.put(np.zeros(run.n_topics, np.int64))] * run.n_shards
        self._blocks = [self._empty(block) for block in range(run.n_rounds)]

    def step(self, shards: Sequence[int], step: int, message: Any, remote_counts: Sequence[Any]) -> list[Any]:
        """Let some shards sample their blocks; returns references to their replies."""
        blocks = [round_at(step, shard, self._run.n_rounds).block for shard in shards]
        self._apply_changes(shards, blocks)
        sizes = self._sizes_for(shards)
        given = [
            (step, message, own_counts, len(sizes), *sizes, self._blocks[block].table, *self._blocks[block].changes)
            for block, own_counts in zip(blocks, remote_counts)
        ]
        replies, own_sizes, changes, tables = zip(*self._workers.submit(shards, "step", given, 4))
        for shard, own in zip(shards, own_sizes):
            self._sizes[shard] = own
        for block in set(blocks):
            at = [i for i, own in enumerate(blocks) if own == block]
            table = tables[at[0]] if self._blocks[block].changes else self._blocks[block].table
            self._blocks[block] = CountRef(table, tuple(changes[i] for i in at))
        return list(replies)

    def recount(self, step: int) -> None:
        """Count the assignments of all shards after a step. Waits for the topic sizes, so that all workers are up."""
        sizes = self._workers.call(self._all, "sizes", [step] * len(self._all))
        self._sizes = [self._workers.put(own) for own in sizes]
        self._blocks = [self._count_block(block, step) for block in range(self._run.n_rounds)]

    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        sizes: NDArray[np.int64] = np.sum(self._workers.fetch(self._sizes), axis=0, dtype=np.int64)
        return sizes

    def fetch(self) -> list[WordCountTable]:
        """All tables, copied to this process."""
        return [self._fetch_table(ref) for ref in self._blocks]

    def _apply_changes(self, shards: Sequence[int], blocks: Sequence[int]) -> None:
        """Where several shards sample the same block, let one of them add the changes for all."""
        for block, shard in {block: shard for shard, block in zip(shards, blocks) if blocks.count(block) > 1}.items():
            table, changes = self._blocks[block]
            if changes:
                self._blocks[block] = CountRef(*self._workers.submit([shard], "add", [(table, *changes)], 1))

    def _sizes_for(self, shards: Sequence[int]) -> list[Any]:
        """References that add up to the topic sizes; one sum where there are many shards."""
        if len(self._all) <= _FEW_SHARDS:
            return self._sizes
        return self._workers.submit(shards[:1], "total", [self._sizes], 1)

    def _count_block(self, block: int, step: int) -> CountRef:
        changes = self._workers.submit(self._all, "count", [(block, step)] * len(self._all), 1)
        return self._empty(block)._replace(changes=tuple(changes))

    def _fetch_table(self, ref: CountRef) -> WordCountTable:
        table, *changes = self._workers.fetch([ref.table, *ref.changes])
        return apply_deltas(table, changes, _THREADS) if changes else table

    def _empty(self, block: int) -> CountRef:
        largest = int(self._run.arrays["word_counts"].max(initial=0))
        return CountRef(self._workers.put(empty_table(self._run.words(block), self._run.n_topics, largest)))


Floats = NDArray[np.float64]
T = TypeVar("T")
_KIND = "cluster-driver"
_TRIES = 10  # of a sweep whose counts were lost
_MAX_TOKENS_IN_MEMORY = 1 << 24  # beyond, collected assignments are in a file
_WEIGHT_FIELDS = ("eta", "average", "feature_eta", "feature_average")


class ShardedEngine(TopicCountsMixin):
    """Sampling engine over shards that exchange counts after every step (Newman et al. 2009).

    A sweep has as many steps as there are blocks of words. In each step, neighboring shards sample different blocks, as
    in the grid of one machine (Yan, Xu & Qi 2009): with as many blocks as shards, no two sample the same words.

    The driver submits all steps of a sweep at once and then waits once; what a step needs of another goes from worker
    to worker. The progress of the run is on disk before that. So a driver that is killed and started again, or that
    finds counts lost, submits the whole sweep again, and shards repeat their replies to the steps that they have done.
    """

    def __init__(self, problem: SamplingProblem, run: RunDirectory, workers: Workers) -> None:
        self.n_topics, self.n_words = problem.n_topics, problem.n_words
        self.n_tokens = len(problem.tokens)
        self.doc_lengths = np.diff(problem.offsets)
        self.alpha = problem.alpha
        self._word_priors = problem.knowledge.word_priors
        self.beta: Beta = with_word_priors(problem.beta, self._word_priors)
        self.seed = problem.seed
        self.sweep_number = problem.sweep_number
        self.n_moved = 0
        self.curve: list[tuple[int, float]] = []
        self.at_end = ExitStack()
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._remote_documents = RemoteDocuments(run, workers)
        self._counts = BlockCounts(run, workers)
        self._resume()

    @property
    def description(self) -> str:
        """What the result depends on besides the problem."""
        return f"{self._run.n_shards} shards, {self._run.n_rounds} rounds"

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of tokens of each topic."""
        return self._retry_if_lost(self._counts.sizes)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """Topic of each token, in corpus order, from the files of the shards."""
        return collect_assignments(self._run, self.n_tokens, self.sweep_number)

    def topic_words(self) -> Any:
        """Topic–word counts, as CSR of shape (n_topics, n_words)."""
        return tables_to_csr(self._retry_if_lost(self._counts.fetch), self.n_words)

    # ------------------------------------------------------------------ sweeps

    def prepare(self) -> None:
        """Nothing: shards compile the sampler in their first step."""

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        self._save()
        message = SweepMessage(self.alpha, base_prior(self.beta), self._prepare_sweep())
        replies = self._retry_if_lost(lambda: self._draw(message))
        self.n_moved = sum(reply.n_moved for reply in replies)
        self.sweep_number += 1

    def _draw(self, message: SweepMessage) -> list[StepReply]:
        """Run all rounds of all shards, with one block of words in each."""
        replies: list[Any] = []
        latest: list[Any] = []
        kept, done = self._workers.put(message), [self._step] * len(self._all)
        for shards, _ in product(self._groups(), range(self._run.n_rounds)):
            if self._remote_documents.is_needed:
                self._workers.fetch(latest)  # so that the counts of linked documents are current
            remote_counts = self._remote_documents.to(shards, done)
            latest = self._counts.step(shards, done[shards[0]] + 1, kept, remote_counts)
            replies += latest
            for shard in shards:
                done[shard] += 1
        return self._workers.fetch(replies)

    def _retry_if_lost(self, call: Callable[[], T]) -> T:
        """Result of a call; where counts were lost on the way, recount them and call again."""
        for _ in range(_TRIES):
            try:
                return call()
            except CountsLostError:
                self._counts.recount(self._step)
        raise ClusterError(f"counts were lost {_TRIES} times in one sweep: too many nodes come and go")

    def _prepare_sweep(self) -> Any:
        """What the shards need for a sweep beside counts and priors; None without supervision."""

    def _groups(self) -> list[range]:
        """Groups of shards that sample at the same time.

        The first sweep runs in groups of 1, 1, 2, 4, … shards, each given the topics of all before it. If all shards
        started at once, each would find its own topics, and these would have nothing in common.
        """
        if self.sweep_number > 0:
            return [self._all]
        edges = [0, 1]
        while edges[-1] < len(self._all):
            edges.append(min(2 * edges[-1], len(self._all)))
        return [range(first, last) for first, last in pairwise(edges)]

    @property
    def _step(self) -> int:
        """Steps that each shard has done when the current sweep begins."""
        return self.sweep_number * self._run.n_rounds

    def _call_all(self, method: str, *arguments: Any) -> list[Any]:
        """Results of a method of all shards, called with the current step and the same arguments."""
        return self._workers.call(self._all, method, *([item] * len(self._all) for item in (self._step, *arguments)))

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus."""
        in_documents = sum(self._call_all("documents_log_likelihood", self.alpha))
        value = float(in_documents + topics_log_likelihood(self.topic_words(), self.beta))
        self.curve.append((self.sweep_number, value / max(1, self.n_tokens)))
        return value

    def learn_alpha(self) -> None:
        """Fit α to the document–topic counts."""
        self.alpha = learn_alpha(self.alpha, merge_histograms(self._call_all("histogram")))

    def close(self) -> None:
        """Stop the workers."""
        with self.at_end:
            self._workers.close()

    # ------------------------------------------------------------------ state

    def _resume(self) -> None:
        """Continue from the progress that the run folder has, with counts of the shards."""
        path = self._run.folder / STATE
        if path.exists():
            file = read_model(path)
            self.sweep_number, self.curve = file.meta["sweep"], [(sweep, value) for sweep, value in file.meta["curve"]]
            self._restore_state(file.arrays)
        if self.sweep_number == 0 and not self._run.meta.get("has_assignments", False):
            return
        self._counts.recount(self._step)
        if self.sweep_number and self.sizes.sum() != self.n_tokens:
            raise ClusterError(
                f"{self._run.folder} does not hold the topics of all tokens, so the run cannot be resumed"
            )

    def _save(self) -> None:
        if not self._run.is_durable:  # the folder is temporary
            return
        meta = {"sweep": self.sweep_number, "curve": [list(point) for point in self.curve]}
        write_model(self._run.folder / STATE, _KIND, meta, self._state())

    def _state(self) -> dict[str, NDArray[np.float64]]:
        return {"alpha": self.alpha, "beta": np.asarray(base_prior(self.beta))}

    def _restore_state(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        self.alpha, beta = arrays["alpha"], arrays["beta"]
        self.beta = with_word_priors(beta if beta.ndim else float(beta), self._word_priors)


class MedLDAShardedEngine(ShardedEngine):
    """Sampling engine over shards of a MedLDA model: each sweep also draws the weights."""

    def __init__(self, problem: SamplingProblem, run: RunDirectory, workers: Workers) -> None:
        assert problem.supervision is not None
        self._supervision = problem.supervision
        supervision, n_tasks = problem.supervision, problem.supervision.targets.shape[1]
        none = np.zeros((n_tasks, problem.n_topics))
        self.eta: Floats = none if supervision.eta is None else supervision.eta
        self.average: Floats = none if supervision.average is None else supervision.average
        none = np.zeros((n_tasks, 0 if supervision.features is None else len(supervision.features.start) - 1))
        self.feature_eta: Floats = none if supervision.feature_eta is None else supervision.feature_eta
        self.feature_average: Floats = none if supervision.feature_average is None else supervision.feature_average
        super().__init__(problem, run, workers)

    def sweep(self) -> None:
        """Draw weights and the topic of every token."""
        super().sweep()
        share = averaging_weight(self.sweep_number, self._supervision.recency)
        self.average = self.average + share * (self.eta - self.average)
        self.feature_average = self.feature_average + share * (self.feature_eta - self.feature_average)

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of the model, with the weights."""
        weights = WeightResults(self.eta, self.average, self.feature_eta, self.feature_average)
        return [results._replace(weights=weights) for results in super().results()]

    def _prepare_sweep(self) -> Any:
        """Draw the weights. Shards also need those of the last sweep, on which the auxiliary variables depend."""
        if self.sweep_number < WARMUP_SWEEPS:
            return None
        before = TaskWeights(self.eta, self.feature_eta)
        parts: list[WeightStatistics] = self._call_all("statistics", self.sweep_number, before)
        total = WeightStatistics(*(sum(columns[1:], start=columns[0]) for columns in zip(*parts)))
        rng = sweep_rng(self.seed, self.sweep_number, WEIGHTS)
        self.eta = draw_from_statistics(
            before.topics, total, self._supervision.nu, self._supervision.weight_sweeps, rng
        )
        if self._supervision.features is not None:
            self._draw_features(self._call_all("loss_terms", self.sweep_number, before, self.eta), rng)
        return before, TaskWeights(self.eta, self.feature_eta)

    def _draw_features(self, loss_terms: Sequence[tuple[Floats, Floats]], rng: np.random.Generator) -> None:
        """Draw the weights of words in the driver: sufficient statistics would be a table of words × words."""
        assert self._supervision.features is not None
        gradient, quadratic = (np.ascontiguousarray(np.concatenate(parts).T) for parts in zip(*loss_terms))
        posterior = WeightPosterior(gradient, quadratic, self._supervision.features, self._supervision.feature_nu)
        self.feature_eta = self.feature_eta.copy()
        for call in draw_by_coordinates(self.feature_eta, posterior, 1, rng):
            call()

    def _state(self) -> dict[str, Floats]:
        return {**super()._state(), **{name: getattr(self, name) for name in _WEIGHT_FIELDS}}

    def _restore_state(self, arrays: dict[str, Floats]) -> None:
        super()._restore_state(arrays)
        for name in _WEIGHT_FIELDS:
            setattr(self, name, arrays[name])


# ---------------------------------------------------------------------- assignments


def collect_assignments(run: RunDirectory, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    """Topic of each token after a sweep, in corpus order; a file where the run folder is durable or tokens are many.

    The file is written first and mapped then: a disk that fills up under a map would kill the process.
    """
    if run.is_durable and n_tokens:
        return _collect_in_folder(run, n_tokens, sweep)
    file = io.BytesIO() if n_tokens <= _MAX_TOKENS_IN_MEMORY else tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it)
    _write_assignments(run, sweep, file)
    if isinstance(file, io.BytesIO):
        return np.frombuffer(file.getbuffer(), np.uint32)
    file.flush()
    return np.asarray(np.memmap(file, np.uint32, "r+", shape=(n_tokens,)))


def _collect_in_folder(run: RunDirectory, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    for earlier in run.folder.glob(f"topics-{'[0-9a-f]' * 16}.npy"):  # a model that has mapped it keeps its data
        with suppress(OSError):
            earlier.unlink()
    path = run.folder / f"topics-{secrets.token_hex(8)}.npy"
    meta = {"descr": np.dtype(np.uint32).str, "fortran_order": False, "shape": (n_tokens,)}
    with atomic_write(path, durable=False) as file:
        np.lib.format.write_array_header_1_0(file, meta)
        _write_assignments(run, sweep, file)
    return np.asarray(np.load(path, mmap_mode="r+"))


def _write_assignments(run: RunDirectory, sweep: int, file: IO[bytes]) -> None:
    block_of_word, step = run.arrays["block_of_word"], sweep * run.n_rounds
    for number in range(run.n_shards):
        folder = run.shard_folder(number)
        blocks, disk = block_of_word[load(folder / "tokens.npy")], ShardCheckpoints(folder)
        result = np.empty(len(blocks), np.uint32)
        for block in range(run.n_rounds):
            topics = disk.read(block, step)
            if topics is None:
                raise ClusterError(f"{folder} does not have the assignments of sweep {sweep}")
            result[blocks == block] = topics
        file.write(result.data)

"""The driver: says who draws what when, and looks to the rest of the training like any engine."""

from __future__ import annotations

import io
import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from itertools import pairwise, product
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._sampling.dirichlet import learn_alpha, merge_histograms, topics_log_likelihood
from .._sampling.engine import SamplingResults, TopicCountsMixin, WeightResults
from .._sampling.medlda.engine import WARMUP_SWEEPS, WEIGHTS, averaging_weight, sweep_rng
from .._sampling.medlda.refit import TaskWeights
from .._sampling.medlda.weights import WeightPosterior, WeightStatistics, draw_by_coordinates, draw_from_statistics
from .._sampling.priors import Beta, base_prior, with_seeds
from .._sampling.problem import SamplingProblem
from .._utils.atomic import atomic_write
from ..errors import ClusterError
from ..io.model_file import read_model, write_model
from .block_counts import BlockCounts
from .checkpoints import Generations, load
from .count_table import tables_to_csr
from .protocol import CountsLostError, Message, Reply, Workers
from .remote_documents import RemoteDocuments
from .sharding import STATE, RunDirectory

_FEW = 1 << 24  # tokens whose topics may be in memory


def gather(run: RunDirectory, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    """The topic of each token after a sweep, in the corpus's order; on disk where the folder is kept, or they are many.

    They are written as any file is, and then mapped: a disk that fills up under a map would kill the process.
    """
    if run.lasting and n_tokens:
        return _in_folder(run, n_tokens, sweep)
    file = io.BytesIO() if n_tokens <= _FEW else tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it)
    _write(run, sweep, file)
    if isinstance(file, io.BytesIO):
        return np.frombuffer(file.getbuffer(), np.uint32)
    file.flush()
    return np.asarray(np.memmap(file, np.uint32, "r+", shape=(n_tokens,)))


def _in_folder(run: RunDirectory, n_tokens: int, sweep: int) -> NDArray[np.uint32]:
    for earlier in run.folder.glob(f"topics-{'[0-9a-f]' * 16}.npy"):  # a model that has it mapped keeps what it has
        with suppress(OSError):
            earlier.unlink()
    path = run.folder / f"topics-{secrets.token_hex(8)}.npy"
    facts = {"descr": np.dtype(np.uint32).str, "fortran_order": False, "shape": (n_tokens,)}
    with atomic_write(path, durable=False) as file:
        np.lib.format.write_array_header_1_0(file, facts)
        _write(run, sweep, file)
    return np.asarray(np.load(path, mmap_mode="r+"))


def _write(run: RunDirectory, sweep: int, file: IO[bytes]) -> None:
    block_of_word, step = run.arrays["block_of_word"], sweep * run.n_rounds
    for number in range(run.n_shards):
        folder = run.shard_folder(number)
        blocks, disk = block_of_word[load(folder / "tokens.npy")], Generations(folder)
        result = np.empty(len(blocks), np.uint32)
        for block in range(run.n_rounds):
            topics = disk.read(block, step)
            if topics is None:
                raise ClusterError(f"{folder} does not have the topics of sweep {sweep}")
            result[blocks == block] = topics
        file.write(result.data)


_KIND = "cluster-driver"
_TRIES = 10  # of a sweep for which counts were lost
T = TypeVar("T")


class ShardedEngine(TopicCountsMixin):
    """Sweeps over shards that see each other's changes after every step (Newman et al. 2009).

    A sweep has as many steps as there are blocks of words. In each, neighbouring shards are at different blocks, as in
    the grid of one machine (Yan, Xu & Qi 2009): with as many blocks as shards, no two draw the same word at a time.

    The driver asks for all steps of a sweep at once, and then waits once: what one needs of another goes from worker to
    worker. Where the run stands is on disk before that. So a driver which was killed and started anew, or one that
    learns of something lost on the way, asks for all of that sweep again, and is told again what was done of it.
    """

    def __init__(self, problem: SamplingProblem, run: RunDirectory, workers: Workers) -> None:
        self.n_topics, self.n_words = problem.n_topics, problem.n_words
        self.n_tokens = len(problem.tokens)
        self.doc_lengths = np.diff(problem.offsets)
        self.alpha = problem.alpha
        self._seeds = problem.knowledge.seeds
        self.beta: Beta = with_seeds(problem.beta, self._seeds)
        self.seed = problem.seed
        self.sweep_number = problem.sweep_number
        self.n_moved = 0
        self.curve: list[tuple[int, float]] = []
        self.at_end = ExitStack()
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._lending = RemoteDocuments(run, workers)
        self._counts = BlockCounts(run, workers)
        self._go_on()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has."""
        return self._unless_lost(self._counts.sizes)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token, in the corpus's order, from the shards' files; on disk where the folder is kept."""
        return gather(self._run, self.n_tokens, self.sweep_number)

    def topic_words(self) -> Any:
        """Counts of words in topics, as CSR of shape (n_topics, n_words)."""
        return tables_to_csr(self._unless_lost(self._counts.fetch), self.n_words)

    # ------------------------------------------------------------------ sweeps

    def prepare(self) -> None:
        """Shards compile the sampler in their first step."""

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        self._save()
        message = Message(self.alpha, base_prior(self.beta), self._prepare_sweep())
        replies = self._unless_lost(lambda: self._draw(message))
        self.n_moved = sum(reply.n_moved for reply in replies)
        self.sweep_number += 1

    def _draw(self, message: Message) -> list[Reply]:
        """All rounds of all shards, one block of words in each."""
        replies: list[Any] = []
        latest: list[Any] = []
        kept, done = self._workers.keep(message), [self._step] * len(self._all)
        for shards, _ in product(self._groups(), range(self._run.n_rounds)):
            if self._lending.is_needed:
                self._workers.fetch(latest)  # so that what is lent is of now
            lent = self._lending.to(shards, done)
            latest = self._counts.step(shards, done[shards[0]] + 1, kept, lent)
            replies += latest
            for shard in shards:
                done[shard] += 1
        return self._workers.fetch(replies)

    def _unless_lost(self, ask: Callable[[], T]) -> T:
        """What an answer is; where something was lost on the way, it is asked for again with counts of the shards."""
        for _ in range(_TRIES):
            try:
                return ask()
            except CountsLostError:
                self._counts.recount(self._step)
        raise ClusterError(f"counts were lost {_TRIES} times in one sweep: too many nodes come and go")

    def _prepare_sweep(self) -> Any:
        """What a sweep needs beside counts and priors: nothing, where topics predict nothing."""

    def _groups(self) -> list[range]:
        """Shards that work side by side.

        The first sweep goes in groups of 1, 1, 2, 4, … shards: each finds topics given those of all before it. Side by
        side from the start, every shard would find topics of its own, and theirs would have nothing in common.
        """
        if self.sweep_number > 0:
            return [self._all]
        edges = [0, 1]
        while edges[-1] < len(self._all):
            edges.append(min(2 * edges[-1], len(self._all)))
        return [range(first, last) for first, last in pairwise(edges)]

    @property
    def _step(self) -> int:
        """How many steps each shard has done when a sweep is done."""
        return self.sweep_number * self._run.n_rounds

    def _call_all(self, method: str, *arguments: Any) -> list[Any]:
        """What a method of all shards returns, given the step they stand at and the same arguments."""
        return self._workers.call(self._all, method, *([item] * len(self._all) for item in (self._step, *arguments)))

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus."""
        in_documents = sum(self._call_all("measure", self.alpha))
        value = float(in_documents + topics_log_likelihood(self.topic_words(), self.beta))
        self.curve.append((self.sweep_number, value / max(1, self.n_tokens)))
        return value

    def learn_alpha(self) -> None:
        """Fit α to the documents."""
        self.alpha = learn_alpha(self.alpha, merge_histograms(self._call_all("histogram")))

    def close(self) -> None:
        """Let the workers go."""
        with self.at_end:
            self._workers.close()

    # ------------------------------------------------------------------ state

    def _go_on(self) -> None:
        """Take up where the folder says that the run stands, with counts from the shards."""
        path = self._run.folder / STATE
        if path.exists():
            file = read_model(path)
            self.sweep_number, self.curve = file.meta["sweep"], [(sweep, value) for sweep, value in file.meta["curve"]]
            self._take_state(file.arrays)
        if self.sweep_number == 0:
            return
        self._counts.recount(self._step)
        if self.sizes.sum() != self.n_tokens:
            raise ClusterError(f"{self._run.folder} does not hold the topics of all tokens: it can't be resumed")

    def _save(self) -> None:
        if not self._run.lasting:  # nobody will go on with it
            return
        meta = {"sweep": self.sweep_number, "curve": [list(point) for point in self.curve]}
        write_model(self._run.folder / STATE, _KIND, meta, self._state())

    def _state(self) -> dict[str, NDArray[np.float64]]:
        return {"alpha": self.alpha, "beta": np.asarray(base_prior(self.beta))}

    def _take_state(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        self.alpha, beta = arrays["alpha"], arrays["beta"]
        self.beta = with_seeds(beta if beta.ndim else float(beta), self._seeds)


Floats = NDArray[np.float64]
_KEPT = ("eta", "average", "feature_eta", "feature_average")


class MedLDAShardedEngine(ShardedEngine):
    """Sweeps over shards, and in each a draw of the weights."""

    def __init__(self, problem: SamplingProblem, run: RunDirectory, workers: Workers) -> None:
        assert problem.supervision is not None
        self._how = problem.supervision
        how, n_tasks = problem.supervision, problem.supervision.targets.shape[1]
        none = np.zeros((n_tasks, problem.n_topics))
        self.eta: Floats = none if how.eta is None else how.eta
        self.average: Floats = none if how.average is None else how.average
        none = np.zeros((n_tasks, 0 if how.features is None else len(how.features.start) - 1))
        self.feature_eta: Floats = none if how.feature_eta is None else how.feature_eta
        self.feature_average: Floats = none if how.feature_average is None else how.feature_average
        super().__init__(problem, run, workers)

    def sweep(self) -> None:
        """Draw weights and the topic of every token."""
        super().sweep()
        share = averaging_weight(self.sweep_number, self._how.recency)
        self.average = self.average + share * (self.eta - self.average)
        self.feature_average = self.feature_average + share * (self.feature_eta - self.feature_average)

    def results(self) -> Sequence[SamplingResults]:
        """Fitted state of the model, with the weights."""
        weights = WeightResults(self.eta, self.average, self.feature_eta, self.feature_average)
        return [results._replace(weights=weights) for results in super().results()]

    def _prepare_sweep(self) -> Any:
        """Draw the weights; shards are given those of the sweep before too, on which auxiliary variables depend."""
        if self.sweep_number < WARMUP_SWEEPS:
            return None
        before = TaskWeights(self.eta, self.feature_eta)
        parts: list[WeightStatistics] = self._call_all("statistics", self.sweep_number, before)
        total = WeightStatistics(*(sum(columns[1:], start=columns[0]) for columns in zip(*parts)))
        rng = sweep_rng(self.seed, self.sweep_number, WEIGHTS)
        self.eta = draw_from_statistics(before.topics, total, self._how.nu, self._how.weight_sweeps, rng)
        if self._how.features is not None:
            self._draw_features(self._call_all("margins", self.sweep_number, before, self.eta), rng)
        return before, TaskWeights(self.eta, self.feature_eta)

    def _draw_features(self, margins: Sequence[tuple[Floats, Floats, Floats]], rng: np.random.Generator) -> None:
        """Draw the weights of words, here and not from sums: those would be a table of words × words."""
        assert self._how.features is not None
        linear, quadratic, scores = (np.ascontiguousarray(np.concatenate(parts).T) for parts in zip(*margins))
        posterior = WeightPosterior(linear, quadratic, scores, self._how.features, self._how.feature_nu)
        self.feature_eta = self.feature_eta.copy()
        for call in draw_by_coordinates(self.feature_eta, posterior, 1, rng):
            call()

    def _state(self) -> dict[str, Floats]:
        return {**super()._state(), **{name: getattr(self, name) for name in _KEPT}}

    def _take_state(self, arrays: dict[str, Floats]) -> None:
        super()._take_state(arrays)
        for name in _KEPT:
            setattr(self, name, arrays[name])

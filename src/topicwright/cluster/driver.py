"""The driver: says who draws what when, and looks to the rest of the training like any engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise, product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..counts import Rows, rows_from_csr
from ..errors import ClusterError
from ..io.modelfile import read_model, write_model
from ..samplers.dirichlet import histogram_of_all, learn_alpha, learn_beta
from ..samplers.job import Job
from ..samplers.likelihood import topics_log_likelihood
from ..samplers.prior import Beta, BetaSum, base_of, sum_of_prior, with_seeds
from .cutting import STATE, Run
from .gathering import gather
from .holding import Counts
from .lending import Lending
from .messages import Message, Reply
from .table import tables_to_csr
from .workers import CountsLostError, Workers

_KIND = "cluster-driver"
_TRIES = 10  # of a sweep for which counts were lost
T = TypeVar("T")


class ShardedEngine:
    """Sweeps over shards that see each other's changes after every step (Newman et al. 2009).

    A sweep has as many steps as there are blocks of words. In each, neighbouring shards are at different blocks, as in
    the grid of one machine (Yan, Xu & Qi 2009): with as many blocks as shards, no two draw the same word at a time.

    The driver asks for all steps of a sweep at once, and then waits once: what one needs of another goes from worker to
    worker. Where the run stands is on disk before that. So a driver which was killed and started anew, or one that
    learns of something lost on the way, asks for all of that sweep again, and is told again what was done of it.
    """

    def __init__(self, job: Job, run: Run, workers: Workers) -> None:
        self.n_topics, self.n_words = job.n_topics, job.n_words
        self.n_tokens = len(job.tokens)
        self.doc_lengths = np.diff(job.offsets)
        self.alpha = job.alpha
        self._seeds = job.knowledge.seeds
        self.beta: Beta = with_seeds(job.beta, self._seeds)
        self.seed = job.seed
        self.sweep_number = job.sweep_number
        self.n_moved = 0
        self.curve: list[tuple[int, float]] = []
        self.at_end = ExitStack()
        self._run, self._workers = run, workers
        self._all = range(run.n_shards)
        self._lending = Lending(run, workers)
        self._counts = Counts(run, workers)
        self._go_on()

    @property
    def beta_sum(self) -> BetaSum:
        """Σ_w b_w over the vocabulary; with seeds one of each topic."""
        return sum_of_prior(self.beta, self.n_words, self.n_topics)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has."""
        return self._unless_lost(self._counts.sizes)

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token, in the corpus's order, from the shards' files; on disk where the folder is kept."""
        return gather(self._run, self.n_tokens, self.sweep_number)

    @property
    def word_rows(self) -> Rows:
        """Counts of topics of words, for inference."""
        return rows_from_csr(self.topic_words().T.tocsr())

    def topic_words(self) -> Any:
        """Counts of words in topics, as CSR of shape (n_topics, n_words)."""
        return tables_to_csr(self._unless_lost(self._counts.fetch), self.n_words)

    # ------------------------------------------------------------------ sweeps

    def prepare(self) -> None:
        """Shards compile the sampler in their first step."""

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        self._save()
        message = Message(self.alpha, base_of(self.beta), self._prepare_sweep())
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
        self.alpha = learn_alpha(self.alpha, histogram_of_all(self._call_all("histogram")))

    def learn_beta(self) -> None:
        """Fit β to the topics."""
        self.beta = learn_beta(float(base_of(self.beta)), self.topic_words(), self.sizes)

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
        return {"alpha": self.alpha, "beta": np.asarray(base_of(self.beta))}

    def _take_state(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        self.alpha, beta = arrays["alpha"], arrays["beta"]
        self.beta = with_seeds(beta if beta.ndim else float(beta), self._seeds)

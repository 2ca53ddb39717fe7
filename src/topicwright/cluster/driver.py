"""The driver: gives counts out, takes changes in, and looks to the rest of the training like any engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..counts import Rows, rows_from_csr
from ..errors import ClusterError
from ..io.modelfile import read_model, write_model
from ..samplers.dirichlet import alpha_from, histogram_of_all, learn_beta
from ..samplers.likelihood import topics_log_likelihood
from ..samplers.prior import Beta, BetaSum, base_of, sum_of_prior, with_seeds
from ..samplers.weights import count_by_topic
from .checkpoints import Generations
from .cutting import STATE, Job, Run
from .shard import Message, Reply
from .table import Table, added, empty_table, table_to_csr

_KIND = "cluster-driver"


class Workers(Protocol):
    """Those who have the shards."""

    def call(self, shards: Sequence[int], method: str, *arguments: Any) -> list[Any]:
        """What a method of some shards returns, in their order. A shard may be called twice if a worker was lost."""

    def close(self) -> None:
        """Let them go."""


class ShardedEngine:
    """Sweeps over shards that see each other's changes after every sweep (Newman et al. 2009).

    Where it stands after a sweep is on disk before the next is asked for, so that a driver which was killed and started
    anew asks for that very sweep again.
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
        self._offsets, self._run, self._workers = job.offsets, run, workers
        self._all = range(run.n_shards)
        largest = int(run.arrays["word_counts"].max(initial=0))
        self._table: Table = empty_table(self.n_words, self.n_topics, largest)
        self._go_on()

    @property
    def beta_sum(self) -> BetaSum:
        """Σ_w b_w over the vocabulary; with seeds one of each topic."""
        return sum_of_prior(self.beta, self.n_words, self.n_topics)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many tokens each topic has."""
        return self._table.sizes

    @property
    def assignments(self) -> NDArray[np.uint32]:
        """The topic of each token, in the corpus's order; read from the shards' files."""
        folders = [self._run.shard_folder(number) for number in self._all]
        return np.concatenate([Generations(folder).read(self.sweep_number) for folder in folders])

    @property
    def word_rows(self) -> Rows:
        """Counts of topics of words, for inference."""
        return rows_from_csr(table_to_csr(self._table))

    def doc_topics(self) -> Any:
        """Counts of topics in documents, as CSR of shape (n_docs, n_topics)."""
        from scipy.sparse import csc_array

        start, docs, counts = count_by_topic(self.assignments, self._offsets, self.n_topics)
        shape = (len(self.doc_lengths), self.n_topics)
        return csc_array((counts.astype(np.int64), docs, start), shape=shape).tocsr()

    def topic_words(self) -> Any:
        """Counts of words in topics, as CSR of shape (n_topics, n_words)."""
        return table_to_csr(self._table).T.tocsr()

    # ------------------------------------------------------------------ sweeps

    def prepare(self) -> None:
        """Shards compile the sampler in their first sweep."""

    def sweep(self) -> None:
        """Draw the topic of every token once."""
        self._save()
        number = self.sweep_number + 1
        self.n_moved = 0
        for group in _groups(len(self._all)) if self.sweep_number == 0 else [self._all]:
            message = Message(self._table, self.alpha, base_of(self.beta))
            replies: list[Reply] = self._workers.call(group, "step", number, message)
            self._table = added(self._table, [reply.delta for reply in replies])
            self.n_moved += sum(reply.n_moved for reply in replies)
        self.sweep_number = number

    def log_likelihood(self) -> float:
        """log p(w, z) of the corpus."""
        in_documents = sum(self._workers.call(self._all, "measure", self.sweep_number, self.alpha))
        value = float(in_documents + topics_log_likelihood(self.topic_words(), self.beta))
        self.curve.append((self.sweep_number, value / max(1, self.n_tokens)))
        return value

    def learn_alpha(self) -> None:
        """Fit α to the documents."""
        parts = self._workers.call(self._all, "histogram", self.sweep_number)
        self.alpha = alpha_from(self.alpha, histogram_of_all(parts))

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
            self.sweep_number = file.meta["sweep"]
            self.curve = [(sweep, value) for sweep, value in file.meta["curve"]]
            self.alpha, beta = file.arrays["alpha"], file.arrays["beta"]
            self.beta = with_seeds(beta if beta.ndim else float(beta), self._seeds)
        if self.sweep_number > 0:
            self._table = added(self._table, self._workers.call(self._all, "count", self.sweep_number))
            if self._table.sizes.sum() != self.n_tokens:
                raise ClusterError(f"{self._run.folder} does not hold the topics of all tokens: it can't be resumed")

    def _save(self) -> None:
        meta = {"sweep": self.sweep_number, "curve": [list(point) for point in self.curve]}
        arrays = {"alpha": self.alpha, "beta": np.asarray(base_of(self.beta))}
        write_model(self._run.folder / STATE, _KIND, meta, arrays)


def _groups(n_shards: int) -> list[range]:
    """The first sweep goes in rounds, of 1, 1, 2, 4, … shards: each finds topics given those of all before it.

    Side by side from the start, every shard would find topics of its own, and theirs would have nothing in common.
    """
    edges = [0, 1]
    while edges[-1] < n_shards:
        edges.append(min(2 * edges[-1], n_shards))
    return [range(first, last) for first, last in pairwise(edges)]

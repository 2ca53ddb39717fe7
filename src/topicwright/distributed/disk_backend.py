"""Backend that trains in this process from shards on disk, for corpora larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .._sampling.grid import ThreadTask, new_pool, run
from .._utils.atomic import StrPath
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from .backend import Backend, open_shard
from .sharding import RunDirectory


class DiskBackend(Backend):
    """Backend that trains on one machine from shards on disk, of which only some are in memory at a time.

    Results equal those of a cluster with the same shards; with one shard they equal those of training in memory. All
    models and all knowledge are supported, except custom factors that read any document.

    Parameters
    ----------
    n_shards : int
        Number of shards that the documents are split into. Results depend slightly on it.
    in_memory : int or None
        Number of shards that stay in memory, beside one for each thread; None for all. The others are loaded once in
        every round: a small ``n_rounds`` saves time then.
    n_rounds : int or None
        Number of times in a sweep that shards exchange counts. Words are split into as many blocks, and each shard
        samples one block at a time while its neighbors sample others. By default 16, or n_shards if that is less. With
        1, messages are fewest but more sweeps are needed.
    checkpoint_dir : path or None
        Folder of the shards and their topics, from which an interrupted run can be resumed. By default a temporary
        folder.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["cats purr", "dogs bark", "stocks fall", "bonds rise"] * 10
    >>> lda = tw.LDA(n_topics=2, n_sweeps=20).fit(texts, backend=tw.DiskBackend(n_shards=4, in_memory=0))
    >>> lda.doc_topic_.shape
    (40, 2)
    """

    @suggest_keywords()
    def __init__(
        self,
        n_shards: int = 8,
        *,
        in_memory: int | None = None,
        n_rounds: int | None = None,
        checkpoint_dir: StrPath | None = None,
    ) -> None:
        self.n_shards = n_shards
        self.n_rounds = n_rounds
        self.in_memory = in_memory
        self.checkpoint_dir = checkpoint_dir

    def check(self) -> None:
        """Raise an error if a parameter is invalid."""
        super().check()
        if self.in_memory is not None:
            check_integer("in_memory", self.in_memory, 0)

    def _workers(self, run: RunDirectory, n_jobs: int) -> LocalWorkers:
        return LocalWorkers(run, n_jobs, run.n_shards if self.in_memory is None else self.in_memory)


class LocalWorkers:
    """Workers in this process: threads that share the shards, of which the first few stay in memory."""

    def __init__(self, run: RunDirectory, n_jobs: int, n_loaded: int) -> None:
        threads_per_shard = max(1, n_jobs // run.n_shards)
        self._shards = [
            open_shard(run.folder, number, n_jobs=threads_per_shard, code=run.code) for number in range(run.n_shards)
        ]
        self._n_loaded, self._n_jobs = n_loaded, n_jobs
        self._pool = new_pool(n_jobs)

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Results of a method of some shards, in their order."""
        return self.submit(shards, method, list(zip(*arguments)), 1)

    def submit(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """Results of a method of some shards; here a reference is the value itself."""
        calls = [partial(self._call, number, method, *own) for number, own in zip(shards, given)]
        return run([ThreadTask(call) for call in calls], self._pool, self._n_jobs)

    def put(self, value: Any) -> Any:
        """The value itself."""
        return value

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """The values themselves."""
        return list(references)

    def _call(self, number: int, method: str, *arguments: Any) -> Any:
        result = getattr(self._shards[number], method)(*arguments)
        if number >= self._n_loaded:
            self._shards[number].unload()
        return result

    def close(self) -> None:
        """Unload the shards and stop the threads."""
        for shard in self._shards:
            shard.unload()
        if self._pool is not None:
            self._pool.shutdown()

"""Shards in this process, from disk: for corpora that are larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .._sampling.threads import ThreadTask, new_pool, run
from .._utils.atomic import StrPath
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from .backend import Backend
from .multi_model import open_shard
from .sharding import RunDirectory


class DiskBackend(Backend):
    """Trains on one machine from shards on disk, of which only some are in memory at a time.

    The answer is that of a cluster with the same shards. With one shard it is that of plain training. All models and
    all knowledge can be trained so, but for factors of one's own that look at any document.

    Parameters
    ----------
    n_shards : int
        How many parts the documents are cut into. A change of it changes the answer a little.
    in_memory : int or None
        How many of them stay in memory; None for all. Beside these there is one for each thread. Others are loaded
        once in every round: a small ``n_rounds`` saves time then.
    n_rounds : int or None
        How often in a sweep shards learn of each other's changes: words are cut into as many blocks, and a shard draws
        one of these at a time, while its neighbours draw others. By default 16, or n_shards if that is less. With 1,
        which needs the fewest messages, more sweeps are needed.
    checkpoint_dir : path or None
        Where shards and their topics are kept, so that a run which was cut off can be resumed. By default in a
        temporary folder, which is removed at the end.

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
        """An error where a parameter will not do."""
        super().check()
        if self.in_memory is not None:
            check_integer("in_memory", self.in_memory, 0)

    def _workers(self, run: RunDirectory, n_jobs: int) -> LocalWorkers:
        return LocalWorkers(run, n_jobs, run.n_shards if self.in_memory is None else self.in_memory)


class LocalWorkers:
    """Threads that work through the shards; the first few of these stay loaded."""

    def __init__(self, run: RunDirectory, n_jobs: int, n_loaded: int) -> None:
        inside = max(1, n_jobs // run.n_shards)
        self._shards = [open_shard(run.folder, number, n_jobs=inside, code=run.code) for number in range(run.n_shards)]
        self._n_loaded, self._n_jobs = n_loaded, n_jobs
        self._pool = new_pool(n_jobs)

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """What a method of some shards returns, in their order."""
        return self.ask(shards, method, list(zip(*arguments)), 1)

    def ask(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """The same; a reference to something is the thing itself."""
        calls = [partial(self._call, number, method, *own) for number, own in zip(shards, given)]
        return run([ThreadTask(call) for call in calls], self._pool, self._n_jobs)

    def keep(self, value: Any) -> Any:
        """The thing itself."""
        return value

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """The things themselves."""
        return list(references)

    def _call(self, number: int, method: str, *arguments: Any) -> Any:
        result = getattr(self._shards[number], method)(*arguments)
        if number >= self._n_loaded:
            self._shards[number].unload()
        return result

    def close(self) -> None:
        """Let the threads go."""
        for shard in self._shards:
            shard.unload()
        if self._pool is not None:
            self._pool.shutdown()

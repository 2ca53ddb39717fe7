"""Where training runs: on shards in this process, or on those of a cluster."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io.replacing import StrPath
from .cutting import Job, Run, check_same, cut_corpus, has_run, open_run
from .driver import ShardedEngine
from .supervised_driver import SupervisedShardedEngine
from .workers import Workers

_ROUNDS, _MOST_ROUNDS = 8, 255


def checked(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {bounds}: got {value!r}")
    return value


class Backend(ABC):
    """What cuts a corpus into shards and finds workers for them."""

    n_shards: int
    n_rounds: int | None
    checkpoint_dir: StrPath | None

    def start(self, job: Job, *, n_jobs: int, resume: bool = False) -> ShardedEngine:
        """An engine that trains on shards; with ``resume`` one that goes on where such a run was cut off."""
        checked("n_shards", self.n_shards, 1)
        if self.n_rounds is not None:
            checked("n_rounds", self.n_rounds, 1, _MOST_ROUNDS)
        if self.checkpoint_dir is None:
            if resume:
                raise InputError("resume=True needs the folder of a run that was cut off: give checkpoint_dir")
            return self._start_in_passing(job, n_jobs)
        run = self._run(job, Path(os.path.abspath(self.checkpoint_dir)), resume)
        return self._engine(job, run, n_jobs)

    def _start_in_passing(self, job: Job, n_jobs: int) -> ShardedEngine:
        """Train in a folder that is removed at the end."""
        folder = tempfile.TemporaryDirectory(prefix="topicwright-")
        try:
            run = cut_corpus(job, self.n_shards, self._rounds(), Path(folder.name), lasting=False)
            engine = self._engine(job, run, n_jobs)
        except BaseException:
            folder.cleanup()
            raise
        engine.at_end.callback(folder.cleanup)
        return engine

    def _run(self, job: Job, folder: Path, resume: bool) -> Run:
        if not has_run(folder):
            folder.mkdir(parents=True, exist_ok=True)
            return cut_corpus(job, self.n_shards, self._rounds(), folder)
        if not resume:
            raise InputError(
                f"{folder} holds a run already: go on with it by resume=True, or give another checkpoint_dir"
            )
        run = open_run(folder)
        check_same(run, job, self.n_shards, self._rounds())
        return run

    def _engine(self, job: Job, run: Run, n_jobs: int) -> ShardedEngine:
        workers = self._workers(run, n_jobs)
        try:
            return (ShardedEngine if job.supervision is None else SupervisedShardedEngine)(job, run, workers)
        except BaseException:
            workers.close()
            raise

    def _rounds(self) -> int:
        return _ROUNDS if self.n_rounds is None else self.n_rounds

    @abstractmethod
    def _workers(self, run: Run, n_jobs: int) -> Workers:
        """Those who open the shards of a run."""

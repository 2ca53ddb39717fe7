"""Base class of backends, which run training on shards."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .._sampling.engine import SamplingProblem
from .._utils.atomic import StrPath
from .._utils.validation import check_integer
from ..errors import InputError
from .driver import MedLDAShardedEngine, ShardedEngine
from .multi_model import has_multi_model_run, model_directories, share_workers
from .protocol import Workers
from .sharding import RunDirectory, check_same_run, has_run, open_run, shard_corpus, user_code_for

_ROUNDS, _MOST_ROUNDS = 16, 255


class Backend(ABC):
    """Base class of backends: splits a corpus into shards and starts workers for them."""

    n_shards: int
    n_rounds: int | None
    checkpoint_dir: StrPath | None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({given})"

    def start(self, problem: SamplingProblem, *, n_jobs: int, resume: bool = False) -> ShardedEngine:
        """Engine that trains on shards; with ``resume`` it continues an interrupted run."""
        return self.start_all([problem], n_jobs=n_jobs, resume=resume)[0]

    def start_all(
        self, problems: Sequence[SamplingProblem], *, n_jobs: int, resume: bool = False
    ) -> list[ShardedEngine]:
        """Engines of several models of the same documents, which share the workers."""
        self.check()
        if self.checkpoint_dir is None:
            if resume:
                raise InputError(
                    "`resume=True` needs `checkpoint_dir`, the folder of an interrupted run",
                    parameter="checkpoint_dir",
                )
            return self._start_temporary(problems, n_jobs)
        folder = Path(os.path.abspath(self.checkpoint_dir))
        if len(problems) > 1 and has_run(folder):
            raise InputError(
                f"{folder} has a run of one model, not of {len(problems)}: choose another `checkpoint_dir`",
                parameter="checkpoint_dir",
            )
        if len(problems) == 1 and has_multi_model_run(folder):
            raise InputError(
                f"{folder} has a run of several models, not of one: choose another `checkpoint_dir`",
                parameter="checkpoint_dir",
            )
        runs = [
            self._run(problem, model_folder, resume=resume)
            for problem, model_folder in zip(problems, model_directories(folder, len(problems)))
        ]
        return self._engines(problems, runs, folder, n_jobs)

    def _start_temporary(self, problems: Sequence[SamplingProblem], n_jobs: int) -> list[ShardedEngine]:
        """Train in a temporary folder."""
        temporary = tempfile.TemporaryDirectory(prefix="topicwright-")
        folder = Path(temporary.name)
        try:
            runs = [
                self._run(problem, model_folder, is_durable=False)
                for problem, model_folder in zip(problems, model_directories(folder, len(problems)))
            ]
            engines = self._engines(problems, runs, folder, n_jobs)
        except BaseException:
            temporary.cleanup()
            raise
        engines[-1].at_end.callback(temporary.cleanup)
        return engines

    def _run(
        self, problem: SamplingProblem, folder: Path, *, resume: bool = False, is_durable: bool = True
    ) -> RunDirectory:
        n_rounds = _ROUNDS if self.n_rounds is None else int(self.n_rounds)
        if not has_run(folder):
            return shard_corpus(problem, self.n_shards, n_rounds, folder, is_durable=is_durable)
        if not resume:
            raise InputError(
                f"{folder} already has a run: continue it with `resume=True`, or choose another `checkpoint_dir`",
                parameter="checkpoint_dir",
            )
        run = open_run(folder, user_code_for(problem))
        check_same_run(run, problem, self.n_shards, n_rounds)
        return run

    def _engines(
        self, problems: Sequence[SamplingProblem], runs: Sequence[RunDirectory], folder: Path, n_jobs: int
    ) -> list[ShardedEngine]:
        """Engine of each run. The last one owns the workers and closes them."""
        workers = self._workers(replace(runs[0], folder=folder), n_jobs)
        try:
            own = share_workers(workers, len(problems))
            return [
                (ShardedEngine if problem.supervision is None else MedLDAShardedEngine)(problem, run, own_workers)
                for problem, run, own_workers in zip(problems, runs, own)
            ]
        except BaseException:
            workers.close()
            raise

    def check(self) -> None:
        """Raise an error if a parameter is invalid."""
        check_integer("n_shards", self.n_shards, 1)
        if self.n_rounds is not None:
            check_integer("n_rounds", self.n_rounds, 1, _MOST_ROUNDS)

    @abstractmethod
    def _workers(self, run: RunDirectory, n_jobs: int) -> Workers:
        """Workers that open the shards of a run."""

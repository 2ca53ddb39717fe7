"""Where training runs: on shards in this process, or on those of a cluster."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .._sampling.problem import SamplingProblem
from .._utils.atomic import StrPath
from .._utils.validation import check_integer
from ..errors import InputError
from .driver import MedLDAShardedEngine, ShardedEngine
from .multi_model import has_several, model_directories, share_workers
from .protocol import Workers
from .sharding import RunDirectory, check_same, code_for, has_run, open_run, shard_corpus

_ROUNDS, _MOST_ROUNDS = 16, 255


class Backend(ABC):
    """What cuts a corpus into shards and finds workers for them."""

    n_shards: int
    n_rounds: int | None
    checkpoint_dir: StrPath | None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({given})"

    def start(self, problem: SamplingProblem, *, n_jobs: int, resume: bool = False) -> ShardedEngine:
        """An engine that trains on shards; with ``resume`` one that goes on where such a run was cut off."""
        return self.start_all([problem], n_jobs=n_jobs, resume=resume)[0]

    def start_all(
        self, problems: Sequence[SamplingProblem], *, n_jobs: int, resume: bool = False
    ) -> list[ShardedEngine]:
        """Engines of several models of the same documents, which the same workers train in turn."""
        self.check()
        if self.checkpoint_dir is None:
            if resume:
                raise InputError("`resume=True` needs `checkpoint_dir`, the folder of an interrupted run")
            return self._start_in_passing(problems, n_jobs)
        folder = Path(os.path.abspath(self.checkpoint_dir))
        if len(problems) > 1 and has_run(folder):
            raise InputError(
                f"{folder} has a run of one model, not of {len(problems)}: choose another `checkpoint_dir`"
            )
        if len(problems) == 1 and has_several(folder):
            raise InputError(f"{folder} has a run of several models, not of one: choose another `checkpoint_dir`")
        runs = [
            self._run(problem, home, resume=resume)
            for problem, home in zip(problems, model_directories(folder, len(problems)))
        ]
        return self._engines(problems, runs, folder, n_jobs)

    def _start_in_passing(self, problems: Sequence[SamplingProblem], n_jobs: int) -> list[ShardedEngine]:
        """Train in a folder that is removed at the end."""
        passing = tempfile.TemporaryDirectory(prefix="topicwright-")
        folder = Path(passing.name)
        try:
            runs = [
                self._run(problem, home, lasting=False)
                for problem, home in zip(problems, model_directories(folder, len(problems)))
            ]
            engines = self._engines(problems, runs, folder, n_jobs)
        except BaseException:
            passing.cleanup()
            raise
        engines[-1].at_end.callback(passing.cleanup)
        return engines

    def _run(
        self, problem: SamplingProblem, folder: Path, *, resume: bool = False, lasting: bool = True
    ) -> RunDirectory:
        n_rounds = _ROUNDS if self.n_rounds is None else int(self.n_rounds)
        if not has_run(folder):
            return shard_corpus(problem, self.n_shards, n_rounds, folder, lasting=lasting)
        if not resume:
            raise InputError(
                f"{folder} already has a run: continue it with `resume=True`, or choose another `checkpoint_dir`"
            )
        run = open_run(folder, code_for(problem))
        check_same(run, problem, self.n_shards, n_rounds)
        return run

    def _engines(
        self, problems: Sequence[SamplingProblem], runs: Sequence[RunDirectory], folder: Path, n_jobs: int
    ) -> list[ShardedEngine]:
        """An engine for each run; the last has the workers, and lets them go."""
        workers = self._workers(replace(runs[0], folder=folder), n_jobs)
        try:
            own = share_workers(workers, len(problems))
            return [
                (ShardedEngine if problem.supervision is None else MedLDAShardedEngine)(problem, run, its_workers)
                for problem, run, its_workers in zip(problems, runs, own)
            ]
        except BaseException:
            workers.close()
            raise

    def check(self) -> None:
        """An error where a parameter will not do."""
        check_integer("n_shards", self.n_shards, 1)
        if self.n_rounds is not None:
            check_integer("n_rounds", self.n_rounds, 1, _MOST_ROUNDS)

    @abstractmethod
    def _workers(self, run: RunDirectory, n_jobs: int) -> Workers:
        """Those who open the shards of a run."""

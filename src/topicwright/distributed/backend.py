"""Base class of backends, which run the training of one or several models on shards."""

from __future__ import annotations

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._sampling.engine import SamplingProblem
from .._utils.atomic import StrPath
from .._utils.validation import check_integer
from ..errors import InputError
from .driver import MedLDAShardedEngine, ShardedEngine
from .protocol import UserCode, Workers
from .shard import Shard
from .sharding import RunDirectory, check_same_run, has_run, open_run, shard_corpus, user_code_for

_MODEL_PREFIX = "model-"


def model_directories(folder: Path, n_models: int) -> list[Path]:
    """Run folders of some models; that of a single model is the folder itself."""
    return [folder] if n_models == 1 else [folder / f"{_MODEL_PREFIX}{number:06d}" for number in range(n_models)]


def has_multi_model_run(folder: Path) -> bool:
    """Whether a folder holds the runs of several models."""
    return any(map(has_run, folder.glob(f"{_MODEL_PREFIX}*")))


def open_shard(folder: Path, number: int, *, n_jobs: int, code: UserCode) -> Shard | MultiModelShard:
    """A shard of one model, or of several models that share the documents."""
    if has_run(folder):
        return Shard(folder, number, n_jobs=n_jobs, code=code)
    found = sorted(model_folder for model_folder in folder.glob(f"{_MODEL_PREFIX}*") if has_run(model_folder))
    return MultiModelShard([Shard(model_folder, number, n_jobs=n_jobs, code=code) for model_folder in found])


class MultiModelShard:
    """A shard of several models: the same documents, with assignments of each model."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = shards

    def call_model(self, model: int, method: str, *arguments: Any) -> Any:
        """Result of a method of the shard of one model."""
        return getattr(self._shards[model], method)(*arguments)

    def unload(self) -> None:
        """Free what can be loaded again from disk."""
        for shard in self._shards:
            shard.unload()


def share_workers(workers: Workers, n_models: int) -> list[Workers]:
    """Workers as each model sees them."""
    return [workers] if n_models == 1 else [_ModelView(workers, model, n_models) for model in range(n_models)]


class _ModelView:
    """Workers restricted to the shards of one model; those of the last model close them."""

    def __init__(self, workers: Workers, model: int, n_models: int) -> None:
        self._workers, self._model, self._is_last = workers, model, model == n_models - 1

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Results of a method of some shards of the model."""
        n = len(shards)
        return self._workers.call(shards, "call_model", [self._model] * n, [method] * n, *arguments)

    def submit(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """References to the results of a method of some shards of the model."""
        return self._workers.submit(shards, "call_model", [(self._model, method, *own) for own in given], n_results)

    def put(self, value: Any) -> Any:
        """Reference to a value."""
        return self._workers.put(value)

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """Values of references."""
        return self._workers.fetch(references)

    def close(self) -> None:
        """Close the workers with the last model."""
        if self._is_last:
            self._workers.close()


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

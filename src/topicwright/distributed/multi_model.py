"""Several models of the same documents, each with its own run folder, that share the workers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .protocol import Workers
from .shard import Shard
from .sharding import has_run
from .user_code import UserCode

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

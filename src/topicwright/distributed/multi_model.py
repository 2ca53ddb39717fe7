"""Models of the same documents, each with topics and a folder of its own, that the same workers train in turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .protocol import Workers
from .shard import Shard
from .sharding import has_run
from .user_code import UserCode

_HOME = "model-"


def model_directories(folder: Path, n_models: int) -> list[Path]:
    """Where the runs of some models lie; that of one alone is the folder itself."""
    return [folder] if n_models == 1 else [folder / f"{_HOME}{number:06d}" for number in range(n_models)]


def has_several(folder: Path) -> bool:
    """Whether a folder holds runs of several models."""
    return any(map(has_run, folder.glob(f"{_HOME}*")))


def open_shard(folder: Path, number: int, *, n_jobs: int, code: UserCode) -> Shard | MultiModelShard:
    """What a worker has: a shard, or that shard of several models."""
    if has_run(folder):
        return Shard(folder, number, n_jobs=n_jobs, code=code)
    found = sorted(home for home in folder.glob(f"{_HOME}*") if has_run(home))
    return MultiModelShard([Shard(home, number, n_jobs=n_jobs, code=code) for home in found])


class MultiModelShard:
    """The same documents as shards of several models."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = shards

    def of(self, model: int, method: str, *arguments: Any) -> Any:
        """What a method of one of the shards returns."""
        return getattr(self._shards[model], method)(*arguments)

    def unload(self) -> None:
        """Free what can be had again from disk."""
        for shard in self._shards:
            shard.unload()


def share_workers(workers: Workers, n_models: int) -> list[Workers]:
    """Workers as each of some models sees them."""
    return [workers] if n_models == 1 else [_ModelView(workers, model, n_models) for model in range(n_models)]


class _ModelView:
    def __init__(self, workers: Workers, model: int, n_models: int) -> None:
        self._workers, self._model, self._is_last = workers, model, model == n_models - 1

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """What a method of some of the model's shards returns."""
        n = len(shards)
        return self._workers.call(shards, "of", [self._model] * n, [method] * n, *arguments)

    def ask(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """References to what a method of some of the model's shards returns."""
        return self._workers.ask(shards, "of", [(self._model, method, *own) for own in given], n_results)

    def keep(self, value: Any) -> Any:
        """A reference to something."""
        return self._workers.keep(value)

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """What references stand for."""
        return self._workers.fetch(references)

    def close(self) -> None:
        """Let them go when the last model has no more use for them."""
        if self._is_last:
            self._workers.close()

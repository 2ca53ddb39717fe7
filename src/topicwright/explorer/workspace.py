"""What all windows share: the branches that are open, and the training that goes before."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import InputError
from ..models import LDA
from ..steering import Steering
from ..steering.branches import MAIN
from .branch_session import BranchSession
from .training import Training


class Workspace:
    """A model with its branches, or a training that will give one."""

    def __init__(
        self, title: str, *, path: Path | None = None, training: Training | None = None, n_jobs: int = -1
    ) -> None:
        self.title, self.path, self.training = title, path, training
        self._n_jobs = n_jobs
        self._benches: dict[str, BranchSession] = {}
        self._lock = Lock()

    @classmethod
    def of_model(cls, model: Any, title: str) -> Workspace:
        """A desk for a model in memory."""
        desk = cls(title)
        desk._benches[MAIN] = _bench_of_model(model)
        return desk

    def bench(self, branch: str = MAIN) -> BranchSession | None:
        """A branch, opened where it is not yet; None while nothing is trained."""
        if self.training is not None and (not self.training.is_over or self.training.problem):
            return self.training.bench
        return self.open(branch)

    def open(self, branch: str = MAIN) -> BranchSession:
        """A branch of the model that is in the file, whatever a training does; it may take its time."""
        with self._lock:
            for name in (MAIN, branch):
                if name not in self._benches:
                    self._benches[name] = self._opened(name)
            return self._benches[branch]

    def branches(self) -> list[str]:
        """The names of all branches."""
        steering = self._main()
        return [MAIN] if steering is None else steering.branches()

    def new_branch(self, name: str, origin: str) -> None:
        """A branch with the steps of another."""
        bench = self.bench(origin)
        if bench is None or bench.steering is None:
            raise InputError("this model can't have branches: it can't be steered")
        made = bench.steering.branch(name)
        with self._lock:
            self._benches[name] = BranchSession(made.model, made)

    def close(self) -> None:
        """End all work; what was said is on disk already."""
        if self.training is not None:
            self.training.close()
        for bench in self._benches.values():
            bench.close()

    def _main(self) -> Steering | None:
        bench = self._benches.get(MAIN)
        return None if bench is None else bench.steering

    def _opened(self, branch: str) -> BranchSession:
        if branch == MAIN:
            return self._opened_main()
        main = self._main()
        if main is None:
            raise InputError(f"there is no branch {branch!r}: a model that can't be steered has none")
        made = main.open_branch(branch)
        return BranchSession(made.model, made)

    def _opened_main(self) -> BranchSession:
        from .. import load

        assert self.path is not None
        try:
            steering = Steering.open(self.path, n_jobs=self._n_jobs)
        except InputError as error:
            return _only_seen(load(self.path), error)
        return BranchSession(steering.model, steering)


def _bench_of_model(model: Any) -> BranchSession:
    try:
        steering = Steering(model)
    except InputError as error:
        return _only_seen(model, error)
    return BranchSession(steering.model, steering)


def _only_seen(model: Any, error: InputError) -> BranchSession:
    """A bench for a model that can't be steered; the error goes on where it could be."""
    if hasattr(model, "estimators_"):
        raise InputError(
            "this model has topics of its own for each class, and none that all share: it can't be explored"
        )
    if type(model) is LDA and model.assignments_ is not None:
        raise error
    return BranchSession(model, why_not=f"This model can be looked at, but not changed: {error}.")

"""Workspace that all windows share: a model with its branches, or the training that produces it."""

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
    """A model with its branches, or a training that produces one.

    Parameters
    ----------
    title : str
    path : Path, optional
        Model file.
    training : Training, optional
        Training that writes ``path``.
    n_jobs : int
        Threads of an update.
    """

    def __init__(
        self, title: str, *, path: Path | None = None, training: Training | None = None, n_jobs: int = -1
    ) -> None:
        self.title, self.path, self.training = title, path, training
        self._n_jobs = n_jobs
        self._sessions: dict[str, BranchSession] = {}
        self._lock = Lock()

    @classmethod
    def of_model(cls, model: Any, title: str) -> Workspace:
        """Workspace of a model in memory."""
        workspace = cls(title)
        workspace._sessions[MAIN] = _session_of_model(model)
        return workspace

    def session(self, branch: str = MAIN) -> BranchSession | None:
        """Session of a branch, which is opened if it is not open; None before a training has topics."""
        if self.training is not None and (not self.training.is_over or self.training.problem):
            return self.training.session
        return self.open(branch)

    def open(self, branch: str = MAIN) -> BranchSession:
        """Session of a branch of the model file, regardless of a training. Reading the file may take some seconds."""
        with self._lock:
            for name in (MAIN, branch):
                if name not in self._sessions:
                    self._sessions[name] = self._open_branch(name)
            return self._sessions[branch]

    def branches(self) -> list[str]:
        """Names of all branches."""
        steering = self._main()
        return [MAIN] if steering is None else steering.branches()

    def new_branch(self, name: str, origin: str) -> None:
        """Create a branch with the steps of another one."""
        session = self.session(origin)
        if session is None or session.steering is None:
            raise InputError("this model cannot have branches because it cannot be steered")
        made = session.steering.branch(name)
        with self._lock:
            self._sessions[name] = BranchSession(made.model, made)

    def close(self) -> None:
        """Stop all work; the steps are on disk already."""
        if self.training is not None:
            self.training.close()
        for session in self._sessions.values():
            session.close()

    def _main(self) -> Steering | None:
        session = self._sessions.get(MAIN)
        return None if session is None else session.steering

    def _open_branch(self, branch: str) -> BranchSession:
        if branch == MAIN:
            return self._open_main()
        main = self._main()
        if main is None:
            raise InputError(
                f"there is no branch {branch!r}: a model that cannot be steered has no branches",
                parameter="branch",
                got=branch,
            )
        made = main.open_branch(branch)
        return BranchSession(made.model, made)

    def _open_main(self) -> BranchSession:
        from .. import load

        assert self.path is not None
        try:
            steering = Steering.open(self.path, n_jobs=self._n_jobs)
        except InputError as error:
            return _read_only_session(load(self.path), error)
        return BranchSession(steering.model, steering)


def _session_of_model(model: Any) -> BranchSession:
    try:
        steering = Steering(model)
    except InputError as error:
        return _read_only_session(model, error)
    return BranchSession(steering.model, steering)


def _read_only_session(model: Any, error: InputError) -> BranchSession:
    """Session of a model that cannot be steered; raises the error for a model that should be steerable."""
    if hasattr(model, "estimators_"):
        raise InputError(
            "this model has separate topics for each class, which the explorer cannot show; "
            "train it with `strategy='shared'` instead"
        )
    if type(model) is LDA and model.assignments_ is not None:
        raise error
    return BranchSession(model, read_only_reason=f"This model can be looked at, but not changed: {error}.")

"""Where a model is trained: in this process, or on the shards of a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError

if TYPE_CHECKING:
    from ..cluster.driver import ShardedEngine
    from ..samplers.job import Job


class Where(NamedTuple):
    """A backend, or None for this process; and whether to go on with a run that was cut off there."""

    backend: Any = None
    resume: bool = False

    def start(self, job: Job, n_jobs: int) -> ShardedEngine:
        """The engine of a backend."""
        engine: ShardedEngine = self.backend.start(job, n_jobs=n_jobs, resume=self.resume)
        return engine

    def start_all(self, jobs: Sequence[Job], n_jobs: int) -> list[ShardedEngine]:
        """Engines of several models, one job each."""
        engines: list[ShardedEngine] = self.backend.start_all(jobs, n_jobs=n_jobs, resume=self.resume)
        return engines


HERE = Where()


def placed(backend: Any, resume: Any) -> Where:
    """What ``fit`` was told, checked."""
    if not isinstance(resume, bool):
        raise InputError(f"resume must be True or False: got {resume!r}")
    if backend is None and resume:
        raise InputError("resume=True goes on with a run of a backend: give one, or call resume() on a fitted model")
    if backend is not None and (isinstance(backend, type) or not callable(getattr(backend, "start", None))):
        got = f"the class; write tw.{backend.__name__}(…)" if isinstance(backend, type) else repr(backend)
        raise InputError(f"backend must be a DiskBackend or a RayBackend: got {got}")
    return Where(backend, resume)

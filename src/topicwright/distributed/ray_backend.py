"""Shards on a Ray cluster: an actor for each, which Ray starts anew, here or on another node, if it is lost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .._utils.atomic import StrPath
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from ..errors import ClusterError, InputError
from .backend import Backend
from .multi_model import MultiModelShard, open_shard
from .protocol import CountsLostError
from .ray_session import check_reachable, connected
from .shard import Shard
from .sharding import RunDirectory
from .user_code import unpacked


class _AgainError(Exception):
    """A call that has to be made again."""


class RayBackend(Backend):
    """Trains on a Ray cluster. The answer is that of :class:`DiskBackend` with the same number of shards.

    A worker or a node that is lost is replaced, as long as the cluster has room, and the run ends with the same model
    as if it had not been; a driver that is lost can be started anew with ``resume=True``.

    Parameters
    ----------
    address : str or None
        Of the cluster, as ``ray.init`` takes it: "auto" on one of its nodes. By default a private one is started on
        this machine, which nobody else can reach, and stopped at the end. If Ray is connected already, that is used.
    n_shards : int
        How many parts the documents are cut into, and workers there are. One for each node is a good start.
    cpus_per_worker : int
        Threads of a worker: best all processors of a node.
    checkpoint_dir : path or None
        Where shards and their topics are kept; with an address it must be on storage that all nodes share.
    sweep_timeout : float
        Seconds after which a sweep that has not come to an end is given up, with an error.
    max_restarts : int
        How often each worker may be lost; -1 for any number of times.
    n_rounds : int or None
        As for :class:`DiskBackend`. Counts stay with the workers, one block of words in so many with each.

    Examples
    --------
    Needs the extra ``topicwright[cluster]``::

        backend = tw.RayBackend("auto", n_shards=16, cpus_per_worker=32, checkpoint_dir="/shared/run")
        lda = tw.LDA(n_topics=1000).fit(corpus, backend=backend, resume=True)
    """

    @suggest_keywords()
    def __init__(
        self,
        address: str | None = None,
        *,
        n_shards: int = 4,
        cpus_per_worker: int = 1,
        checkpoint_dir: StrPath | None = None,
        sweep_timeout: float = 3600.0,
        max_restarts: int = 3,
        n_rounds: int | None = None,
    ) -> None:
        self.address = address
        self.n_shards = n_shards
        self.cpus_per_worker = cpus_per_worker
        self.checkpoint_dir = checkpoint_dir
        self.sweep_timeout = sweep_timeout
        self.max_restarts = max_restarts
        self.n_rounds = n_rounds

    def check(self) -> None:
        """An error where a parameter will not do, or there is no cluster."""
        check_integer("cpus_per_worker", self.cpus_per_worker, 1)
        check_integer("max_restarts", self.max_restarts, -1)
        timeout = self.sweep_timeout
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise InputError(parameter="sweep_timeout", expected="a positive number of seconds", got=timeout)
        if self.address is not None and self.checkpoint_dir is None:
            raise InputError(
                "`address` needs `checkpoint_dir`, on storage that all nodes share", parameter="checkpoint_dir"
            )
        super().check()
        check_reachable(self.address)

    def _workers(self, run: RunDirectory, n_jobs: int) -> RayWorkers:
        with ExitStack() as stack:
            n_counts = min(len(run.arrays["word_counts"]) * run.facts["n_topics"], int(run.arrays["word_counts"].sum()))
            ray = stack.enter_context(connected(self.address, run.n_shards * self.cpus_per_worker, n_counts))
            code = run.code.packed(ray.cloudpickle.dumps)
            return RayWorkers(ray, self, run, code, stack.pop_all())


class Worker:
    """What runs on a node: a shard, opened when it is first asked for anything."""

    def __init__(self, folder: str, number: int, n_jobs: int, code: bytes) -> None:
        self._place, self._code = (folder, number, n_jobs), code
        self._shard: Shard | MultiModelShard | None = None

    def call(self, method: str, *arguments: Any) -> Any:
        """What a method of the shard returns."""
        if self._shard is None:
            folder, number, n_jobs = self._place
            if not Path(folder).is_dir():
                raise ClusterError(
                    f"a worker cannot find {folder}: `checkpoint_dir` must be on storage that all nodes share"
                )
            self._shard = open_shard(Path(folder), number, n_jobs=n_jobs, code=unpacked(self._code))
        return getattr(self._shard, method)(*arguments)


class RayWorkers:
    """The actors of a run. Calls may be made twice if one was lost in between; shards are made for that."""

    def __init__(self, ray: Any, backend: RayBackend, run: RunDirectory, code: bytes, session: ExitStack) -> None:
        self._ray, self._session = ray, session
        self._timeout = float(backend.sweep_timeout)
        self._restarts, self._cpus = int(backend.max_restarts), int(backend.cpus_per_worker)
        remote = ray.remote(Worker).options(
            num_cpus=self._cpus,
            max_restarts=self._restarts,
            max_task_retries=0,  # Ray would also do old steps again, for counts that were lost: calls are repeated here
            scheduling_strategy="SPREAD",
        )
        self.actors = [remote.remote(str(run.folder), number, self._cpus, code) for number in range(run.n_shards)]

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """What a method of some shards returns, in their order; of each argument one entry is for each shard."""
        deadline = time.monotonic() + self._timeout
        given = {number: own for number, *own in zip(shards, *arguments)}
        asked = {number: self._ask(number, method, given[number]) for number in given}
        results: dict[int, Any] = {}
        while len(results) < len(asked):
            waiting = {asked[number]: number for number in asked if number not in results}
            left = deadline - time.monotonic()
            ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=max(0.0, left))
            if left <= 0 and len(ready) < len(waiting):
                numbers = sorted(waiting.values())
                raise ClusterError(self._late(f"shard{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"))
            for number in [waiting[reference] for reference in ready]:
                try:
                    results[number] = self._result(number, asked[number])
                except _AgainError:
                    asked[number] = self._ask(number, method, given[number])
        return [results[number] for number in shards]

    def ask(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """References to what a method of some shards returns. A failure is seen by those who are given them."""
        return [self._ask(number, method, own, n_results) for number, own in zip(shards, given)]

    def keep(self, value: Any) -> Any:
        """A reference to something that lies here."""
        return self._ray.put(value)

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """What references stand for."""
        errors = self._ray.exceptions
        try:
            return list(self._ray.get(list(references), timeout=self._timeout))
        except errors.GetTimeoutError:
            raise ClusterError(self._late("some workers")) from None
        except errors.RayTaskError as error:
            raise self._reason(error) from error
        except (errors.ObjectLostError, errors.RayActorError) as error:
            raise CountsLostError from error

    def _ask(self, number: int, method: str, given: Sequence[Any], n_results: int = 1) -> Any:
        return self.actors[number].call.options(num_returns=n_results).remote(method, *given)

    def _result(self, number: int, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise self._reason(error) from error
        except (errors.ObjectLostError, errors.ActorUnavailableError) as error:  # gone with its node
            raise _AgainError from error
        except errors.RayActorError as error:
            raise ClusterError(self._lost(number)) from error

    def _reason(self, error: Any) -> BaseException:
        """Why a call failed; if not by itself, then since what it was given is gone."""
        errors, cause = self._ray.exceptions, error.cause
        while isinstance(cause, errors.RayTaskError):  # of a call that was to return what another was given
            cause = cause.cause
        return CountsLostError() if isinstance(cause, (errors.ObjectLostError, errors.RayActorError)) else cause

    def close(self) -> None:
        """End the actors, and Ray too if it was started for them."""
        with self._session:
            for actor in self.actors:
                self._ray.kill(actor)

    def _late(self, who: str) -> str:
        have = self._ray.cluster_resources().get("CPU", 0)
        return (
            f"no answer from {who} within `sweep_timeout={self._timeout:g}` seconds: {len(self.actors)} workers need "
            f"{len(self.actors) * self._cpus} CPUs, and the cluster has {have:g}; where a node was lost, add one and "
            "fit again with resume=True"
        )

    def _lost(self, number: int) -> str:
        return (
            f"the worker of shard {number} was lost more than `max_restarts={self._restarts}` times; "
            "if there is a `checkpoint_dir`, continue with `resume=True`"
        )

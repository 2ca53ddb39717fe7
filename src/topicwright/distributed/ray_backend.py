"""Backend that trains on a Ray cluster: one actor for each shard, which Ray restarts if it is lost."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from .._utils.atomic import StrPath
from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from ..errors import ClusterError, InputError, MissingExtraError
from .backend import Backend, MultiModelShard, open_shard
from .protocol import CountsLostError, unpickle_code
from .shard import Shard
from .sharding import RunDirectory

_logger = logging.getLogger("topicwright")
_SMALLEST, _LARGEST = 128 * 2**20, 4 * 2**30  # bytes of shared memory of a private cluster
_BYTES_A_COUNT = 64  # the table twice, and the replies of shards
_PATIENCE = 10.0  # seconds for a cluster to answer
_PRIVATE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on any system: listen on the loopback interface alone
    "RAY_AUTH_MODE": "token",
}


@contextmanager
def connect(address: str | None, n_cpus: int, n_counts: int) -> Iterator[Any]:
    """The connected Ray module; a cluster that was started here is stopped at the end."""
    if _is_initialized():
        yield _import_ray()
    elif address is None:
        with private_settings() as ray:
            memory = min(max(_SMALLEST, _BYTES_A_COUNT * n_counts), _LARGEST)
            processors = os.cpu_count() or 1
            if n_cpus > processors:
                _logger.info(
                    "%s worker threads share the %s processors of this machine: use fewer shards to save time",
                    n_cpus,
                    processors,
                )
            with _keep_sigterm():
                _start(ray, max(n_cpus, processors), memory)
            try:
                yield ray
            finally:
                ray.shutdown()
    else:
        ray = _import_ray()
        with _keep_sigterm():
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        try:
            yield ray
        finally:
            ray.shutdown()


def check_reachable(address: str | None) -> None:
    """Raise an error if Ray is not installed or no cluster answers at the address: Ray itself would wait forever."""
    ray = _import_ray()
    if address in (None, "local") or ray.is_initialized():
        return
    place = _auto_address() if address == "auto" else str(address)
    host, _, port = place.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError):
        known = address if place == address else f"{address} ({place or 'none was started on this machine'})"
        raise ClusterError(
            f"no Ray cluster answers at {known}: start one with ray start --head, or omit the address to start a "
            "private one"
        ) from None


def _auto_address() -> str:
    found = getattr(import_module("ray._private.utils"), "read_ray_address", str)
    return os.environ.get("RAY_ADDRESS") or found() or ""


@contextmanager
def _keep_sigterm() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces when it starts."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def private_settings() -> Iterator[Any]:
    """The Ray module with settings for a private cluster: loopback interface, access by a secret token."""
    wanted = {**_PRIVATE, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        ray = _import_ray()
        _reread_settings()
        yield ray
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        _reread_settings()


def _reread_settings() -> None:
    """Make Ray read the environment again, which it does only when it is imported."""
    try:
        constants: Any = import_module("ray._private.ray_constants")
        name, by_default = constants.ENABLE_RAY_CLUSTERS_ENV_VAR, not constants.IS_WINDOWS_OR_OSX
        constants.ENABLE_RAY_CLUSTER = constants.env_bool(name, by_default)
        inside: Any = import_module("ray._raylet")
        inside.Config.initialize("")
        inside.AuthenticationTokenLoader.instance().reset_cache()
    except (ImportError, AttributeError):  # not installed, or a version without tokens
        return


def _start(ray: Any, n_cpus: int, memory: int) -> None:
    ray.init(
        address="local",
        num_cpus=n_cpus,
        include_dashboard=False,
        object_store_memory=memory,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
    )


def _is_initialized() -> bool:
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtraError("ray", "cluster", "training on a cluster") from None
    return ray


class _RetryError(Exception):
    """A call has to be repeated."""


class RayBackend(Backend):
    """Backend that trains on a Ray cluster. Results equal those of :class:`DiskBackend` with the same shards.

    A lost worker or node is replaced as long as the cluster has resources, without changing the result. If the driver
    is lost, fit again with ``resume=True``.

    Parameters
    ----------
    address : str or None
        Address of the cluster, as for ``ray.init``: "auto" on one of its nodes. By default a private cluster is started
        on this machine and stopped at the end. If Ray is connected already, that connection is used.
    n_shards : int
        Number of shards and of workers. One for each node is a good start.
    cpus_per_worker : int
        Threads of a worker; best all processors of a node.
    checkpoint_dir : path or None
        Folder of the shards and their topics. With an ``address`` it must be on storage that all nodes share.
    sweep_timeout : float
        Seconds after which a sweep that has not ended raises an error.
    max_restarts : int
        Number of times that each worker may be lost; -1 for no limit.
    n_rounds : int or None
        As for :class:`DiskBackend`.

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
        """Raise an error if a parameter is invalid or the cluster cannot be reached."""
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
            n_counts = min(len(run.arrays["word_counts"]) * run.meta["n_topics"], int(run.arrays["word_counts"].sum()))
            ray = stack.enter_context(connect(self.address, run.n_shards * self.cpus_per_worker, n_counts))
            code = run.code.pickled(ray.cloudpickle.dumps)
            return RayWorkers(ray, self, run, code, stack.pop_all())


class Worker:
    """Ray actor of a shard, which is opened at the first call."""

    def __init__(self, folder: str, number: int, n_jobs: int, code: bytes) -> None:
        self._shard_arguments, self._code = (folder, number, n_jobs), code
        self._shard: Shard | MultiModelShard | None = None

    def call(self, method: str, *arguments: Any) -> Any:
        """Result of a method of the shard."""
        if self._shard is None:
            folder, number, n_jobs = self._shard_arguments
            if not Path(folder).is_dir():
                raise ClusterError(
                    f"a worker cannot find {folder}: `checkpoint_dir` must be on storage that all nodes share"
                )
            self._shard = open_shard(Path(folder), number, n_jobs=n_jobs, code=unpickle_code(self._code))
        return getattr(self._shard, method)(*arguments)


class RayWorkers:
    """Workers on a Ray cluster. A call is repeated if its actor is lost: methods of shards can be repeated."""

    def __init__(self, ray: Any, backend: RayBackend, run: RunDirectory, code: bytes, session: ExitStack) -> None:
        self._ray, self._session = ray, session
        self._timeout = float(backend.sweep_timeout)
        self._restarts, self._cpus = int(backend.max_restarts), int(backend.cpus_per_worker)
        remote = ray.remote(Worker).options(
            num_cpus=self._cpus,
            max_restarts=self._restarts,
            max_task_retries=0,  # Ray would also repeat old steps whose counts were lost: calls are repeated here
            scheduling_strategy="SPREAD",
        )
        self.actors = [remote.remote(str(run.folder), number, self._cpus, code) for number in range(run.n_shards)]

    def call(self, shards: Sequence[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Results of a method of some shards, in their order; each argument has one entry for each shard."""
        deadline = time.monotonic() + self._timeout
        given = {number: own for number, *own in zip(shards, *arguments)}
        asked = {number: self._submit(number, method, given[number]) for number in given}
        results: dict[int, Any] = {}
        while len(results) < len(asked):
            waiting = {asked[number]: number for number in asked if number not in results}
            left = deadline - time.monotonic()
            ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=max(0.0, left))
            if left <= 0 and len(ready) < len(waiting):
                numbers = sorted(waiting.values())
                raise ClusterError(
                    self._timeout_message(f"shard{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}")
                )
            for number in [waiting[reference] for reference in ready]:
                try:
                    results[number] = self._result(number, asked[number])
                except _RetryError:
                    asked[number] = self._submit(number, method, given[number])
        return [results[number] for number in shards]

    def submit(self, shards: Sequence[int], method: str, given: Sequence[Sequence[Any]], n_results: int) -> list[Any]:
        """References to the results of a method of some shards. ``fetch`` reports failures."""
        return [self._submit(number, method, own, n_results) for number, own in zip(shards, given)]

    def put(self, value: Any) -> Any:
        """Reference to a value in the memory of this node."""
        return self._ray.put(value)

    def fetch(self, references: Sequence[Any]) -> list[Any]:
        """Values of references."""
        errors = self._ray.exceptions
        try:
            return list(self._ray.get(list(references), timeout=self._timeout))
        except errors.GetTimeoutError:
            raise ClusterError(self._timeout_message("some workers")) from None
        except errors.RayTaskError as error:
            raise self._failure_cause(error) from error
        except (errors.ObjectLostError, errors.RayActorError) as error:
            raise CountsLostError from error

    def _submit(self, number: int, method: str, given: Sequence[Any], n_results: int = 1) -> Any:
        return self.actors[number].call.options(num_returns=n_results).remote(method, *given)

    def _result(self, number: int, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise self._failure_cause(error) from error
        except (errors.ObjectLostError, errors.ActorUnavailableError) as error:  # gone with its node
            raise _RetryError from error
        except errors.RayActorError as error:
            raise ClusterError(self._lost_message(number)) from error

    def _failure_cause(self, error: Any) -> BaseException:
        """Why a call failed: its own error, or the loss of an argument."""
        errors, cause = self._ray.exceptions, error.cause
        while isinstance(cause, errors.RayTaskError):  # of a call whose result was an argument of this one
            cause = cause.cause
        return CountsLostError() if isinstance(cause, (errors.ObjectLostError, errors.RayActorError)) else cause

    def close(self) -> None:
        """Stop the actors, and Ray if it was started for them."""
        with self._session:
            for actor in self.actors:
                self._ray.kill(actor)

    def _timeout_message(self, who: str) -> str:
        have = self._ray.cluster_resources().get("CPU", 0)
        return (
            f"no answer from {who} within `sweep_timeout={self._timeout:g}` seconds: {len(self.actors)} workers need "
            f"{len(self.actors) * self._cpus} CPUs, and the cluster has {have:g}; where a node was lost, add one and "
            "fit again with resume=True"
        )

    def _lost_message(self, number: int) -> str:
        return (
            f"the worker of shard {number} was lost more than `max_restarts={self._restarts}` times; "
            "if there is a `checkpoint_dir`, continue with `resume=True`"
        )

"""Connection to a Ray cluster, or a private cluster on this machine."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..errors import ClusterError, MissingExtraError

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

"""A connection to Ray, or a Ray of one's own that nobody else can reach."""

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
_SMALLEST, _LARGEST = 128 * 2**20, 4 * 2**30  # bytes of shared memory of a Ray that is started here
_BYTES_A_COUNT = 64  # the table twice, and what shards reply
_PATIENCE = 10.0  # seconds for a cluster to answer
_PRIVATE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on any system: listen on the loopback interface alone
    "RAY_AUTH_MODE": "token",
}


@contextmanager
def connected(address: str | None, n_cpus: int, n_counts: int) -> Iterator[Any]:
    """Ray, connected; what was started here is stopped at the end."""
    if _is_in_use():
        yield _import_ray()
    elif address is None:
        with private_settings() as ray:
            memory = min(max(_SMALLEST, _BYTES_A_COUNT * n_counts), _LARGEST)
            processors = os.cpu_count() or 1
            if n_cpus > processors:
                _logger.info(
                    "%s threads of workers share the %s processors of this machine: more shards than processors cost "
                    "time here, and change the answer a little",
                    n_cpus,
                    processors,
                )
            with _own_signals():
                _start(ray, max(n_cpus, processors), memory)
            try:
                yield ray
            finally:
                ray.shutdown()
    else:
        ray = _import_ray()
        with _own_signals():
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        try:
            yield ray
        finally:
            ray.shutdown()


def check_reachable(address: str | None) -> None:
    """An error where Ray is not installed, or nobody listens at an address: Ray itself would try for ever."""
    ray = _import_ray()
    if address in (None, "local") or ray.is_initialized():
        return
    place = _where_auto_leads() if address == "auto" else str(address)
    host, _, port = place.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, ValueError, OverflowError):
        known = address if place == address else f"{address} ({place or 'none was started on this machine'})"
        raise ClusterError(
            f"no Ray cluster answers at {known}: start one with ray start --head, or leave out the address to have one "
            "started here"
        ) from None


def _where_auto_leads() -> str:
    found = getattr(import_module("ray._private.utils"), "read_ray_address", str)
    return os.environ.get("RAY_ADDRESS") or found() or ""


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray takes SIGTERM for itself when it starts; it is given back to those who had plans for it."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def private_settings() -> Iterator[Any]:
    """Ray with settings under which what it starts listens to nobody but those who have a secret."""
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
    """Ray looks at the environment when it is imported, which may have been long ago."""
    try:
        constants: Any = import_module("ray._private.ray_constants")
        name, by_default = constants.ENABLE_RAY_CLUSTERS_ENV_VAR, not constants.IS_WINDOWS_OR_OSX
        constants.ENABLE_RAY_CLUSTER = constants.env_bool(name, by_default)
        inside: Any = import_module("ray._raylet")
        inside.Config.initialize("")
        inside.AuthenticationTokenLoader.instance().reset_cache()
    except (ImportError, AttributeError):  # not installed, or from before there were tokens
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


def _is_in_use() -> bool:
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtraError("ray", "cluster", "training on a cluster") from None
    return ray

"""A connection to Ray, or a Ray of one's own that nobody else can reach."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..errors import MissingExtraError

_SMALLEST, _LARGEST = 128 * 2**20, 4 * 2**30  # bytes of shared memory of a Ray that is started here
_BYTES_A_COUNT = 64  # the table twice, and what shards reply
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
            _start(ray, max(n_cpus, os.cpu_count() or 1), memory)
            try:
                yield ray
            finally:
                ray.shutdown()
    else:
        ray = _import_ray()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        try:
            yield ray
        finally:
            ray.shutdown()


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

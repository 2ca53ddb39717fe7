"""Resource limits of a process, so that a case cannot exhaust the machine."""

from __future__ import annotations

import resource

MEMORY = 8 * 2**30  # of addresses


def limit(kind: int, value: int) -> None:
    """Set a resource limit of this process."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, hard))


def limit_memory() -> None:
    """Limit the address space, and disable core dumps."""
    limit(resource.RLIMIT_AS, MEMORY)
    limit(resource.RLIMIT_CORE, 0)

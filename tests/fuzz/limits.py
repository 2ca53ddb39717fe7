"""Limits of a process: what wants more gets an error, and not the machine."""

from __future__ import annotations

import resource

MEMORY = 8 * 2**30  # of addresses


def limit(kind: int, value: int) -> None:
    """Set a limit of this process."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, hard))


def limit_memory() -> None:
    """No more memory than there should be need for, and no dump of it where it crashes."""
    limit(resource.RLIMIT_AS, MEMORY)
    limit(resource.RLIMIT_CORE, 0)

"""Training beyond one machine, and beyond its memory: shards on disk, a driver, and backends that bring them together.

A shard (``shard.py``) is some documents and their topics on disk. The driver (``driver.py``) gives all shards the
counts of words, takes what they changed, and sums. A backend says where shards run: in this process (``local.py``) or
on Ray.
"""

from __future__ import annotations

from ..samplers.job import Job
from .local import DiskBackend
from .ray_backend import RayBackend

__all__ = ["DiskBackend", "Job", "RayBackend"]

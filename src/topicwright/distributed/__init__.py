"""Distributed and out-of-core training.

The documents of a corpus are split into shards on disk (``sharding.py``, ``shard.py``). The driver (``driver.py``)
schedules which shard samples which words, and word counts pass from shard to shard (``block_counts.py``). A backend
runs the shards in this process (``disk_backend.py``) or on a Ray cluster (``ray_backend.py``).
"""

from __future__ import annotations

from .disk_backend import DiskBackend
from .ray_backend import RayBackend

__all__ = ["DiskBackend", "RayBackend"]

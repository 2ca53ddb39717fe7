"""Training beyond one machine, and beyond its memory: shards on disk, a driver, and backends that bring them together.

A shard (``shard.py``) is some documents and their topics on disk. The driver (``driver.py``) says which words each
draws when, and counts go from one to the next. A backend says where shards run: in this process (``local.py``) or on
Ray (``ray_backend.py``).
"""

from __future__ import annotations

from .disk_backend import DiskBackend
from .ray_backend import RayBackend

__all__ = ["DiskBackend", "RayBackend"]

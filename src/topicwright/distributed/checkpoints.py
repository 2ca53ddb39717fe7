"""Checkpoints of a shard: the topic assignments of the last two steps of each block of words.

A step changes the assignments of one block of words and writes them. The last two generations of each block are stored,
so that the changes of a step can be computed again after it was done.

A worker that was given up may still be running. Therefore every start of a shard is an attempt with its own folder, and
only the latest attempt may write. Once it has two generations of its own, the folders of earlier attempts are removed.
An attempt reads the files of any attempt: assignments follow from (run, shard, step), so all attempts that wrote a step
wrote the same.
"""

from __future__ import annotations

import re
import shutil
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.atomic import atomic_write
from ..errors import ClusterError

_N_GENERATIONS = 2  # of each block
_SMALL = 4096  # bytes; smaller files are read, not mapped: an empty array cannot be mapped
_HEADERS = threading.Lock()  # NumPy parses headers by `ast`, which fails at times in several threads of Python 3.11
_FILE_NAME = re.compile(r"attempt-(\d+)/z-(\d+)-(\d+)\.npy$")


class _Checkpoint(NamedTuple):
    """File with the assignments of a block after a step. Files sort by step, then by attempt."""

    step: int
    attempt: int
    block: int
    path: Path


class ShardCheckpoints:
    """Reader of the checkpoints of a shard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def newest(self) -> int | None:
        """Last step that was written; None if there is none."""
        return max((file.step for file in self._files()), default=None)

    def read(self, block: int, step: int) -> NDArray[np.uint32] | None:
        """Assignments of a block after a step; None if nothing was written up to that step."""
        found = max((file for file in self._files() if file.block == block and file.step <= step), default=None)
        return None if found is None else load(found.path).astype(np.uint32)

    def attempts(self) -> list[int]:
        """Numbers of the attempts of this shard."""
        return sorted(int(path.name[8:]) for path in self.folder.glob("attempt-*"))

    def _files(self) -> list[_Checkpoint]:
        found = [(_FILE_NAME.search(path.as_posix()), path) for path in self.folder.glob("attempt-*/z-*.npy")]
        return [_Checkpoint(int(name[3]), int(name[1]), int(name[2]), path) for name, path in found if name]


class Attempt(ShardCheckpoints):
    """Writer of the checkpoints of a shard; creating one bars all earlier attempts from writing."""

    def __init__(self, folder: Path, n_blocks: int, *, is_durable: bool = True) -> None:
        super().__init__(folder)
        self._n_blocks, self._is_durable = n_blocks, is_durable
        while True:
            self.number = max(self.attempts(), default=0) + 1
            self._own = folder / f"attempt-{self.number:06d}"
            try:
                self._own.mkdir()
                break
            except FileExistsError:  # another process was faster: take the next number
                continue

    def write(self, block: int, step: int, topics: NDArray[np.uint32], n_topics: int) -> None:
        """Store the assignments of a block after a step, and remove all but the last two generations."""
        latest = max(self.attempts(), default=0)
        if latest != self.number:
            raise ClusterError(
                f"{self.folder}: attempt {self.number} cannot write, because attempt {latest} has taken over this shard"
            )
        path = self._own / f"z-{block:03d}-{step:010d}.npy"
        save(path, topics.astype(np.min_scalar_type(n_topics)), is_durable=self._is_durable)
        self._remove_old(block)

    def _remove_old(self, block: int) -> None:
        own = sorted(file for file in self._files() if file.attempt == self.number)
        for file in [file for file in own if file.block == block][:-_N_GENERATIONS]:
            file.path.unlink()
        if len(own) >= _N_GENERATIONS * self._n_blocks:
            for number in self.attempts():
                if number < self.number:
                    shutil.rmtree(self.folder / f"attempt-{number:06d}", ignore_errors=True)


def save(path: Path, array: NDArray[Any], *, is_durable: bool = True) -> None:
    """Write an array atomically."""
    with atomic_write(path, durable=is_durable) as file:
        np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)


def load(path: Path) -> NDArray[Any]:
    """Array mapped from disk; changes are not written back."""
    is_small = path.stat().st_size <= _SMALL
    try:
        with _HEADERS:
            return np.asarray(np.load(path, mmap_mode=None if is_small else "c", allow_pickle=False))
    except (ValueError, EOFError):
        raise ClusterError(f"{path} is damaged: it is not a whole array") from None

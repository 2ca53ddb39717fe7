"""The topics of a shard on disk: two generations, each whole or not there, and no way for a lost worker to write.

A step changes the topics of one block of words, and writes those. Of each block the last two are kept, so that what a
step changed can be told again after it was done.

A worker that is thought dead may still be running. So every life of a shard is an attempt with a folder of its own, and
the one that came last is the one that counts: an earlier one is refused when it wants to write, and once the last has
two generations of its own, the folders of the earlier ones are gone. What an attempt reads may be of any: topics follow
from (run, shard, step), so all that have written a step have written the same.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.atomic import atomic_write
from ..errors import ClusterError

_KEPT = 2  # generations
_SMALL = 4096  # bytes of a file that is read at once; an empty array could not be mapped
_NAME = re.compile(r"attempt-(\d+)/z-(\d+)-(\d+)\.npy$")


class _Checkpoint(NamedTuple):
    """A file with the topics of a block after a step; the order is that of steps, then of attempts."""

    step: int
    attempt: int
    block: int
    path: Path


class Generations:
    """What is on disk of the topics of a shard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def newest(self) -> int | None:
        """The last step that was written; None if none was."""
        return max((kept.step for kept in self._kept()), default=None)

    def read(self, block: int, step: int) -> NDArray[np.uint32] | None:
        """The topics of a block as they were after a step; None where nothing was written until then."""
        found = max((kept for kept in self._kept() if kept.block == block and kept.step <= step), default=None)
        return None if found is None else load(found.path).astype(np.uint32)

    def attempts(self) -> list[int]:
        """The numbers of the lives that this shard has had."""
        return sorted(int(path.name[8:]) for path in self.folder.glob("attempt-*"))

    def _kept(self) -> list[_Checkpoint]:
        found = [(_NAME.search(path.as_posix()), path) for path in self.folder.glob("attempt-*/z-*.npy")]
        return [_Checkpoint(int(name[3]), int(name[1]), int(name[2]), path) for name, path in found if name]


class Attempt(Generations):
    """One life of a shard, the only one that may write from now on."""

    def __init__(self, folder: Path, n_blocks: int, *, lasting: bool = True) -> None:
        super().__init__(folder)
        self._n_blocks, self._lasting = n_blocks, lasting
        while True:
            self.number = max(self.attempts(), default=0) + 1
            self._own = folder / f"attempt-{self.number:06d}"
            try:
                self._own.mkdir()
                break
            except FileExistsError:  # another was quicker: it is older now
                continue

    def write(self, block: int, step: int, topics: NDArray[np.uint32], n_topics: int) -> None:
        """Keep the topics of a block after a step, and those that it had before."""
        latest = max(self.attempts(), default=0)
        if latest != self.number:
            raise ClusterError(
                f"{self.folder}: attempt {self.number} can't write, since attempt {latest} has taken this shard over"
            )
        path = self._own / f"z-{block:03d}-{step:010d}.npy"
        save(path, topics.astype(np.min_scalar_type(n_topics)), lasting=self._lasting)
        self._forget(block)

    def _forget(self, block: int) -> None:
        own = sorted(kept for kept in self._kept() if kept.attempt == self.number)
        for kept in [kept for kept in own if kept.block == block][:-_KEPT]:
            kept.path.unlink()
        if len(own) >= _KEPT * self._n_blocks:
            for number in self.attempts():
                if number < self.number:
                    shutil.rmtree(self.folder / f"attempt-{number:06d}", ignore_errors=True)


def save(path: Path, array: NDArray[Any], *, lasting: bool = True) -> None:
    """Write an array, all or nothing."""
    with atomic_write(path, durable=lasting) as file:
        np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)


def load(path: Path) -> NDArray[Any]:
    """An array as it lies on disk: what is not looked at is not read, and what is changed is not written back."""
    is_small = path.stat().st_size <= _SMALL
    try:
        return np.asarray(np.load(path, mmap_mode=None if is_small else "c", allow_pickle=False))
    except (ValueError, EOFError):
        raise ClusterError(f"{path} is damaged: it is not a whole array") from None

"""The topics of a shard on disk: two generations, each whole or not there, and no way for a lost worker to write.

A worker that is thought dead may still be running. So every life of a shard is an attempt with a folder of its own, and
the one that came last is the one that counts: an earlier one is refused when it wants to write, and once the last has
two generations of its own, the folders of the earlier ones are gone. What an attempt reads may be of any: topics follow
from (run, shard, sweep), so all that have written a sweep have written the same.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ClusterError
from ..io.replacing import replacing

_KEPT = 2  # generations
_SMALL = 4096  # bytes of a file that is read at once; an empty array could not be mapped


class Generations:
    """What is on disk of the topics of a shard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def newest(self) -> int | None:
        """The last sweep that was written; None if none was."""
        return max(self.sweeps(), default=None)

    def sweeps(self) -> list[int]:
        """The sweeps that can be read."""
        return sorted({int(path.stem[2:]) for path in self.folder.glob("attempt-*/z-*.npy")})

    def read(self, sweep: int) -> NDArray[np.uint32]:
        """The topics after a sweep."""
        for path in sorted(self.folder.glob(f"attempt-*/{_name(sweep)}"), reverse=True):
            return load(path).astype(np.uint32)
        raise ClusterError(f"{self.folder} has no topics of sweep {sweep}: it has those of {self.sweeps()}")

    def attempts(self) -> list[int]:
        """The numbers of the lives that this shard has had."""
        return sorted(int(path.name[8:]) for path in self.folder.glob("attempt-*"))


class Attempt(Generations):
    """One life of a shard, the only one that may write from now on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        while True:
            self.number = max(self.attempts(), default=0) + 1
            self._own = folder / f"attempt-{self.number:06d}"
            try:
                self._own.mkdir()
                break
            except FileExistsError:  # another was quicker: it is older now
                continue

    def write(self, sweep: int, topics: NDArray[np.uint32], n_topics: int) -> None:
        """Keep the topics after a sweep, and those of the sweep before."""
        latest = max(self.attempts(), default=0)
        if latest != self.number:
            raise ClusterError(
                f"{self.folder}: attempt {self.number} can't write, since attempt {latest} has taken this shard over"
            )
        save(self._own / _name(sweep), topics.astype(np.min_scalar_type(n_topics)))
        self._forget()

    def _forget(self) -> None:
        own = sorted(self._own.glob("z-*.npy"))
        for path in own[:-_KEPT]:
            path.unlink()
        if len(own) >= _KEPT:
            for number in self.attempts():
                if number < self.number:
                    shutil.rmtree(self.folder / f"attempt-{number:06d}", ignore_errors=True)


def _name(sweep: int) -> str:
    return f"z-{sweep:08d}.npy"


def save(path: Path, array: NDArray[Any]) -> None:
    """Write an array, all or nothing."""
    with replacing(path) as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)


def load(path: Path) -> NDArray[Any]:
    """An array as it lies on disk: what is not looked at is not read, and what is changed is not written back."""
    is_small = path.stat().st_size <= _SMALL
    try:
        return np.asarray(np.load(path, mmap_mode=None if is_small else "c", allow_pickle=False))
    except (ValueError, EOFError):
        raise ClusterError(f"{path} is damaged: it is not a whole array") from None

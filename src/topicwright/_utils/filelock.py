"""One process at a time for files that are read, changed and written again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import InputError

if sys.platform == "win32":
    import msvcrt

    def lock(handle: int) -> None:
        """Hold an open file until it is closed; an ``OSError`` where another process holds it."""
        os.lseek(handle, 2**30, os.SEEK_SET)  # beyond all contents, so that they can still be read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(handle: int) -> None:
        """Hold an open file until it is closed; an ``OSError`` where another process holds it."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def file_lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other processes that ask for the same from ``path`` for the time of the block.

    The lock is a small hidden file beside it, since ``path`` itself is replaced by new ones. The system lets go of it
    when the process ends, however it ends.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, file_lock(f"{folder}/model.tw"):  # doctest: +ELLIPSIS
    ...     with file_lock(f"{folder}/model.tw"):
    ...         pass
    Traceback (most recent call last):
    topicwright.errors.InputError: ...model.tw is in use by another process: wait for it to end, or give another file
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.lock")
    handle = _held(beside, path)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open; it is only a lock while somebody holds it
            beside.unlink()
        os.close(handle)


def _held(beside: Path, path: str | os.PathLike[str]) -> int:
    while True:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(handle)
        except OSError:
            os.close(handle)
            raise InputError(
                f"{os.fspath(path)} is in use by another process: wait for it to end, or give another file"
            ) from None
        if _is_still(beside, handle):
            return handle
        os.close(handle)  # whoever held it removed it after we had opened it


def _is_still(beside: Path, handle: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(beside), os.fstat(handle))
    return False

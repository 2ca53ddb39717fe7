"""Advisory file lock: one process at a time for files that are read, changed and written."""

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
        """Lock an open file until it is closed; an ``OSError`` if another process has locked it."""
        os.lseek(handle, 2**30, os.SEEK_SET)  # beyond the contents, so that they can still be read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(handle: int) -> None:
        """Lock an open file until it is closed; an ``OSError`` if another process has locked it."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def file_lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lock ``path`` against other processes that lock it, for the time of the block.

    The lock is a hidden file next to it, since ``path`` itself is replaced by new files. The system releases it when
    the process ends for any reason.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, file_lock(f"{folder}/model.tw"):  # doctest: +ELLIPSIS
    ...     with file_lock(f"{folder}/model.tw"):
    ...         pass
    Traceback (most recent call last):
    topicwright.errors.InputError: ...model.tw is in use by another process: wait for it to end, or choose another file
    """
    target = Path(os.path.realpath(path))
    lock_file = target.with_name(f".{target.name}.lock")
    handle = _acquire(lock_file, path)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows does not remove open files; the file alone is no lock
            lock_file.unlink()
        os.close(handle)


def _acquire(lock_file: Path, path: str | os.PathLike[str]) -> int:
    while True:
        handle = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(handle)
        except OSError:
            os.close(handle)
            raise InputError(
                f"{os.fspath(path)} is in use by another process: wait for it to end, or choose another file"
            ) from None
        if _is_same_file(lock_file, handle):
            return handle
        os.close(handle)  # its owner removed it after it was opened here


def _is_same_file(lock_file: Path, handle: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(lock_file), os.fstat(handle))
    return False

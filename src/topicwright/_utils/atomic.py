"""Atomic writes: a file has either its old contents or all of the new ones."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

StrPath = str | os.PathLike[str]
_PREFIX = "cannot write the file: "
_STALE_AFTER = 600.0  # seconds without a write to a temporary file


@contextmanager
def atomic_write(path: StrPath, *, durable: bool = True) -> Iterator[BinaryIO]:
    """New binary file that replaces ``path`` at the end of the block, unless there is an error.

    The target of a symbolic link is replaced, and an existing file keeps its permissions. Devices and pipes such as
    ``/dev/stdout`` cannot be replaced and are written directly.

    Parameters
    ----------
    path : path-like
        The file to write.
    durable : bool
        Whether the file must survive a power failure. If not, writing is faster, and still safe if the process is
        killed.

    Examples
    --------
    >>> import tempfile
    >>> from topicwright._utils.atomic import atomic_write
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with atomic_write(Path(directory) / "greeting.txt") as file:
    ...         _ = file.write(b"hello")
    ...     (Path(directory) / "greeting.txt").read_text()
    'hello'
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            with open(path, "wb") as file:
                yield file
            return
        with _replace_when_done(target, _checked_mode(target), durable) as file:
            yield file
    except OSError as error:
        if error.errno is None or (error.strerror or "").startswith(_PREFIX):  # of another file, inside the block
            raise
        _fail(error.errno, error.strerror or str(error), os.fspath(path), error)


@contextmanager
def _replace_when_done(target: Path, mode: int | None, durable: bool) -> Iterator[BinaryIO]:
    temporary = target.parent / f".topicwright-{secrets.token_hex(8)}.tmp"  # short, since names have a limited length
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:  # also after Ctrl-C
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(target.parent)


def remove_leftovers(path: StrPath) -> None:
    """Remove temporary files next to ``path`` that killed processes left behind."""
    with suppress(OSError):
        for left in Path(os.path.realpath(path)).parent.glob(f".topicwright-{'[0-9a-f]' * 16}.tmp"):
            if time.time() - left.stat().st_mtime > _STALE_AFTER:
                left.unlink()


def _checked_mode(target: Path) -> int | None:
    """Mode of the existing file, or None; an error if it cannot be written."""
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the directory {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory, expected a file name")
    if not target.exists():
        return None
    with open(target, "r+b"):  # a rename would replace a read-only file
        return target.stat().st_mode


def sync_directory(directory: Path) -> None:
    """Flush the names in a directory to disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _fail(number: int, reason: str, path: str, cause: OSError) -> NoReturn:
    raise OSError(number, f"{_PREFIX}{reason}", path) from cause

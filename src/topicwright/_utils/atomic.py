"""Writing a file so that its place holds the old contents or all of the new ones, never a part."""

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
_TOLD = "cannot write the file: "
_LEFT_AFTER = 600.0  # seconds in which nobody has written to a temporary file


@contextmanager
def atomic_write(path: StrPath, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A new binary file that takes the place of ``path`` when the block ends well, and vanishes otherwise.

    A link keeps pointing where it points, and an existing file keeps its permissions. Devices and pipes such
    as ``/dev/stdout`` can't be replaced, so they are written directly. What need not be ``durable``, that is last
    through a power cut, is quicker to write; a process that is killed can't hurt that either.

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
        with _renamed_when_done(target, _checked_mode(target), durable) as file:
            yield file
    except OSError as error:
        if error.errno is None or (error.strerror or "").startswith(_TOLD):  # by another file, inside the block
            raise
        _fail(error.errno, error.strerror or str(error), os.fspath(path), error)


@contextmanager
def _renamed_when_done(target: Path, mode: int | None, durable: bool) -> Iterator[BinaryIO]:
    temporary = target.parent / f".topicwright-{secrets.token_hex(8)}.tmp"  # short: a long name has no room for more
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:  # Ctrl-C leaves nothing behind either
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(target.parent)


def remove_leftovers(path: StrPath) -> None:
    """Remove the temporary files beside ``path`` of processes that were killed while they wrote."""
    with suppress(OSError):
        for left in Path(os.path.realpath(path)).parent.glob(f".topicwright-{'[0-9a-f]' * 16}.tmp"):
            if time.time() - left.stat().st_mtime > _LEFT_AFTER:
                left.unlink()


def _checked_mode(target: Path) -> int | None:
    """The mode of what is there now, or None; an error where a file can't be written."""
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, f"the directory {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory, expected a file name")
    if not target.exists():
        return None
    with open(target, "r+b"):  # a rename would not mind that the file is read-only, its owner would
        return target.stat().st_mode


def sync_directory(directory: Path) -> None:
    """Make the names in a directory last through a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _fail(number: int, reason: str, path: str, cause: OSError) -> NoReturn:
    raise OSError(number, f"{_TOLD}{reason}", path) from cause

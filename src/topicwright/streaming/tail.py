"""Files, pipes and standard input that call back while they wait for data."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, BinaryIO

from ..corpus.formats.files import open_bytes, source_name, split_compression
from ..errors import InputError

_BUFFER = 1 << 16
POLL_SECONDS = 0.2
"""Seconds between two polls."""

Idle = Callable[[], bool]
"""Callback while waiting; False ends the waiting."""


class WaitCancelledError(Exception):
    """The waiting was cancelled; an incomplete line may have been read."""


class CallbackError(Exception):
    """The callback failed, not the source; the cause is the original error."""


def wait(idle: Idle) -> None:
    """Call back while waiting."""
    try:
        continues = idle()
    except OSError as error:  # readers of compressed files would report it as damage
        raise CallbackError from error
    if not continues:
        raise WaitCancelledError


class Pipe(io.RawIOBase):
    """Raw stream of a pipe, a terminal or a device."""

    def __init__(self, file: io.FileIO, name: str, idle: Idle) -> None:
        self._file, self.name, self._idle = file, name, idle

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as any raw stream; calls back while waiting."""
        while True:
            while not _is_ready(self._file.fileno()):
                wait(self._idle)
            n = self._file.readinto(buffer)
            if n is not None:  # None if another reader was faster
                return n

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def _is_ready(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], POLL_SECONDS)[0])
    except (OSError, ValueError):  # unknown, as with pipes on Windows
        return True


class GrowingFile(io.RawIOBase):
    """Raw stream of a file that other processes write to; it ends when the file is replaced or truncated."""

    def __init__(self, path: str, idle: Idle) -> None:
        self._file = io.FileIO(path)
        self.name, self._idle = path, idle
        self.was_truncated = False
        self._n_replaced = 0  # consecutive polls that found another file of the name and no more data in this one

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Change the position."""
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """Read as any raw stream; waits for more at the end."""
        while not self.was_truncated:
            is_replaced = self._is_replaced()
            n = self._file.readinto(buffer)
            if n:
                self._n_replaced = 0
                return n
            self.was_truncated = os.fstat(self._file.fileno()).st_size < self._file.tell()
            self._n_replaced += is_replaced
            if self._n_replaced > 1:  # one more poll, since the writer may need a moment to switch files
                return 0
            if not self.was_truncated:
                wait(self._idle)
                time.sleep(POLL_SECONDS)
        return 0

    def _is_replaced(self) -> bool:
        try:
            there, ours = os.stat(self.name), os.fstat(self._file.fileno())
        except FileNotFoundError:  # moved, and the new file does not exist yet
            return False
        return (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def open_source(name: str, idle: Idle, stack: ExitStack) -> BinaryIO:
    """Open the decompressed bytes of a file or of standard input; the stack closes them."""
    raw: Any
    if name == "-":
        raw = Pipe(_standard_input(), source_name("-"), idle)
    else:
        raw = _open_file(name)
        if not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
            raw = Pipe(raw, name, idle)
    buffered = stack.enter_context(io.BufferedReader(raw, _BUFFER))
    return stack.enter_context(open_bytes(buffered))


def open_growing(name: str, idle: Idle, stack: ExitStack) -> tuple[BinaryIO, GrowingFile]:
    """Open a growing file; returns its buffered reader and the raw stream."""
    if name == "-":
        raise InputError("standard input cannot be followed: use `follow` with a file", parameter="follow")
    if split_compression(name)[1]:
        raise InputError(f"a compressed file cannot be followed: got {name}", parameter="follow")
    with _open_file(name) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError(f"{name} is a pipe or a device: use `follow` with a file", parameter="follow")
    growing = GrowingFile(name, idle)
    return stack.enter_context(io.BufferedReader(growing, _BUFFER)), growing


def wait_for_file(name: str, idle: Idle) -> None:
    """Wait until a file exists."""
    while not os.path.exists(name):
        wait(idle)
        time.sleep(POLL_SECONDS)


def _open_file(name: str) -> io.FileIO:
    try:
        return io.FileIO(name)
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        raise InputError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def _standard_input() -> io.FileIO:
    if sys.stdin is None:
        raise InputError("standard input is closed: pass a file or a pipe")
    return io.FileIO(sys.stdin.fileno(), closefd=False)

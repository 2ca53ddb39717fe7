"""Files, pipes and standard input, opened so that nothing is waited for in vain."""

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

PAUSE = 0.2
"""Seconds between two looks."""

Idle = Callable[[], bool]
"""What is called while nothing comes; False ends the waiting."""


class WaitCancelledError(Exception):
    """The waiting was ended; half a line may be left behind."""


class CallbackError(Exception):
    """What was done meanwhile has failed, which is no fault of the source; the cause tells what it was."""


def wait(idle: Idle) -> None:
    """Do what there is to do meanwhile."""
    try:
        goes_on = idle()
    except OSError as error:  # who reads a packed file would take it for damage
        raise CallbackError from error
    if not goes_on:
        raise WaitCancelledError


class Pipe(io.RawIOBase):
    """A pipe, a terminal or a device."""

    def __init__(self, file: io.FileIO, name: str, idle: Idle) -> None:
        self._file, self.name, self._idle = file, name, idle

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As every raw stream."""
        while True:
            while not _is_ready(self._file.fileno()):
                wait(self._idle)
            n = self._file.readinto(buffer)
            if n is not None:  # it is, where somebody else was quicker
                return n

    def close(self) -> None:
        """Close the file, if it is ours."""
        self._file.close()
        super().close()


def _is_ready(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], PAUSE)[0])
    except (OSError, ValueError):  # it can't be told: as with pipes on Windows
        return True


class GrowingFile(io.RawIOBase):
    """A file that others write to. It ends where another has taken its name, or where it was cut short."""

    def __init__(self, path: str, idle: Idle) -> None:
        self._file = io.FileIO(path)
        self.name, self._idle = path, idle
        self.was_cut = False
        self._n_looks = 0  # one after the other that found another file under the name, and nothing more in this one

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """As every raw stream."""
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """As every raw stream, but that it waits for more at the end."""
        while not self.was_cut:
            is_replaced = self._is_replaced()
            n = self._file.readinto(buffer)
            if n:
                self._n_looks = 0
                return n
            self.was_cut = os.fstat(self._file.fileno()).st_size < self._file.tell()
            self._n_looks += is_replaced
            if self._n_looks > 1:  # one more, since its writer may need a moment to turn to the new one
                return 0
            if not self.was_cut:
                wait(self._idle)
                time.sleep(PAUSE)
        return 0

    def _is_replaced(self) -> bool:
        try:
            there, ours = os.stat(self.name), os.fstat(self._file.fileno())
        except FileNotFoundError:  # moved away, and the new one is not there yet
            return False
        return (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


_BUFFER = 1 << 16


def open_source(name: str, idle: Idle, stack: ExitStack) -> BinaryIO:
    """The unpacked bytes of a file or of standard input, which the stack is to close."""
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
    """A file to be followed, also without the reader's buffer."""
    if name == "-":
        raise InputError("standard input is read as it comes: follow goes with a file")
    if split_compression(name)[1]:
        raise InputError(f"a packed file can't be followed, since it ends: got {name}")
    with _open_file(name) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError(f"{name} is a pipe or a device, which is read as it comes: follow goes with a file")
    growing = GrowingFile(name, idle)
    return stack.enter_context(io.BufferedReader(growing, _BUFFER)), growing


def wait_for_file(name: str, idle: Idle) -> None:
    """Until there is one."""
    while not os.path.exists(name):
        wait(idle)
        time.sleep(PAUSE)


def _open_file(name: str) -> io.FileIO:
    try:
        return io.FileIO(name)
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        raise InputError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def _standard_input() -> io.FileIO:
    if sys.stdin is None:
        raise InputError("standard input is closed: give a file, or a pipe")
    return io.FileIO(sys.stdin.fileno(), closefd=False)

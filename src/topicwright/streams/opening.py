"""Files, pipes and standard input, opened so that nothing is waited for in vain."""

from __future__ import annotations

import io
import os
import stat
import sys
import time
from contextlib import ExitStack
from typing import Any, BinaryIO

from ..corpus.files import name_of, open_bytes, split_compression
from ..errors import InputError
from .waiting import PAUSE, GrowingFile, Idle, Pipe, wait

_BUFFER = 1 << 16


def open_source(name: str, idle: Idle, stack: ExitStack) -> BinaryIO:
    """The unpacked bytes of a file or of standard input, which the stack is to close."""
    raw: Any
    if name == "-":
        raw = Pipe(_standard_input(), name_of("-"), idle)
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

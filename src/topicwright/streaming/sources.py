"""Sources of a stream: lines with positions that can be resumed, from files that may still grow."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import Any, BinaryIO, NamedTuple, NoReturn

from .._utils.deprecation import deprecated_keywords
from .._utils.validation import check_integer
from ..corpus.formats.files import open_bytes, report_damage, source_name, split_compression
from ..errors import InputError
from ..models.online.state import SourcePosition

_BUFFER = 1 << 16
POLL_SECONDS = 0.2
"""Seconds between two polls."""

Idle = Callable[[], bool]
"""Callback while waiting; False ends the waiting."""


class WaitCancelledError(Exception):
    """The waiting was canceled; an incomplete line may have been read."""


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


_CHUNK = 1 << 20
_MOVED_HINT = "if the file was moved, read its rest first, under its new name"
_NEW_HINT = "to read it from its first line, pass `new=True`"


class Line(NamedTuple):
    """A line of a source."""

    data: bytes
    """Bytes without the line end; of a line that is too long only the beginning."""
    position: SourcePosition
    """Position after the line."""
    is_whole: bool
    """False if the line is too long."""
    is_ended: bool
    """Whether it ends with a newline; the last line of a file may not."""


class SourceRotated(NamedTuple):
    """Reading continues with another file of the same name."""

    position: SourcePosition
    """Start of the new file."""
    was_truncated: bool
    """Whether the file was truncated; otherwise it was replaced."""


class _RawLine(NamedTuple):
    data: bytes
    digest: str
    length: int
    is_whole: bool
    is_ended: bool


class Source:
    """Lines of a file, compressed or not, or of standard input.

    Parameters
    ----------
    name : path, or "-" for standard input
    follow : bool
        Wait for more at the end of a file. An incomplete last line is not read until its end arrives. If the file is
        replaced or truncated, reading continues with the first line of the new file.
    new : bool
        Start with the first line, whatever was read before.
    max_line_bytes : int
        Maximum bytes of a line; longer ones are bad.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with open(f"{directory}/lines", "w") as file:
    ...         _ = file.write("one\\ntwo\\n")
    ...     with Source(f"{directory}/lines") as source:
    ...         _ = source.find_position([])
    ...         first, second = source
    ...     with Source(f"{directory}/lines") as again:
    ...         again.find_position([first.position]).lines, [line.data for line in again]
    (1, [b'two'])
    """

    @deprecated_keywords(longest="max_line_bytes")
    def __init__(
        self, name: str | os.PathLike[str], *, follow: bool = False, new: bool = False, max_line_bytes: int = 10_000_000
    ) -> None:
        self.name, self.follow, self.new = os.fspath(name), follow, new
        self._max_line_bytes = check_integer("max_line_bytes", max_line_bytes, 1)
        self._stack = ExitStack()
        self._file: BinaryIO = io.BytesIO()  # until the source is opened
        self._has_begun = False
        self._growing: GrowingFile | None = None
        self._idle: Idle = lambda: True
        self._first_line: _RawLine | None = None  # read in advance to recognize the source

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def title(self) -> str:
        """Name in messages."""
        return source_name(self.name)

    def size(self) -> int | None:
        """Bytes of an uncompressed file; None if unknown."""
        is_plain = isinstance(getattr(self._file, "raw", None), (io.FileIO, GrowingFile))
        try:
            return os.stat(self.name).st_size if is_plain else None
        except OSError:  # it was moved
            return None

    def __iter__(self) -> Iterator[Line | SourceRotated]:
        if not self._has_begun:
            self.find_position([])
        try:
            while (raw := self._next_raw_line()) is not None or self.follow:
                if raw is None:
                    yield self._rotate()
                elif raw.is_ended or self._growing is None or not self._growing.was_truncated:
                    yield self._line(raw)
        except WaitCancelledError:
            return

    # ------------------------------------------------------------------ resuming

    def find_position(self, positions: Sequence[SourcePosition], idle: Idle = lambda: True) -> SourcePosition | None:
        """Open the source, and resume it if it was read before.

        A source is recognized by its first line and by the last line that was read.

        Parameters
        ----------
        positions : sequence of SourcePosition
            Last positions in all sources that were read before.
        idle : callable
            Called while waiting; False ends the waiting.

        Returns
        -------
        SourcePosition or None
            Position to continue from; None if the waiting was ended.
        """
        self._idle, self._position, self._has_begun = idle, SourcePosition(self.name), True
        earlier = [] if self.new else [position for position in positions if position.first]
        last = earlier[-1] if earlier and earlier[-1] is positions[-1] and positions[-1].name == self.name else None
        try:
            self._open()
            size = self.size()
            if last is not None and size is not None and size < last.offset:
                self._reject(
                    f"is shorter than the file of this name that was read up to line {last.lines:,}: {_MOVED_HINT}"
                )
            first = self._first_line = self._next_raw_line()
            same = [old for old in reversed(earlier) if first is not None and old.first == first.digest]
            if first is not None and same:
                self._first_line = None
                self._resume_at(same[0], first)
            elif last is not None and self.name != "-":
                self._reject(f"is not the file of this name that was read up to line {last.lines:,}: {_MOVED_HINT}")
        except WaitCancelledError:
            return None
        return self._position

    def _open(self) -> None:
        if self.follow:
            self._file, self._growing = open_growing(self.name, self._idle, self._stack)
        else:
            self._file = open_source(self.name, self._idle, self._stack)

    def _resume_at(self, position: SourcePosition, first: _RawLine) -> None:
        is_ended = first.is_ended
        if position.lines > 1:
            self._skip(position.offset - position.length - first.length)
            digest, n, is_ended = self._hash_next(position.length)
            if n < position.length:
                self._reject(f"starts as before, but ends before line {position.lines:,}, up to which it was read")
            if digest != position.last:
                self._reject(f"starts as before, but line {position.lines:,}, the last one that was read, has changed")
        # Text after a last line that was read without its end belongs to that line.
        lines, offset = position.lines - (not is_ended), max(position.offset, first.length)
        self._position = position._replace(name=self.name, lines=lines, offset=offset)

    def _skip(self, n: int) -> None:
        if self._file.seekable():
            self._file.seek(max(n, 0), os.SEEK_CUR)
            return
        while n > 0 and (data := self._read(min(n, _CHUNK))):
            n -= len(data)

    def _hash_next(self, n: int) -> tuple[str, int, bool]:
        """Hash of the next n bytes, their number, and whether they end a line."""
        digest, done, data = _new_hash(), 0, b""
        while done < n and (more := self._read(min(n - done, _CHUNK))):
            digest.update(more.removesuffix(b"\n"))
            done, data = done + len(more), more
        return digest.hexdigest(), done, data.endswith(b"\n")

    def _reject(self, reason: str) -> NoReturn:
        raise InputError(f"{self.title} {reason}; {_NEW_HINT}", parameter="new", where=self.title)

    # ------------------------------------------------------------------ reading

    def _line(self, raw: _RawLine) -> Line:
        position = self._position
        self._position = SourcePosition(
            self.name,
            position.lines + 1,
            position.offset + raw.length,
            position.first or raw.digest,
            raw.digest,
            raw.length,
        )
        data = raw.data.removeprefix(b"\xef\xbb\xbf") if position.offset == 0 else raw.data
        return Line(data.rstrip(b"\r\n"), self._position, raw.is_whole, raw.is_ended)

    def _rotate(self) -> SourceRotated:
        """Continue with the file that has the name now."""
        was_truncated = self._growing is not None and self._growing.was_truncated
        self._stack.close()
        wait_for_file(self.name, self._idle)
        self._open()
        self._position = SourcePosition(self.name)
        return SourceRotated(self._position, was_truncated)

    def _next_raw_line(self) -> _RawLine | None:
        """Next line, or None at the end."""
        if self._first_line is not None:
            ahead, self._first_line = self._first_line, None
            return ahead
        limit = self._max_line_bytes + 1
        data = start = self._read_line(limit)
        digest, length = _new_hash(data.removesuffix(b"\n")), len(data)
        while len(data) == limit and not data.endswith(b"\n"):
            data = self._read_line(limit)
            digest.update(data.removesuffix(b"\n"))
            length += len(data)
        is_whole = length < limit or (length == limit and data.endswith(b"\n"))
        return _RawLine(start, digest.hexdigest(), length, is_whole, data.endswith(b"\n")) if start else None

    def _read_line(self, limit: int) -> bytes:
        return self._bytes_of(self._file.readline, limit)

    def _read(self, n: int) -> bytes:
        return self._bytes_of(self._file.read, n)

    def _bytes_of(self, read: Callable[[int], bytes], n: int) -> bytes:
        """Bytes from the file; damage is an ``InputError``, and errors of the callback are raised as they are."""
        try:
            with report_damage(self.name):
                return read(n)
        except CallbackError as error:
            raise error.__cause__ or error from None


def _new_hash(data: bytes = b"") -> blake2b:
    return blake2b(data, digest_size=16)

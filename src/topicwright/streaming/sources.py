"""Where a stream comes from: lines with their places, found again after a stop, and waited for if they are to come."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import BinaryIO, NamedTuple, NoReturn

from .._utils.validation import check_integer
from ..corpus.formats.files import report_damage, source_name
from ..errors import InputError
from ..models.online.state import SourcePosition
from .tail import CallbackError, GrowingFile, Idle, WaitCancelledError, open_growing, open_source, wait_for_file

_CHUNK = 1 << 20
_MOVED = "if that was moved away, read its rest first, under its new name"
_HOW = "to read it from its first line, say that it is new: new=True"


class Line(NamedTuple):
    """A line as it was read."""

    data: bytes
    """Without its end; of a line that is too long the beginning."""
    place: SourcePosition
    """After it."""
    is_whole: bool
    """Not if it is too long."""
    is_ended: bool
    """By a newline; the last one of a file may not be."""


class SourceRotated(NamedTuple):
    """From here on another file is read under the same name."""

    place: SourcePosition
    """Its beginning."""
    was_cut: bool
    """Whether the file was cut short; else another has taken its name."""


class _Piece(NamedTuple):
    data: bytes
    digest: str
    length: int
    is_whole: bool
    is_ended: bool


class Source:
    """A file of lines, packed or not, or standard input.

    Parameters
    ----------
    name : path, or "-" for standard input
    follow : bool
        Wait at the end of a file for more. Half a line is left until its end comes. Where another file takes the name,
        or the file is cut short, reading goes on with the first line of what is there then.
    new : bool
        Begin with the first line, whatever was read before.
    longest : int
        Bytes of a line; longer ones are bad.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with open(f"{directory}/lines", "w") as file:
    ...         _ = file.write("one\\ntwo\\n")
    ...     with Source(f"{directory}/lines") as source:
    ...         _ = source.find_place([])
    ...         first, second = source
    ...     with Source(f"{directory}/lines") as again:
    ...         again.find_place([first.place]).lines, [line.data for line in again]
    (1, [b'two'])
    """

    def __init__(
        self, name: str | os.PathLike[str], *, follow: bool = False, new: bool = False, longest: int = 10_000_000
    ) -> None:
        self.name, self.follow, self.new = os.fspath(name), follow, new
        self._longest = check_integer("longest", longest, 1)
        self._stack = ExitStack()
        self._file: BinaryIO = io.BytesIO()  # until it is opened
        self._has_begun = False
        self._growing: GrowingFile | None = None
        self._idle: Idle = lambda: True
        self._ahead: _Piece | None = None  # the first line, read to know the source by it

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def title(self) -> str:
        """What to call it in messages."""
        return source_name(self.name)

    def size(self) -> int | None:
        """Bytes of a file that is not packed; None where that can't be told."""
        is_plain = isinstance(getattr(self._file, "raw", None), (io.FileIO, GrowingFile))
        try:
            return os.stat(self.name).st_size if is_plain else None
        except OSError:  # it was moved away
            return None

    def __iter__(self) -> Iterator[Line | SourceRotated]:
        if not self._has_begun:
            self.find_place([])
        try:
            while (piece := self._next_piece()) is not None or self.follow:
                if piece is None:
                    yield self._turn()
                elif piece.is_ended or self._growing is None or not self._growing.was_cut:
                    yield self._line(piece)
        except WaitCancelledError:
            return

    # ------------------------------------------------------------------ finding the place

    def find_place(self, places: Sequence[SourcePosition], idle: Idle = lambda: True) -> SourcePosition | None:
        """Open the source, and go to where it was left if it is one of those that were read before.

        It is known by its first line, and by the last one that was read. ``idle`` is called while nothing comes; None
        is returned if it has ended the waiting.
        """
        self._idle, self._place, self._has_begun = idle, SourcePosition(self.name), True
        known = [] if self.new else [place for place in places if place.first]
        is_same_name = bool(known) and places[-1].name == self.name and known[-1] is places[-1]
        try:
            self._open()
            size = self.size()
            if is_same_name and size is not None and size < known[-1].offset:
                self._refuse(f"is shorter than what was read under this name, up to line {known[-1].lines:,}: {_MOVED}")
            first = self._ahead = self._next_piece()
            before = [place for place in reversed(known) if first is not None and place.first == first.digest]
            if first is not None and before:
                self._ahead = None
                self._go_to(before[0], first)
            elif is_same_name and self.name != "-":
                self._refuse(f"is not what was read under this name, up to line {known[-1].lines:,}: {_MOVED}")
        except WaitCancelledError:
            return None
        return self._place

    def _open(self) -> None:
        if self.follow:
            self._file, self._growing = open_growing(self.name, self._idle, self._stack)
        else:
            self._file = open_source(self.name, self._idle, self._stack)

    def _go_to(self, place: SourcePosition, first: _Piece) -> None:
        is_ended = first.is_ended
        if place.lines > 1:
            self._skip(place.offset - place.length - first.length)
            digest, n, is_ended = self._digest_of(place.length)
            if n < place.length:
                self._refuse(f"begins as it did, but ends before line {place.lines:,}, up to which it was read")
            if digest != place.last:
                self._refuse(f"begins as it did, but line {place.lines:,}, the last one that was read, has changed")
        # What stands behind a last line that was read without its end belongs to it.
        lines, offset = place.lines - (not is_ended), max(place.offset, first.length)
        self._place = place._replace(name=self.name, lines=lines, offset=offset)

    def _skip(self, n: int) -> None:
        if self._file.seekable():
            self._file.seek(max(n, 0), os.SEEK_CUR)
            return
        while n > 0 and (data := self._read(min(n, _CHUNK))):
            n -= len(data)

    def _digest_of(self, n: int) -> tuple[str, int, bool]:
        """A digest of the next n bytes, how many there are, and whether they end a line."""
        digest, done, data = _digest(), 0, b""
        while done < n and (more := self._read(min(n - done, _CHUNK))):
            digest.update(more.removesuffix(b"\n"))
            done, data = done + len(more), more
        return digest.hexdigest(), done, data.endswith(b"\n")

    def _refuse(self, reason: str) -> NoReturn:
        raise InputError(f"{self.title} {reason}; {_HOW}")

    # ------------------------------------------------------------------ reading

    def _line(self, piece: _Piece) -> Line:
        place = self._place
        self._place = SourcePosition(
            self.name,
            place.lines + 1,
            place.offset + piece.length,
            place.first or piece.digest,
            piece.digest,
            piece.length,
        )
        data = piece.data.removeprefix(b"\xef\xbb\xbf") if place.offset == 0 else piece.data
        return Line(data.rstrip(b"\r\n"), self._place, piece.is_whole, piece.is_ended)

    def _turn(self) -> SourceRotated:
        """The file is at its end: to the one that has its name now."""
        was_cut = self._growing is not None and self._growing.was_cut
        self._stack.close()
        wait_for_file(self.name, self._idle)
        self._open()
        self._place = SourcePosition(self.name)
        return SourceRotated(self._place, was_cut)

    def _next_piece(self) -> _Piece | None:
        """The next line, or None at the end."""
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            return ahead
        limit = self._longest + 1
        data = start = self._read_line(limit)
        digest, length = _digest(data.removesuffix(b"\n")), len(data)
        while len(data) == limit and not data.endswith(b"\n"):
            data = self._read_line(limit)
            digest.update(data.removesuffix(b"\n"))
            length += len(data)
        is_whole = length < limit or (length == limit and data.endswith(b"\n"))
        return _Piece(start, digest.hexdigest(), length, is_whole, data.endswith(b"\n")) if start else None

    def _read_line(self, limit: int) -> bytes:
        return self._bytes_of(self._file.readline, limit)

    def _read(self, n: int) -> bytes:
        return self._bytes_of(self._file.read, n)

    def _bytes_of(self, read: Callable[[int], bytes], n: int) -> bytes:
        """What can be read, or what is wrong with the file: damage as such, and else the error from outside."""
        try:
            with report_damage(self.name):
                return read(n)
        except CallbackError as outside:
            raise outside.__cause__ or outside from None


def _digest(data: bytes = b"") -> blake2b:
    return blake2b(data, digest_size=16)

"""Opening files: paths, standard input and open files, packed or not, line by line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from ...errors import InputError, MissingExtraError

_CHUNK = 1 << 17


class ZstdReader(io.RawIOBase):
    """A packed file as a stream of unpacked bytes. To stop in the middle is an error, not an end."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._new = _decompressor()
        self._frame = self._new()
        self._started = False  # whether the frame has had any bytes
        self._ready = b""

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As every raw stream."""
        while not self._ready:
            packed = self._file.read(_CHUNK)
            if not packed and self._started:
                raise EOFError("compressed file ended before its end was marked")
            if not packed:
                return 0
            self._ready = self._unpack(packed)
        view = memoryview(buffer)
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _unpack(self, packed: bytes) -> bytes:
        parts = []
        while packed:  # a file may be several frames, one after the other
            try:
                parts.append(self._frame.decompress(packed))
            except Exception as error:  # each library has an error class of its own
                raise OSError(str(error)) from None
            self._started = not self._frame.eof
            packed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._new()
        return b"".join(parts)


def _decompressor() -> Any:
    """A function that makes an object to decompress one frame."""
    try:
        from compression.zstd import ZstdDecompressor  # type: ignore[import-not-found, unused-ignore]

        return ZstdDecompressor
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("zstandard", "files", "reading .zst files") from None
    return zstandard.ZstdDecompressor().decompressobj


def zstd_writer(file: Any) -> Any:
    """A file that packs what is written to it."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return zstd.open(file, "wb")
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("zstandard", "files", "writing .zst files") from None
    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


Source = str | os.PathLike[str] | IO[bytes] | IO[str]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # that Windows programs put first
_MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_OPENERS: dict[str, Any] = {"gz": gzip.open, "xz": lzma.open, "bz2": bz2.open, "zst": ZstdReader}


class DamagedFileError(InputError):
    """A file ends too early or its packing is broken: nothing after that point can be read."""


def source_name(source: Source) -> str:
    """What to call a source in messages."""
    if isinstance(source, (str, os.PathLike)):
        return "standard input" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", None) or f"<{type(source).__name__}>")


def split_compression(name: str) -> tuple[str, str]:
    """A file name without the suffix of its packing, and that suffix without its dot.

    >>> split_compression("notes.jsonl.gz")
    ('notes.jsonl', 'gz')
    """
    stem, dot, suffix = name.rpartition(".")
    return (stem, suffix.lower()) if dot and suffix.lower() in _MAGIC else (name, "")


@contextmanager
def open_bytes(source: Source) -> Iterator[BinaryIO]:
    """The unpacked bytes of a source; what was opened here is closed, the caller's own files stay open."""
    with ExitStack() as stack:
        raw = _open_raw(source, stack)
        kind = _compression(raw, source_name(source))
        if kind:
            raw = stack.enter_context(io.BufferedReader(_OPENERS[kind](raw)))  # quicker lines than gzip's own
        yield cast(BinaryIO, raw)


def read_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1, without line ends. Only a newline ends a line, as in JSONL."""
    with open_bytes(source) as file, report_damage(source):
        for number, line in enumerate(file, 1):
            if number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield number, line.rstrip(b"\r\n")


@contextmanager
def report_damage(source: Source) -> Iterator[None]:
    """Turns what the standard library raises on a broken file into one error that names the file."""
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise DamagedFileError(f"{source_name(source)} is damaged or cut short: {error}") from None


def decode(line: bytes, where: str) -> str:
    """The text of a line; an error that names the line if it is not UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        got = f"got byte 0x{line[error.start]:02x}"
        code = "utf-16" if line.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
        raise InputError(f"{where}: text must be UTF-8: {got}; iconv -f {code} -t utf-8 may convert it") from None


def _open_raw(source: Any, stack: ExitStack) -> Any:
    if isinstance(source, (str, os.PathLike)):
        return sys.stdin.buffer if source == "-" else stack.enter_context(_open_path(Path(source)))
    if not hasattr(source, "read"):
        raise InputError(f"a file must be a path, '-' or an open file: got {type(source).__name__}")
    if isinstance(source, io.TextIOBase):
        source = getattr(source, "buffer", None) or io.BytesIO(source.read().encode("utf-8", "surrogatepass"))
    if hasattr(source, "peek"):
        return source
    if not hasattr(source, "readinto"):
        return io.BufferedReader(io.BytesIO(source.read()))  # type: ignore[arg-type]
    buffered = io.BufferedReader(source)
    stack.callback(_let_go, buffered)
    return buffered


def _let_go(buffered: io.BufferedReader) -> None:
    """Or the caller's file would be closed with it."""
    with suppress(ValueError):  # the caller may have closed it meanwhile
        buffered.detach()


def _open_path(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def _compression(raw: Any, name: str) -> str:
    with report_damage(name):
        head = raw.peek(10)[:10]
    found = next((kind for kind, magic in _MAGIC.items() if magic.match(head)), "")
    claimed = split_compression(name)[1]
    if claimed and not found:
        raise DamagedFileError(f"{name} is damaged: its name ends in .{claimed} but it is not packed so")
    return found

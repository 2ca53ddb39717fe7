"""Opening files for reading and writing: paths, standard input and open files, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from ...errors import InputError, MissingExtraError

Source = str | os.PathLike[str] | IO[bytes] | IO[str]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # at the start of files of Windows programs
_CHUNK_BYTES = 1 << 17


class ZstdReader(io.RawIOBase):
    """Stream of decompressed bytes of a .zst file. A file that stops in the middle is an error, not an end."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._new = _decompressor()
        self._frame = self._new()
        self._started = False  # whether the frame has received any bytes
        self._ready = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, as every raw stream does."""
        while not self._ready:
            compressed = self._file.read(_CHUNK_BYTES)
            if not compressed and self._started:
                raise EOFError("compressed file ended before its end was marked")
            if not compressed:
                return 0
            self._ready = self._decompress(compressed)
        view = memoryview(buffer)
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, compressed: bytes) -> bytes:
        parts = []
        while compressed:  # a file may be several frames, one after the other
            try:
                parts.append(self._frame.decompress(compressed))
            except Exception as error:  # each library has an error class of its own
                raise OSError(str(error)) from None
            self._started = not self._frame.eof
            compressed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._new()
        return b"".join(parts)


def _decompressor() -> Any:
    """Function that makes an object to decompress one frame."""
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
    """File that compresses what is written to it."""
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


COMPRESSIONS = ("gz", "xz", "bz2", "zst")
_MAGIC = {
    "gz": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_DECOMPRESSORS: dict[str, Any] = {"gz": gzip.open, "xz": lzma.open, "bz2": bz2.open, "zst": ZstdReader}
_COMPRESSORS: dict[str, Callable[[Any], Any]] = {
    "": nullcontext,
    "gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),  # no time: the same bytes every time
    "xz": partial(lzma.LZMAFile, mode="wb"),
    "bz2": partial(bz2.BZ2File, mode="wb"),
    "zst": zstd_writer,
}


class DamagedFileError(InputError):
    """A file ends too early or its compression is broken: nothing after that point can be read."""


def source_name(source: Source) -> str:
    """Name of a source in messages."""
    if isinstance(source, (str, os.PathLike)):
        return "standard input" if source == "-" else os.fspath(source)
    return str(getattr(source, "name", None) or f"<{type(source).__name__}>")


def split_compression(name: str) -> tuple[str, str]:
    """File name without the suffix of its compression, and that suffix without its dot.

    >>> split_compression("notes.jsonl.gz")
    ('notes.jsonl', 'gz')
    """
    stem, dot, suffix = name.rpartition(".")
    return (stem, suffix.lower()) if dot and suffix.lower() in COMPRESSIONS else (name, "")


# ---------------------------------------------------------------------- reading


@contextmanager
def open_bytes(source: Source) -> Iterator[BinaryIO]:
    """Decompressed bytes of a source. Files that are opened here are closed; the caller's own files stay open."""
    with ExitStack() as stack:
        raw = _open_raw(source, stack)
        kind = _compression(raw, source_name(source))
        if kind:
            raw = stack.enter_context(io.BufferedReader(_DECOMPRESSORS[kind](raw)))  # faster lines than gzip's own
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
    """Turn what the standard library raises on a broken file into one error that names the file."""
    try:
        yield
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        name = source_name(source)
        raise DamagedFileError(f"{name} is damaged or cut short: {error}", where=name) from None


def decode(line: bytes, where: str) -> str:
    """Text of a line, which must be UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        code = "utf-16" if line.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
        message = f"{where}: text must be UTF-8: got byte 0x{line[error.start]:02x}"
        raise InputError(f"{message}; iconv -f {code} -t utf-8 may convert it", got=line, where=where) from None


def _open_raw(source: Any, stack: ExitStack) -> Any:
    if isinstance(source, (str, os.PathLike)):
        return sys.stdin.buffer if source == "-" else stack.enter_context(_open_path(Path(source)))
    if not hasattr(source, "read"):
        raise InputError(f"a file must be a path, '-' or an open file: got {type(source).__name__}", got=source)
    if isinstance(source, io.TextIOBase):
        source = getattr(source, "buffer", None) or io.BytesIO(source.read().encode("utf-8", "surrogatepass"))
    if hasattr(source, "peek"):
        return source
    if not hasattr(source, "readinto"):
        return io.BufferedReader(io.BytesIO(source.read()))  # type: ignore[arg-type]
    buffered = io.BufferedReader(source)
    stack.callback(_detach, buffered)
    return buffered


def _detach(buffered: io.BufferedReader) -> None:
    """Detach the caller's file, which would otherwise be closed with the buffer."""
    with suppress(ValueError):  # the caller may have closed it meanwhile
        buffered.detach()


def _open_path(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path}: {reason}", where=str(path)) from None


def _compression(raw: Any, name: str) -> str:
    with report_damage(name):
        head = raw.peek(10)[:10]
    found = next((kind for kind, magic in _MAGIC.items() if magic.match(head)), "")
    claimed = split_compression(name)[1]
    if claimed and not found:
        message = f"{name} is damaged: its name ends in .{claimed} but it is not compressed so"
        raise DamagedFileError(message, where=name)
    return found


# ---------------------------------------------------------------------- writing


def compress_stream(file: BinaryIO, name: str) -> Any:
    """Context manager that compresses what is written to a file if the file's name asks for it."""
    return _COMPRESSORS[split_compression(name)[1]](file)


def write_lines(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write lines of text as UTF-8."""
    try:
        for line in lines:
            file.write(line.encode("utf-8") + b"\n")
    except UnicodeEncodeError as error:
        raise InputError(f"text must be valid Unicode to be written: {error}") from None

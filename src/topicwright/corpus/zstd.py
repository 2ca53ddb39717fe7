"""Zstandard files, with Python 3.14's own module or the package ``zstandard``."""

from __future__ import annotations

import io
from typing import Any

from ..errors import MissingExtraError

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

"""Where exports go: a path, which is replaced as a whole, or a file object, which stays open."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TextIO, cast

from ..._replacing import replacing

Target = str | os.PathLike[str] | IO[str] | IO[bytes]


@contextmanager
def text_target(target: Target, *, gzipped: bool = False) -> Iterator[TextIO]:
    """Text to write to, as UTF-8 with Unix line ends; ``gzipped`` does not apply to a text file object."""
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as file, _as_text(file, gzipped) as text:
            yield text
    elif hasattr(target, "encoding"):  # every text file object has one
        yield cast(TextIO, target)
    else:
        with _as_text(target, gzipped) as text:
            yield text


@contextmanager
def _as_text(file: Any, gzipped: bool) -> Iterator[TextIO]:
    if gzipped:
        with _gzip(file) as compressed, _as_text(compressed, gzipped=False) as text:
            yield text
        return
    # Half a surrogate pair has no UTF-8; its escape is also valid inside JSON.
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield text
    finally:
        text.detach()  # writes what is left, and does not close the file


def _gzip(file: Any) -> gzip.GzipFile:
    """Without a time and a name inside, so that the same model gives the same bytes."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0)

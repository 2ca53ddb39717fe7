"""Where exports go: a path, which is replaced as a whole, or a file object, which stays open."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, TextIO, cast

from ..._replacing import replacing
from ...corpus.writers import packed

Target = str | os.PathLike[str] | IO[str] | IO[bytes]
_GZIPPED = "any.gz"


@contextmanager
def text_target(target: Target, *, gzipped: bool = False) -> Iterator[TextIO]:
    """Text to write to, as UTF-8 with Unix line ends, packed where a path ends with .gz, .xz, .bz2 or .zst.

    ``gzipped`` packs whatever the name is, but for a text file object.
    """
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as file, _as_text(file, _GZIPPED if gzipped else str(target)) as text:
            yield text
    elif hasattr(target, "encoding"):  # every text file object has one
        yield cast(TextIO, target)
    else:
        with _as_text(target, _GZIPPED if gzipped else "") as text:
            yield text


@contextmanager
def _as_text(file: Any, name: str) -> Iterator[TextIO]:
    with packed(file, name) as raw, _encoded(raw) as text:
        yield text


@contextmanager
def _encoded(file: Any) -> Iterator[TextIO]:
    # Half a surrogate pair has no UTF-8; its escape is also valid inside JSON.
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield text
    finally:
        text.detach()  # writes what is left, and does not close the file

"""Output files: checked before the work starts, and replaced when it is done."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

from .._utils.formatting import safe_json
from ..errors import InputError
from ._console import standard_output

_LONGEST_HEADER = 100_000_000
_SIMILARITY = 0.75  # that a file name must have to be suggested


def check_model(path: Path, *sources: str | Path) -> None:
    """Check that a model can be written to a file; see :func:`check_writable`."""
    if is_standard(path):
        raise InputError("a model cannot be written to standard output: pass a file name")
    check_writable(path, *sources)
    _check_replaceable(path, "model", is_model)
    from ..steering.branches import is_steered, steps_directory

    if path.exists() and is_steered(path):
        raise InputError(
            f"{path} was steered, and the steps in {steps_directory(path)} belong to it: "
            "choose another name with --output, or move that folder"
        )


def is_model(path: str | Path) -> bool:
    """Whether a file is a model, by its name or by its first bytes: the size of a header, and the header."""
    if Path(path).suffix == ".tw":
        return True
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        start = file.read(9)
    return start[8:] == b"{" and int.from_bytes(start[:8], "little") <= _LONGEST_HEADER


def check_page(path: str | Path | None, *sources: str | Path | None) -> None:
    """Check that an HTML page can be written to a file; see :func:`check_writable`."""
    check_writable(path, *sources)
    if path is not None:
        _check_replaceable(Path(path), "page", _is_page)


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(100).lstrip().lower().startswith((b"<!doctype", b"<html"))


def _check_replaceable(path: Path, kind: str, is_such: Callable[[Path], bool]) -> None:
    """Raise an error if the file exists and is not of this kind, so that it is not overwritten."""
    if path.is_file() and path.stat().st_size and not is_such(path):
        raise InputError(f"{path} exists and is not a {kind}: choose another name, so that it is not lost")


def check_exists(path: str | Path) -> None:
    """Raise an error if there is no such file, with the name of a similar one."""
    path = Path(path)
    if not path.exists():
        others = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, others, 1, _SIMILARITY)
        hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
        raise InputError(f"cannot read {path}: No such file or directory{hint}")


def check_writable(path: str | Path | None, *sources: str | Path | None) -> None:
    """Raise an error if ``path`` cannot be written, or is one of the sources."""
    if path is None or is_standard(path):
        return
    path = Path(path)
    others = [Path(source) for source in sources if source is not None]
    if path.exists() and any(other.exists() and path.samefile(other) for other in others):
        raise InputError(f"the output must not be an input: got {path} for both")
    if path.exists() and not path.is_file() and not path.is_dir():
        return  # a device or a pipe: opening it may block, or signal the end of the input to its reader
    try:
        _try_to_write(Path(os.path.realpath(path)))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _try_to_write(target: Path) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(0, f"the directory {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(0, "it is a directory, expected a file name")
    if target.exists():
        with target.open("r+b"):
            pass
    with tempfile.TemporaryFile(dir=target.parent):
        pass


def is_standard(path: str | Path | None) -> bool:
    """Whether this means standard input or output."""
    return path is None or str(path) == "-"


def text_output(path: str | Path | None) -> AbstractContextManager[TextIO]:
    """Output file that is written atomically and compressed by its suffix, or standard output."""
    from ..io.export.base import open_text

    if path is None or is_standard(path):
        return open_text(standard_output())
    return open_text(path)


def print_json(value: Any) -> None:
    """Print the result of a command as JSON."""
    sys.stdout.write(safe_json(value, indent=2) + "\n")

"""Log file of a branch in JSON lines; every step is on disk before it is acknowledged.

The first line names the model. Every other line is a step, ``{"undo": 1}`` or ``{"redo": 1}``. An incomplete last line
after a crash was never acknowledged: it is dropped, and a note says so.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from .._utils.atomic import atomic_write
from .._utils.filelock import lock
from ..errors import InputError
from ..io.strict_json import from_json
from .steps import Step, step_from_dict

_FORMAT = "topicwright-steps"
_VERSION = 1


class History:
    """Current steps, and steps that were undone."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.undone: list[Step] = []

    def add(self, step: Step) -> None:
        """Add a step; undone steps are dropped."""
        self.steps.append(step)
        self.undone.clear()

    def undo(self) -> None:
        """Undo the last step."""
        self.undone.append(self.steps.pop())

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self.steps.append(self.undone.pop())

    def apply_line(self, line: Any) -> None:
        """Apply a line of the log file."""
        if line == {"undo": 1} and self.steps:
            self.undo()
        elif line == {"redo": 1} and self.undone:
            self.redo()
        else:
            self.add(step_from_dict(line))


def create_log(path: Path, base: str, steps: list[Step]) -> None:
    """Create a log file with some steps, atomically."""
    with atomic_write(path) as file:
        for line in (_header(base), *(step.to_dict() for step in steps)):
            file.write(_line(line))


def has_steps(path: Path) -> bool:
    """Whether a log file has lines besides its header."""
    return path.read_bytes().count(b"\n") > 1


def read_log(path: Path, base: str) -> tuple[History, int, list[str]]:
    """History of a log file, the number of bytes in complete lines, and notes.

    A file without steps matches any base model.
    """
    data = path.read_bytes()
    complete = data.rfind(b"\n") + 1
    has_only_header = data.find(b"\n") + 1 == complete
    history = History()
    for number, text in enumerate(data[:complete].splitlines(), 1):
        try:
            line = from_json(text.decode())
            if number == 1:
                _check_header(line, path, None if has_only_header else base)
            else:
                history.apply_line(line)
        except (ValueError, UnicodeDecodeError) as error:
            if isinstance(error, InputError) and number == 1:
                raise
            where = f"{path}, line {number}"
            raise InputError(f"{where} is damaged: {error}", where=where) from None
    if complete == 0:
        raise InputError(f"{path} is not a log of steps: its first line is missing", where=str(path))
    n_dropped = len(data) - complete
    return (
        history,
        complete,
        [f"{path.name}: the last {n_dropped} bytes were an incomplete line and are dropped"] if n_dropped else [],
    )


def _header(base: str) -> dict[str, Any]:
    return {"format": _FORMAT, "version": _VERSION, "base": base}


def _check_header(header: Any, path: Path, base: str | None) -> None:
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise InputError(f"{path} is not a log of steps", where=str(path))
    if header.get("version") != _VERSION:
        raise InputError(
            f"{path} was written by another version of topicwright: got version {header.get('version')!r}",
            where=str(path),
        )
    if base is not None and header.get("base") != base:
        raise InputError(
            f"{path} belongs to another model than the model file, which was trained again or replaced: "
            "restore that model, or move the directory of steps",
            where=str(path),
        )


class Log:
    """Log file of a branch, locked for this process."""

    def __init__(self, path: Path, base: str) -> None:
        self._file = _open_locked(path)
        try:
            self.history, complete, notes = read_log(path, base)
            self._file.truncate(complete)
            header = _line(_header(base))
            if complete == len(header):  # no steps yet, perhaps of a model that was replaced since
                self._file.write(header)
        except BaseException:
            self._file.close()
            raise
        self.notes = tuple(notes)

    def add(self, step: Step) -> None:
        """Write a step, then add it."""
        self._append(step.to_dict())
        self.history.add(step)

    def undo(self) -> None:
        """Write an undo, then undo the last step."""
        self._append({"undo": 1})
        self.history.undo()

    def redo(self) -> None:
        """Write a redo, then redo the step."""
        self._append({"redo": 1})
        self.history.redo()

    def close(self) -> None:
        """Close and unlock the file."""
        self._file.close()

    def _append(self, line: Any) -> None:
        end = self._file.seek(0, os.SEEK_END)
        try:
            rest = _line(line)
            while rest:  # on an almost full disk, a part is written without an error
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except BaseException:  # a full disk must not leave half a line in front of the next one
            self._file.truncate(end)
            raise


def _line(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _open_locked(path: Path) -> BinaryIO:
    """Open a file and lock it until it is closed or the process ends."""
    file = path.open("r+b", buffering=0)
    try:
        lock(file.fileno())
    except OSError:
        file.close()
        raise InputError(
            f"{path} is in use by another process: close that process, or create a branch", where=str(path)
        ) from None
    return file  # type: ignore[return-value]

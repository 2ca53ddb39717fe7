"""The steps of a branch as a file of lines: every one is on disk before it is acknowledged.

The first line says what the steps are of; then each line is a step, or ``{"undo": 1}`` or ``{"redo": 1}``. A last line
that a crash has cut off was never acknowledged: it is dropped, and a note says so.
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
    """The steps that hold, and those that were taken back."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.undone: list[Step] = []

    def add(self, step: Step) -> None:
        """A new step; what was taken back before is gone."""
        self.steps.append(step)
        self.undone.clear()

    def undo(self) -> None:
        """Take the last step back."""
        self.undone.append(self.steps.pop())

    def redo(self) -> None:
        """Take again the step that was taken back last."""
        self.steps.append(self.undone.pop())

    def play(self, line: Any) -> None:
        """What a line of the file says."""
        if line == {"undo": 1} and self.steps:
            self.undo()
        elif line == {"redo": 1} and self.undone:
            self.redo()
        else:
            self.add(step_from_dict(line))


def create_log(path: Path, base: str, steps: list[Step]) -> None:
    """A new file with some steps in it, all or nothing."""
    with atomic_write(path) as file:
        for line in (_head(base), *(step.to_dict() for step in steps)):
            file.write(_line(line))


def says_something(path: Path) -> bool:
    """Whether a file has lines beyond the first, which says only what it is of."""
    return path.read_bytes().count(b"\n") > 1


def read_log(path: Path, base: str) -> tuple[History, int, list[str]]:
    """What a file says, how many bytes of it are whole lines, and notes; where it says nothing, any base will do."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    is_blank = data.find(b"\n") + 1 == whole
    history = History()
    for number, text in enumerate(data[:whole].splitlines(), 1):
        try:
            line = from_json(text.decode())
            if number == 1:
                _check_head(line, path, None if is_blank else base)
            else:
                history.play(line)
        except (ValueError, UnicodeDecodeError) as error:
            if isinstance(error, InputError) and number == 1:
                raise
            raise InputError(f"{path}, line {number} is damaged: {error}") from None
    if whole == 0:
        raise InputError(f"{path} is no log of steps: its first line is missing")
    cut = len(data) - whole
    return (
        history,
        whole,
        [f"{path.name}: the last {cut} bytes were cut off by a crash, and are dropped"] if cut else [],
    )


def _head(base: str) -> dict[str, Any]:
    return {"format": _FORMAT, "version": _VERSION, "base": base}


def _check_head(head: Any, path: Path, base: str | None) -> None:
    if not isinstance(head, dict) or head.get("format") != _FORMAT:
        raise InputError(f"{path} is no log of steps")
    if head.get("version") != _VERSION:
        raise InputError(f"{path} was written by another version of topicwright: got version {head.get('version')!r}")
    if base is not None and head.get("base") != base:
        raise InputError(
            f"{path} holds steps on another model than the one beside it, which was trained anew or replaced: "
            "bring that model back, or move the folder of steps away"
        )


class Log:
    """A file of steps that this process alone may write to."""

    def __init__(self, path: Path, base: str) -> None:
        self._file = _locked(path)
        try:
            self.history, whole, notes = read_log(path, base)
            self._file.truncate(whole)
            head = _line(_head(base))
            if whole == len(head):  # nothing was said yet, perhaps of a model that was replaced since
                self._file.write(head)
        except BaseException:
            self._file.close()
            raise
        self.notes = tuple(notes)

    def add(self, step: Step) -> None:
        """Write a step, and then hold it."""
        self._append(step.to_dict())
        self.history.add(step)

    def undo(self) -> None:
        """Write that the last step is taken back, and take it back."""
        self._append({"undo": 1})
        self.history.undo()

    def redo(self) -> None:
        """Write that a step is taken again, and take it again."""
        self._append({"redo": 1})
        self.history.redo()

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _append(self, line: Any) -> None:
        end = self._file.seek(0, os.SEEK_END)
        try:
            rest = _line(line)
            while rest:  # where the disk is all but full, a part is written and nothing raised
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except BaseException:  # a full disk must not leave half a line in front of the next one
            self._file.truncate(end)
            raise


def _line(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _locked(path: Path) -> BinaryIO:
    """The file, open for writing by nobody else until it is closed; the lock ends with the process."""
    file = path.open("r+b", buffering=0)
    try:
        lock(file.fileno())
    except OSError:
        file.close()
        raise InputError(
            f"{path} is in use by another process: close that one first, or take a branch of your own"
        ) from None
    return file  # type: ignore[return-value]

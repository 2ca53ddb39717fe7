"""Storage of branches: a directory with a log next to the model file, or memory."""

from __future__ import annotations

import json
import os
import re
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


_SUFFIX = ".jsonl"
_NAME = re.compile(r"\w([\w .@+-]{0,58}[\w@+-])?")
MAIN = "main"


def steps_directory(path: Any) -> Path:
    """Directory for the steps on a model file."""
    return Path(f"{path}.steps")


def is_steered(path: Any) -> bool:
    """Whether a model file has steps."""
    return any(map(has_steps, steps_directory(path).glob(f"*{_SUFFIX}")))


def check_branch_name(name: str) -> str:
    """The name of a branch, if it is valid; it is also the name of a file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            parameter="branch",
            expected="a name of up to 60 letters, digits, spaces and . @ + - _ that starts with a letter or digit",
            got=name,
        )
    return name


def main_first(names: list[str]) -> list[str]:
    """Sort names of branches, the main branch first."""
    return sorted(names, key=lambda name: (name != MAIN, name))


class DirectoryBranches:
    """Branches as files in a directory."""

    def __init__(self, folder: Path, base: str) -> None:
        self._folder, self._base = folder, base
        folder.mkdir(exist_ok=True)
        if not self._path(MAIN).exists():
            create_log(self._path(MAIN), base, [])

    def names(self) -> list[str]:
        """Names of all branches."""
        return main_first([path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")])

    def create(self, name: str, steps: list[Step]) -> None:
        """Create a branch."""
        if self._path(name).exists():
            raise InputError(f"there is a branch {name!r} already", parameter="branch", got=name)
        create_log(self._path(name), self._base, steps)

    def open(self, name: str) -> Log:
        """Open a branch and lock it for this process."""
        return Log(self._existing(name), self._base)

    def steps(self, name: str) -> tuple[Step, ...]:
        """Steps of a branch, also if another process has it open."""
        return tuple(read_log(self._existing(name), self._base)[0].steps)

    def _path(self, name: str) -> Path:
        return self._folder / (check_branch_name(name) + _SUFFIX)

    def _existing(self, name: str) -> Path:
        path = self._path(name)
        if not path.exists():
            raise _unknown_branch(name, self.names())
        return path


class MemoryLog(History):
    """Steps of a branch in memory, with the interface of :class:`~topicwright.steering.branches.Log`."""

    notes: tuple[str, ...] = ()

    @property
    def history(self) -> History:
        """The steps."""
        return self

    def close(self) -> None:
        """Do nothing; there is no file."""


class MemoryBranches:
    """Branches in memory, which are lost at the end of the process."""

    def __init__(self) -> None:
        self._branches: dict[str, MemoryLog] = {MAIN: MemoryLog()}

    def names(self) -> list[str]:
        """Names of all branches."""
        return main_first(list(self._branches))

    def create(self, name: str, steps: list[Step]) -> None:
        """Create a branch."""
        if check_branch_name(name) in self._branches:
            raise InputError(f"there is a branch {name!r} already", parameter="branch", got=name)
        self._branches[name] = MemoryLog()
        self._branches[name].steps = list(steps)

    def open(self, name: str) -> MemoryLog:
        """Open a branch."""
        if name not in self._branches:
            raise _unknown_branch(name, self.names())
        return self._branches[name]

    def steps(self, name: str) -> tuple[Step, ...]:
        """Steps of a branch."""
        return tuple(self.open(name).steps)


def _unknown_branch(name: str, names: list[str]) -> InputError:
    message = f"there is no branch {name!r}: there are {', '.join(names)}"
    return InputError(message, parameter="branch", got=name)


BranchStore = DirectoryBranches | MemoryBranches

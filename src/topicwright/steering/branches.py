"""Storage of branches: a directory next to the model file, or memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..errors import InputError
from .log import History, Log, create_log, has_steps, read_log
from .steps import Step

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
    """Steps of a branch in memory, with the interface of :class:`~topicwright.steering.log.Log`."""

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

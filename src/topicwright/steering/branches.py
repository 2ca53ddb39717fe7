"""Where branches live: in a folder beside the model file, or in memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..errors import InputError
from .log import History, Log, create_log, read_log, says_something
from .steps import Step

_SUFFIX = ".jsonl"
_NAME = re.compile(r"\w([\w .@+-]{0,58}[\w@+-])?")
MAIN = "main"


def steps_beside(path: Any) -> Path:
    """The folder for steps on the model in a file."""
    return Path(f"{path}.steps")


def is_steered(path: Any) -> bool:
    """Whether somebody has taken steps on the model in a file."""
    return any(map(says_something, steps_beside(path).glob(f"*{_SUFFIX}")))


def checked_name(name: str) -> str:
    """The name of a branch, which is also that of a file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"the name of a branch must have up to 60 letters, digits, blanks and . @ + - _, and start with a letter "
            f"or digit: got {name!r}"
        )
    return name


def in_order(names: list[str]) -> list[str]:
    """The main branch first."""
    return sorted(names, key=lambda name: (name != MAIN, name))


class DirectoryBranches:
    """Branches as files of a folder."""

    def __init__(self, folder: Path, base: str) -> None:
        self._folder, self._base = folder, base
        folder.mkdir(exist_ok=True)
        if not self._path(MAIN).exists():
            create_log(self._path(MAIN), base, [])

    def names(self) -> list[str]:
        """All branches."""
        return in_order([path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")])

    def create(self, name: str, steps: list[Step]) -> None:
        """A new branch."""
        if self._path(name).exists():
            raise InputError(f"there is a branch {name!r} already")
        create_log(self._path(name), self._base, steps)

    def open(self, name: str) -> Log:
        """A branch, for this process alone."""
        return Log(self._existing(name), self._base)

    def steps(self, name: str) -> tuple[Step, ...]:
        """The steps of a branch, whoever has it open."""
        return tuple(read_log(self._existing(name), self._base)[0].steps)

    def _path(self, name: str) -> Path:
        return self._folder / (checked_name(name) + _SUFFIX)

    def _existing(self, name: str) -> Path:
        path = self._path(name)
        if not path.exists():
            raise InputError(f"there is no branch {name!r}: there are {', '.join(self.names())}")
        return path


class _StoredBranch(History):
    """A branch in memory."""

    notes: tuple[str, ...] = ()

    @property
    def history(self) -> History:
        """Itself."""
        return self

    def close(self) -> None:
        """Nothing to let go."""


class MemoryBranches:
    """Branches that end with the process."""

    def __init__(self) -> None:
        self._branches: dict[str, _StoredBranch] = {MAIN: _StoredBranch()}

    def names(self) -> list[str]:
        """All branches."""
        return in_order(list(self._branches))

    def create(self, name: str, steps: list[Step]) -> None:
        """A new branch."""
        if checked_name(name) in self._branches:
            raise InputError(f"there is a branch {name!r} already")
        self._branches[name] = _StoredBranch()
        self._branches[name].steps = list(steps)

    def open(self, name: str) -> _StoredBranch:
        """A branch."""
        if name not in self._branches:
            raise InputError(f"there is no branch {name!r}: there are {', '.join(self.names())}")
        return self._branches[name]

    def steps(self, name: str) -> tuple[Step, ...]:
        """The steps of a branch."""
        return tuple(self.open(name).steps)


Home = DirectoryBranches | MemoryBranches

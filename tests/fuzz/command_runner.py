"""Runs commands of topicwright in forked processes, which start without importing anything."""

from __future__ import annotations

import faulthandler
import importlib
import os
import pkgutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import topicwright

from .attack import CleanError, WrongResultError
from .limits import limit_memory
from .targets import MODELS, model_file

CODES = {0, 2, 130, 141, 143}  # documented in docs/reference/command-line.md; 128 + signal as in shells
_LEFT_OUT = ("topicwright.__main__", "topicwright.distributed.ray", "topicwright.views.plots")
_PATIENCE = 60.0  # seconds to end after Ctrl-C; a busy machine may have to load kernels first


@cache
def preload(folder: Path) -> None:
    """Import and compile before forking what commands would otherwise import and load themselves."""
    for module in pkgutil.walk_packages(topicwright.__path__, "topicwright."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    for kind in ("lda", "knowledge", "classifier", "regressor", "labeled", "stream"):
        model = topicwright.load(model_file(folder, kind))
        model.transform(["ship wave"])
        if kind != "lda":
            MODELS[kind]()
        if hasattr(model, "predict"):
            model.predict(["ship wave"])


class CommandResult(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str
    was_interrupted: bool  # by Ctrl-C, since it was still running

    def check(self) -> None:
        """Raise ``CleanError`` for exit code 2, and ``WrongResultError`` for an undocumented one."""
        if self.code not in CODES or "Traceback" in self.err:
            raise WrongResultError(f"exit code {self.code}: {self.err[-3000:]}")
        if self.code == 2:
            last = self.err.strip().rpartition("\n")[2]
            if "error: " not in self.err:
                raise WrongResultError(f"exit code 2 without its sentence: {self.err[-1000:]!r}")
            raise CleanError(last)


class RunningCommand:
    """A running command whose output goes to files in ``folder``."""

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        stdin: bytes = b"",
        first: Callable[[], Any] = lambda: None,
        outputs: str = ".",
    ) -> None:
        self._out, self._err = folder / outputs / ".out", folder / outputs / ".err"
        source = folder / outputs / ".in"
        source.write_bytes(stdin)
        self.process = fork_child(lambda: _become(arguments, folder, (source, self._out, self._err), first))

    def send_signal(self, number: int = signal.SIGINT) -> None:
        """Send a signal, unless the process has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.process, number)

    def wait(self, seconds: float) -> CommandResult:
        """Result of the command, which gets Ctrl-C after some seconds."""
        status = wait_for_child(self.process, seconds)
        was_interrupted = status is None
        if status is None:
            self.send_signal()
            status = wait_for_child(self.process, _PATIENCE)
        if status is None:
            self.send_signal(signal.SIGUSR1)  # prints the stacks of its threads
            time.sleep(1.0)
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)  # and its children
        if status is None:
            os.waitpid(self.process, 0)
            raise WrongResultError(
                f"did not end within {_PATIENCE:g} seconds of Ctrl-C: {self._err.read_text('utf-8', 'replace')}"
            )
        code = os.waitstatus_to_exitcode(status)
        out, err = (path.read_text("utf-8", "replace") for path in (self._out, self._err))
        return CommandResult(
            code if code not in (-signal.SIGTERM, -signal.SIGINT) else 128 - code, out, err, was_interrupted
        )


def run(arguments: Sequence[str], folder: Path, seconds: float = 6.0, **options: Any) -> CommandResult:
    """Run a command to its end, or to Ctrl-C after some seconds."""
    return RunningCommand(arguments, folder, **options).wait(seconds)


def fork_child(work: Callable[[], Any]) -> int:
    """Run a function in a child process with a process group of its own."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setpgid(0, 0)
            work()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
            os._exit(code)
    return child


def wait_for_child(child: int, seconds: float) -> int | None:
    """Exit status of a child, or None if it still runs."""
    end = time.monotonic() + seconds
    pause = 0.001
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if time.monotonic() >= end:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _become(arguments: Sequence[str], folder: Path, files: tuple[Path, Path, Path], first: Callable[[], Any]) -> None:
    from topicwright.cli import main
    from topicwright.cli._console import messages

    source, out, err = files
    os.dup2(os.open(source, os.O_RDONLY), 0)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (open until the end)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    messages.cache_clear()
    warnings.resetwarnings()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.register(signal.SIGUSR1)
    os.environ.update(BROWSER="true", PYTHONUNBUFFERED="1")  # open no browser
    os.chdir(folder)
    limit_memory()
    sys.argv = ["topicwright", *arguments]
    first()
    main()

"""A command of topicwright in a process of its own, forked from this one, so that it starts at once."""

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

from .attack import RefusedError, WrongError
from .limits import limit_memory
from .targets import MODELS, model_file

CODES = {0, 2, 130, 141, 143}  # as docs/reference/command-line.md has them; 128 and a signal as shells tell it
_LEFT_OUT = ("topicwright.__main__", "benchmarks", "topicwright.distributed.ray", "topicwright.views.plots")
_PATIENCE = 60.0  # seconds to end after Ctrl-C; a busy machine may have to load kernels first


@cache
def warm(folder: Path) -> None:
    """Import and compile once what every command would otherwise import and load by itself, after the fork."""
    for module in pkgutil.walk_packages(topicwright.__path__, "topicwright."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    for kind in ("lda", "knowing", "classifier", "regressor", "labelled", "stream"):
        model = topicwright.load(model_file(folder, kind))
        model.transform(["ship wave"])
        if kind != "lda":
            MODELS[kind]()
        if hasattr(model, "predict"):
            model.predict(["ship wave"])


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    was_asked: bool  # to end, since it was still running

    def check(self) -> None:
        """A documented end: ``RefusedError`` where it is an error, ``WrongError`` where it is no documented one."""
        if self.code not in CODES or "Traceback" in self.err:
            raise WrongError(f"exit code {self.code}: {self.err[-3000:]}")
        if self.code == 2:
            last = self.err.strip().rpartition("\n")[2]
            if "error: " not in self.err:
                raise WrongError(f"exit code 2 without its sentence: {self.err[-1000:]!r}")
            raise RefusedError(last)


class Running:
    """A command that was started; its output goes to files in ``folder``."""

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
        self.process = forked(lambda: _become(arguments, folder, (source, self._out, self._err), first))

    def ask(self, number: int = signal.SIGINT) -> None:
        """Send a signal, if it is still there to hear it."""
        with suppress(ProcessLookupError):
            os.kill(self.process, number)

    def ended(self, seconds: float) -> Ended:
        """How it ended; after so many seconds it is asked to, by Ctrl-C."""
        status = waited(self.process, seconds)
        was_asked = status is None
        if status is None:
            self.ask()
            status = waited(self.process, _PATIENCE)
        if status is None:
            self.ask(signal.SIGUSR1)  # tells where its threads are
            time.sleep(1.0)
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)  # whoever it started
        if status is None:
            os.waitpid(self.process, 0)
            raise WrongError(
                f"did not end within {_PATIENCE:g} seconds of Ctrl-C: {self._err.read_text('utf-8', 'replace')}"
            )
        code = os.waitstatus_to_exitcode(status)
        out, err = (path.read_text("utf-8", "replace") for path in (self._out, self._err))
        return Ended(code if code not in (-signal.SIGTERM, -signal.SIGINT) else 128 - code, out, err, was_asked)


def run(arguments: Sequence[str], folder: Path, seconds: float = 6.0, **options: Any) -> Ended:
    """Run a command to its end, or to Ctrl-C after some seconds."""
    return Running(arguments, folder, **options).ended(seconds)


def forked(work: Callable[[], Any]) -> int:
    """Do it in a child of its own group; what it raises is told on its standard error."""
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


def waited(child: int, seconds: float) -> int | None:
    """The status with which a child ended, or None where it runs on."""
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
    os.environ.update(BROWSER="true", PYTHONUNBUFFERED="1")  # a page is shown to nobody
    os.chdir(folder)
    limit_memory()
    sys.argv = ["topicwright", *arguments]
    first()
    main()

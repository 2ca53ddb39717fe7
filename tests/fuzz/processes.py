"""Attacks take turns for a bounded time, each in a process of its own: what kills it, or hangs, is counted too."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .attack import Attack, Outcome, Try, attempt
from .limits import limit_memory

Kind = type[Attack]
_SET_UP = 1200.0  # seconds


class Worker:
    """One attack in a process, which is started again when it has died."""

    def __init__(self, kind: Kind, seed: int, folder: Path) -> None:
        self.kind, self.seed, self.folder = kind, seed, folder
        self.case, self.spent = 0, 0.0
        self._process: Any = None
        self._line: Any = None

    def attempt(self, case: int) -> Try:
        """Try a case; where the process dies or hangs, that is the outcome."""
        if self._process is None:
            self.start()
        begun = time.monotonic()
        try:
            self._line.send(case)
            if self._line.poll(self.kind.seconds):
                return self._line.recv()  # type: ignore[no-any-return]
            said = f"hangs: no end within {self.kind.seconds:g} seconds"
        except (EOFError, ConnectionError):
            self._process.join(10)
            said = f"the process died, exit code {self._process.exitcode}"
        finally:
            self.spent += time.monotonic() - begun
        self._kill()
        return Try(self.kind.name, self.seed, case, Outcome.crashed, "", said)

    def close(self) -> None:
        """End the process, and what it has started."""
        if self._process is not None:
            with suppress(OSError):
                self._line.send(None)
            self._process.join(30)
            self._kill()

    def start(self) -> None:
        """Start the process, and wait until all that it needs is there: that is no part of a try."""
        context = multiprocessing.get_context("forkserver")  # of a process that has done nothing yet
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(self.kind, self.seed, self.folder, theirs))
        self._process.start()
        theirs.close()
        with suppress(EOFError, ConnectionError):  # told by the try, if it died
            if self._line.poll(_SET_UP):
                self._line.recv()

    def _kill(self) -> None:
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._process = None


def _work(kind: Kind, seed: int, folder: Path, line: Any) -> None:
    """The life of a process: cases come in, tries go out."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who counts
    limit_memory()
    attack = kind(folder)
    line.send("ready")
    try:
        while (case := line.recv()) is not None:
            line.send(attempt(attack, seed, case))
    except EOFError:
        pass
    finally:
        attack.close()


def tries(
    kinds: Sequence[Kind], folder: Path, seconds: float, seed: int = 0, cases: Sequence[int] | None = None
) -> Iterator[Try]:
    """Tries of all attacks in turn, each with its share of the time; or of the given cases, once each.

    Setting up does not count: kernels may have to be compiled first.
    """
    workers = [Worker(kind, seed, folder) for kind in kinds]
    try:
        if cases is not None:
            yield from (worker.attempt(case) for worker in workers for case in cases)
            return
        while sum(worker.spent for worker in workers) < seconds:
            worker = min(workers, key=lambda one: one.spent / one.kind.share)
            yield worker.attempt(worker.case)
            worker.case += 1
    finally:
        for worker in workers:
            worker.close()


def counted(done: Sequence[Try], kinds: Sequence[Kind]) -> dict[str, Counter[Outcome]]:
    """How often each attack ended in each way."""
    counts: dict[str, Counter[Outcome]] = {kind.name: Counter() for kind in kinds}
    for one in done:
        counts[one.attack][one.outcome] += 1
    return counts

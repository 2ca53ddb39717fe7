"""Attacks take turns for a bounded time, each in its own process, so that crashes and hangs are counted too."""

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

from .attack import Attack, Outcome, Trial, run_trial
from .limits import limit_memory

Kind = type[Attack]
_SET_UP = 1200.0  # seconds


class Worker:
    """An attack in a process of its own, which is restarted when it dies."""

    def __init__(self, kind: Kind, seed: int, folder: Path) -> None:
        self.kind, self.seed, self.folder = kind, seed, folder
        self.case, self.spent = 0, 0.0
        self._process: Any = None
        self._line: Any = None

    def run_trial(self, case: int) -> Trial:
        """Run a case; if the process dies or hangs, that is the outcome."""
        if self._process is None:
            self.start()
        begun = time.monotonic()
        try:
            self._line.send(case)
            if self._line.poll(self.kind.timeout):
                return self._line.recv()  # type: ignore[no-any-return]
            message = f"hangs: no end within {self.kind.timeout:g} seconds"
        except (EOFError, ConnectionError):
            self._process.join(10)
            message = f"the process died, exit code {self._process.exitcode}"
        finally:
            self.spent += time.monotonic() - begun
        self._kill()
        return Trial(self.kind.name, self.seed, case, Outcome.crashed, "", message)

    def close(self) -> None:
        """Stop the process and its children."""
        if self._process is not None:
            with suppress(OSError):
                self._line.send(None)
            self._process.join(30)
            self._kill()

    def start(self) -> None:
        """Start the process and wait until it is ready; this time does not count."""
        context = multiprocessing.get_context("forkserver")  # forked from a process that has done nothing yet
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(self.kind, self.seed, self.folder, theirs))
        self._process.start()
        theirs.close()
        with suppress(EOFError, ConnectionError):  # the next case reports that it died
            if self._line.poll(_SET_UP):
                self._line.recv()

    def _kill(self) -> None:
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._process = None


def _work(kind: Kind, seed: int, folder: Path, line: Any) -> None:
    """Main loop of a worker: receives cases and sends trials."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    limit_memory()
    attack = kind(folder)
    line.send("ready")
    try:
        while (case := line.recv()) is not None:
            line.send(run_trial(attack, seed, case))
    except EOFError:
        pass
    finally:
        attack.close()


def run_attacks(
    kinds: Sequence[Kind], folder: Path, seconds: float, seed: int = 0, cases: Sequence[int] | None = None
) -> Iterator[Trial]:
    """Run all attacks in turn, each for its share of the time; or only the given cases.

    Preparation does not count: kernels may have to be compiled first.
    """
    workers = [Worker(kind, seed, folder) for kind in kinds]
    try:
        if cases is not None:
            yield from (worker.run_trial(case) for worker in workers for case in cases)
            return
        while sum(worker.spent for worker in workers) < seconds:
            worker = min(workers, key=lambda one: one.spent / one.kind.weight)
            yield worker.run_trial(worker.case)
            worker.case += 1
    finally:
        for worker in workers:
            worker.close()


def count_outcomes(done: Sequence[Trial], kinds: Sequence[Kind]) -> dict[str, Counter[Outcome]]:
    """Number of trials by attack and outcome."""
    counts: dict[str, Counter[Outcome]] = {kind.name: Counter() for kind in kinds}
    for one in done:
        counts[one.attack][one.outcome] += 1
    return counts

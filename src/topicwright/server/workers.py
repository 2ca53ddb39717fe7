"""Worker processes that share a listening socket."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from ..errors import TopicwrightError

_POLL_SECONDS = 0.2
_START_SECONDS = 60.0  # for a worker to start
_GRACE_SECONDS = 5.0  # after the time for running requests
_MAX_EARLY_DEATHS = 5  # in a row, of workers that ran for less than a second


class WorkerProcesses:
    """Processes that answer requests, forked after the model was loaded, so that they share its memory.

    A worker that dies is replaced. A worker whose parent has died stops.

    Parameters
    ----------
    n_workers : int
    serve : callable
        Serves until the function that it is passed returns True; called in each worker, after ``is_replacement``
        said whether another worker was there before.
    is_over : callable
        Whether a signal requested the end.
    drain : float
        Seconds for running requests at the end.
    """

    def __init__(self, n_workers: int, serve: Callable[..., None], is_over: Callable[[], bool], drain: float) -> None:
        self._context: Any = multiprocessing.get_context("fork")
        self._n_workers, self._serve, self._is_over, self._drain = n_workers, serve, is_over, drain
        self._processes: dict[BaseProcess, float] = {}
        self._started = self._context.Semaphore(0)

    def run(self, on_start: Callable[[], None], reload_requested: Callable[[], bool]) -> None:
        """Run the workers until the end.

        Parameters
        ----------
        on_start : callable
            Called when all workers accept requests.
        reload_requested : callable
            Whether the workers have to reload the model; each True is passed on once.
        """
        try:
            for _ in range(self._n_workers):
                self._fork(is_replacement=False)
            for _ in range(self._n_workers):
                self._wait_for_start()
            if not self._is_over():
                on_start()
            self._supervise(reload_requested)
        finally:
            self._stop()

    def _wait_for_start(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while not self._started.acquire(timeout=_POLL_SECONDS) and not self._is_over():
            if time.monotonic() > end or any(process.exitcode is not None for process in self._processes):
                raise TopicwrightError("a worker process did not start")

    def _supervise(self, reload_requested: Callable[[], bool]) -> None:
        n_early_deaths = 0
        while not self._is_over():
            wait([process.sentinel for process in self._processes], timeout=_POLL_SECONDS)
            if reload_requested():
                self._send(signal.SIGHUP)
            for process in [process for process in self._processes if process.exitcode is not None]:
                ran = time.monotonic() - self._processes.pop(process)
                n_early_deaths = n_early_deaths + 1 if ran < 1 else 0
                if n_early_deaths > _MAX_EARLY_DEATHS:
                    raise TopicwrightError("worker processes end as soon as they start")
                if not self._is_over():
                    self._forget(process)
                    self._fork(is_replacement=True)

    @staticmethod
    def _forget(process: BaseProcess) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(process.pid)  # type: ignore[no-untyped-call]

    def _fork(self, *, is_replacement: bool) -> None:
        process = self._context.Process(target=self._run_worker, args=(os.getpid(), is_replacement))
        process.start()
        self._processes[process] = time.monotonic()

    def _run_worker(self, parent: int, is_replacement: bool) -> None:
        self._serve(
            is_replacement=is_replacement,
            on_start=self._started.release,
            is_over=lambda: self._is_over() or os.getppid() != parent,
        )

    def _send(self, number: int) -> None:
        for process in self._processes:
            if process.exitcode is None and process.pid is not None:
                os.kill(process.pid, number)

    def _stop(self) -> None:
        self._send(signal.SIGTERM)
        end = time.monotonic() + self._drain + _GRACE_SECONDS
        for process in self._processes:
            process.join(max(0.0, end - time.monotonic()))
        for process in self._processes:
            if process.exitcode is None:
                process.kill()
                process.join()

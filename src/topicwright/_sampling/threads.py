"""Tasks for a pool of threads, some of which depend on others."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple


class ThreadTask(NamedTuple):
    """A call, and the numbers of earlier tasks that must be done before it."""

    call: Callable[[], Any]
    needs: tuple[int, ...] = ()


def new_pool(n_threads: int) -> ThreadPoolExecutor | None:
    """Pool of threads; None for one thread, that of the caller."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright") if n_threads > 1 else None


def run(tasks: Sequence[ThreadTask], pool: ThreadPoolExecutor | None, n_threads: int) -> list[Any]:
    """Results of all tasks. Threads take tasks in order, so those that a task waits for have been started."""
    if pool is None or len(tasks) == 1:
        return [task.call() for task in tasks]
    results: list[Any] = [None] * len(tasks)
    done = [threading.Event() for _ in tasks]
    failed = threading.Event()
    numbers = itertools.count()

    def work() -> None:
        while (number := next(numbers)) < len(tasks):
            for needed in tasks[number].needs:
                done[needed].wait()
            try:
                if not failed.is_set():
                    results[number] = tasks[number].call()
            except BaseException:
                failed.set()
                raise
            finally:
                done[number].set()

    for future in [pool.submit(work) for _ in range(min(n_threads, len(tasks)))]:
        future.result()
    return results

"""Threads that ask the model, and turns between requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .refusals import RefusedError

Result = TypeVar("Result")


class Workers:
    """Threads for pieces of work. Kernels let go of the GIL, so that as many run at a time as there are threads.

    A request is cut into small pieces, each of which queues up when the one before it is done. So a large request takes
    turns with others, and a small one waits for a piece, not for a request.
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="topicwright-serve")

    async def run(
        self, pieces: Iterable[Callable[[], Result]], is_given_up: Callable[[], Awaitable[bool]]
    ) -> list[Result]:
        """What each piece gives; it stops between pieces where nobody waits for it any more."""
        loop, results = asyncio.get_running_loop(), []
        for piece in pieces:
            if await is_given_up():
                raise RefusedError(499, "the client has gone")
            results.append(await loop.run_in_executor(self._pool, piece))
        return results

    def close(self) -> None:
        """What is under way is ended; what waits is not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)

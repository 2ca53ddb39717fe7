"""The model of a server, which can be replaced while the server runs."""

from __future__ import annotations

import asyncio
import gc
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import TopicwrightError
from .requests import RequestLimits
from .service import Service

_POLL_SECONDS = 0.5
_Signature = tuple[int, int, int]


class ServedModel:
    """The model of a server and the file that it comes from.

    A request uses the same :attr:`service` until its end. A file that cannot be loaded does not replace the model.

    Parameters
    ----------
    load : callable
        Returns the model.
    limits : RequestLimits, optional
    path : Path, optional
        The file of the model.
    report : callable
        Called with a sentence about each reload.

    Attributes
    ----------
    service : Service
    reload_requested : bool
        Set to reload the model soon, also by a signal handler.
    was_requested : bool
        Whether a reload was requested before.
    n_reloads, n_failed : int
        Numbers of reloads that replaced the model, and of those that did not.
    """

    def __init__(
        self,
        load: Callable[[], Any],
        limits: RequestLimits | None = None,
        path: Path | None = None,
        report: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.limits = limits or RequestLimits()
        self.reload_requested = self.was_requested = False
        self.n_reloads = self.n_failed = 0
        self._load, self._path, self._report = load, path, report
        self._signature = self._seen = self._file_signature()
        self.service = self._open()

    def _open(self) -> Service:
        service = Service(self._load(), self.limits, None if self._path is None else _digest(self._path))
        service.warm_up()
        gc.collect()
        gc.freeze()  # a collection would visit all objects of the model, for tens of milliseconds
        return service

    def reload(self) -> None:
        """Load the file again; if that fails, keep the model."""
        self._signature = self._file_signature()
        gc.unfreeze()  # so that the previous model can go
        try:
            self.service = self._open()
        except Exception as error:  # whatever is wrong with the file, the server must not stop
            self.n_failed += 1
            reason = str(error) if isinstance(error, (TopicwrightError, OSError)) else repr(error)
            self._report(f"error: the model was not reloaded, and the server keeps the previous one: {reason}")
        else:
            self.n_reloads += 1
            self._report(f"reloaded {self._path}")

    def take_request(self) -> bool:
        """Whether a reload was requested since the last call."""
        is_requested, self.reload_requested = self.reload_requested, False
        self.was_requested |= is_requested
        return is_requested

    async def watch(self, *, follow: bool) -> None:
        """Reload the model on request, and with ``follow`` when its file was replaced; runs until it is canceled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if self.take_request() or (follow and self._is_replaced()):
                await asyncio.to_thread(self.reload)

    def _is_replaced(self) -> bool:
        """Whether there is another file than the one that was loaded last, unchanged since the last look at it."""
        previous, self._seen = self._seen, self._file_signature()
        return self._seen is not None and self._seen == previous and self._seen != self._signature

    def _file_signature(self) -> _Signature | None:
        try:
            status = None if self._path is None else self._path.stat()
        except OSError:
            return None
        return None if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()

"""How far a training is: a bar where somebody watches, a line now and then where nobody does."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ._console import messages, say
from ._signals import Stop

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..models import Sweep
    from ..models.training import OnSweep

_SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def reporting(stop: Stop, *, quiet: bool) -> Iterator[OnSweep]:
    """What a model is to call after each sweep: it shows the progress, and ends the training when asked to."""
    if quiet:
        with _silent_library():
            yield lambda sweep: not stop.asked
    elif messages().is_terminal:
        with _bar(stop) as progress:
            yield _Bar(progress, stop)
    else:
        yield _Lines(stop)


@contextmanager
def _silent_library() -> Iterator[None]:
    """Warnings are still shown; that something takes its time is not."""
    logger = logging.getLogger("topicwright")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


class _Lines:
    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.last_line = time.monotonic()
        self.likelihood: float | None = None

    def __call__(self, sweep: Sweep) -> bool:
        self.likelihood = self.likelihood if sweep.log_likelihood is None else sweep.log_likelihood
        if time.monotonic() - self.last_line >= _SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            say(f"sweep {sweep.number:,} of {sweep.last:,}{_likelihood(self.likelihood, ', log-likelihood ')}")
        return not self.stop.asked


class _Bar:
    def __init__(self, progress: Progress, stop: Stop) -> None:
        self.progress, self.stop = progress, stop
        self.task = progress.add_task("", total=None, likelihood="")

    def __call__(self, sweep: Sweep) -> bool:
        task = self.progress.tasks[0]
        if task.total is None:
            first = sweep.number - 1
            self.progress.start_task(self.task)
            self.progress.update(self.task, total=sweep.last - first, first=first)
        fields: dict[str, Any] = {"completed": sweep.number - task.fields["first"]}
        if sweep.log_likelihood is not None:
            fields["likelihood"] = _likelihood(sweep.log_likelihood, "log-likelihood ")
        self.progress.update(self.task, **fields)
        return not self.stop.asked


def _bar(stop: Stop) -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class What(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("stopping after this sweep; Ctrl-C again aborts" if stop.asked else "training")

    class Sweeps(ProgressColumn):
        def render(self, task: Task) -> Text:
            first = task.fields.get("first", 0)
            total = "" if task.total is None else f"/{first + int(task.total):,}"
            return Text(f"{first + int(task.completed):,}{total} sweeps")

    columns = (What(), BarColumn(bar_width=24), Sweeps(), TextColumn("{task.fields[likelihood]}"))
    return Progress(*columns, TimeRemainingColumn(compact=True), console=messages(), transient=True)


def _likelihood(value: float | None, label: str) -> str:
    return "" if value is None else f"{label}{value:.4f}"

"""Training with progress and signals, and messages about its outcome."""

from __future__ import annotations

import logging
import math
import re
import shlex
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import typer

from .._utils.formatting import pluralize
from .._utils.signals import STOP_SIGNALS
from ..errors import InputError
from ..records.predictions import is_labeled, is_supervised, kind_of_target, topic_models
from ._console import messages, print_error, print_message, spinner
from ._outputs import print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..knowledge import KnowledgeReport
    from ..models import LDA, Sweep
    from ..models._training import OnSweep


_SECONDS_BETWEEN_LINES = 10.0
_ERROR_CODE = 2


class StopRequest:
    """Whether a signal requested the end of the training."""

    signal: int | None = None

    @property
    def requested(self) -> bool:
        """Whether there was a signal."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 143 after SIGTERM, 129 after a closed terminal, as in shells."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def catch_signals() -> Iterator[StopRequest]:
    """Catch the first SIGINT, SIGTERM or SIGHUP. Later signals have their usual effect; ignored ones stay ignored."""
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    ours = {number: old for number, old in handlers.items() if old not in (signal.SIG_IGN, None)}

    def restore() -> None:
        for number, old in ours.items():
            signal.signal(number, old)

    had_terminal = sys.stderr is not None and sys.stderr.isatty()

    def record(number: int, frame: Any) -> None:
        stop.signal = number
        if had_terminal and not sys.stderr.isatty():
            messages().quiet = True  # the terminal was closed, and writing to it is an error
        restore()

    for number in ours:
        signal.signal(number, record)
    try:
        yield stop
    finally:
        restore()


@contextmanager
def sweep_progress(stop: StopRequest, *, quiet: bool) -> Iterator[OnSweep]:
    """Callback for each sweep, which shows the progress and ends the training on request."""
    if quiet:
        with _without_log_messages():
            yield lambda sweep: not stop.requested
    elif messages().is_terminal:
        with _progress_bar(stop) as progress:
            yield _Bar(progress, stop)
    else:
        yield _Lines(stop)


@contextmanager
def _without_log_messages() -> Iterator[None]:
    """Hide log messages of the library, but not warnings."""
    logger = logging.getLogger("topicwright")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


class _Lines:
    def __init__(self, stop: StopRequest) -> None:
        self.stop = stop
        self.last_line = time.monotonic()
        self.likelihood: float | None = None

    def __call__(self, sweep: Sweep) -> bool:
        self.likelihood = self.likelihood if sweep.log_likelihood is None else sweep.log_likelihood
        if time.monotonic() - self.last_line >= _SECONDS_BETWEEN_LINES:
            self.last_line = time.monotonic()
            print_message(
                f"sweep {sweep.number:,} of {sweep.last:,}{_likelihood(self.likelihood, ', log-likelihood ')}"
            )
        return not self.stop.requested


class _Bar:
    def __init__(self, progress: Progress, stop: StopRequest) -> None:
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
        return not self.stop.requested


def _progress_bar(stop: StopRequest) -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class StatusColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("stopping after this sweep; Ctrl-C again aborts" if stop.requested else "training")

    class SweepsColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            first = task.fields.get("first", 0)
            total = "" if task.total is None else f"/{first + int(task.total):,}"
            return Text(f"{first + int(task.completed):,}{total} sweeps")

    columns = (StatusColumn(), BarColumn(bar_width=24), SweepsColumn(), TextColumn("{task.fields[likelihood]}"))
    return Progress(*columns, TimeRemainingColumn(compact=True), console=messages(), transient=True)


def _likelihood(value: float | None, label: str) -> str:
    return "" if value is None else f"{label}{value:.4f}"


class Train(Protocol):
    """A model's ``fit`` or ``resume``, with its other arguments bound."""

    def __call__(self, *, on_sweep: OnSweep) -> LDA: ...


class TrainingOutcome(NamedTuple):
    """A saved model, and how its training ended."""

    model: LDA
    path: Path
    seconds: float
    stop: StopRequest
    has_corpus: bool
    threshold: float | None
    not_replaced: Path | None = None
    """The existing file that an interrupted training did not replace."""
    problem: OSError | None = None
    """Why the model was not saved where it was to be."""

    def summary(self) -> dict[str, Any]:
        """Summary for JSON."""
        model, corpus = self.model, self.model.corpus_
        predicts = {"predicts": kind_of_target(model)} if is_supervised(model) or is_labeled(model) else {}
        return {
            "model": str(self.path),
            "documents": corpus.n_docs,
            "tokens": corpus.n_tokens,
            "words": corpus.n_words,
            "topics": len(model.alpha_),
            **predicts,
            **({} if self.threshold is None else {"threshold": self.threshold}),
            "sweeps": model.sweeps_,
            "log_likelihood": model.log_likelihood_[-1][1] if model.log_likelihood_ else None,
            "seconds": round(self.seconds, 3),
            "interrupted": bool(model.interrupted_),
        }

    def describe(self) -> str:
        """One line about the saved model."""
        facts = self.summary()
        likelihood = facts["log_likelihood"]
        return (
            f"saved {self.path}: {pluralize(facts['topics'], 'topic')}, {pluralize(facts['documents'], 'document')}, "
            f"{pluralize(facts['sweeps'], 'sweep')} ({self.seconds:.1f} s)"
            + ("" if likelihood is None else f", log-likelihood {likelihood:.4f} per token")
            + ("" if self.threshold is None else f"; predicts labels with a share of at least {self.threshold:.3g}")
        )


class _Stopwatch:
    """Counts the seconds of sweeps, without the compilation of kernels."""

    seconds = 0.0

    def __call__(self, sweep: Sweep) -> Sweep:
        self.seconds += sweep.seconds
        return sweep


def train_and_save(
    train: Train,
    path: Path,
    *,
    quiet: bool,
    include_corpus: bool = True,
    field: str | None = None,
    n_sweeps: int | None = None,
    save_every: SaveInterval | None = None,
) -> TrainingOutcome:
    """Train a model and save it, also if a signal ends the training early.

    If it ends before ``n_sweeps`` sweeps and the file exists, the model is saved next to it, and the file is not
    changed. With ``save_every`` the model so far is saved there in between, until the training is complete. The model
    file includes the name of the field that the model predicts, and the threshold of labels. If it cannot be written,
    the model is saved in the folder for temporary files.
    """
    existed, partial_path = path.exists(), path.with_name(f"{path.stem}.partial{path.suffix}")
    with catch_signals() as stop:
        stopwatch = _Stopwatch()
        with sweep_progress(stop, quiet=quiet) as on_sweep:
            parts = _Parts(lambda sweep: on_sweep(stopwatch(sweep)), save_every)
            model = train(on_sweep=parts)
            while parts.is_due:
                model.field_ = field or model.field_
                _save_in_between(model, partial_path, parts)
                model.resume(parts.n_missing, on_sweep=parts)
        model.field_ = field or model.field_
        threshold = _threshold(model, quiet)
        is_interrupted = stop.requested and n_sweeps is not None and model.sweeps_ < n_sweeps
        not_replaced = path if existed and is_interrupted else None
        saved, problem = _save(model, path if not_replaced is None else partial_path, include_corpus)
        if parts.has_saved and saved != partial_path and problem is None:
            partial_path.unlink(missing_ok=True)
    return TrainingOutcome(model, saved, stopwatch.seconds, stop, include_corpus, threshold, not_replaced, problem)


class SaveInterval(NamedTuple):
    """How often the model is saved during the training: after a number of sweeps, or of seconds."""

    sweeps: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str | None) -> SaveInterval | None:
        """Interval of an option.

        >>> SaveInterval.parse("20"), SaveInterval.parse("10min")
        (SaveInterval(sweeps=20, seconds=None), SaveInterval(sweeps=None, seconds=600.0))
        """
        if text is None:
            return None
        found = re.fullmatch(r"(\d{1,9})\s*(min)?", text.strip(), re.ASCII)
        if found is None or int(found[1]) == 0:
            raise InputError(
                parameter="--save-every",
                expected="a number of sweeps, such as 20, or of minutes, such as 10min",
                got=text,
            )
        return cls(seconds=60.0 * int(found[1])) if found[2] else cls(sweeps=int(found[1]))


class _Parts:
    """Callback that ends a part of the training when the model has to be saved.

    Parts give the same model as a training without breaks, since ``resume`` continues exactly.
    """

    def __init__(self, on_sweep: OnSweep, interval: SaveInterval | None) -> None:
        self._on_sweep, self._interval = on_sweep, interval
        self._sweeps, self._start = 0, time.monotonic()
        self.is_due = self.has_saved = False
        self.n_missing = 0

    def __call__(self, sweep: Sweep) -> bool:
        """Note a sweep; False ends the part."""
        goes_on = self._on_sweep(sweep) is not False
        self._sweeps += 1
        self.n_missing = sweep.last - sweep.number
        self.is_due = goes_on and self.n_missing > 0 and self._is_over()
        return goes_on and not self.is_due

    def _is_over(self) -> bool:
        if self._interval is None:
            return False
        sweeps, seconds = self._interval
        return self._sweeps >= (sweeps or math.inf) or time.monotonic() - self._start >= (seconds or math.inf)

    def start(self) -> None:
        """Start the next part."""
        self._sweeps, self._start, self.is_due = 0, time.monotonic(), False


def _save_in_between(model: LDA, path: Path, parts: _Parts) -> None:
    try:
        model.save(path)
    except OSError as error:  # the training is worth more than the copy
        print_message(f"cannot save the model so far: {_reason(error)}; the training continues", "yellow")
    else:
        parts.has_saved = True
    parts.start()


def _save(model: LDA, path: Path, include_corpus: bool) -> tuple[Path, OSError | None]:
    """Save a model; if that fails, in the folder for temporary files, or in a terminal when the user asks for it.

    Returns
    -------
    path : Path
        The file.
    problem : OSError or None
        Why it is not the one that was passed.
    """
    try:
        model.save(path, include_corpus=include_corpus)
    except OSError as error:
        problem = error
    else:
        return path, None
    while True:
        with suppress(OSError):
            folder = Path(tempfile.mkdtemp(prefix="topicwright-"))
            try:
                model.save(folder / path.name, include_corpus=include_corpus)
            except OSError:
                folder.rmdir()
                raise
            return folder / path.name, problem
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise problem
        print_message(f"cannot write {path}: {_reason(problem)}", "red")
        print_message("the model is in memory: make room, then press Enter to try again; Ctrl-C gives it up")
        sys.stdin.readline()
        try:
            model.save(path, include_corpus=include_corpus)
        except OSError as error:
            problem = error
        else:
            return path, None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).removeprefix("cannot write the file: ")


def _threshold(model: Any, quiet: bool) -> float | None:
    """Threshold of predicted labels, which is computed now so that the file has it."""
    if not is_labeled(model) or not model.multilabel_:
        return None
    with spinner("finding the threshold of labels", quiet=quiet):
        return float(model.threshold_)


def report(
    outcome: TrainingOutcome, n_sweeps: int, *, quiet: bool, as_json: bool, resume_command: str | None = None
) -> None:
    """Print the outcome of a training, and exit with the code of the signal if there was one."""
    has_shared_topics = None in topic_models(outcome.model)
    has_report = (as_json or not quiet) and has_shared_topics and len(outcome.model.knowledge) > 0
    knowledge = outcome.model.knowledge_report(before=False) if has_report else None
    if as_json:
        print_json(outcome.summary() | _knowledge_record(knowledge))
    exit_if_incomplete(outcome, n_sweeps, resume_command)
    if not quiet:
        print_message(outcome.describe())
        for sentence in [] if knowledge is None else knowledge.summary():
            print_message(sentence)


def _knowledge_record(report: KnowledgeReport | None) -> dict[str, Any]:
    if report is None or not report.rows:
        return {}
    return {"knowledge": {"satisfied": report.satisfied, "violated": report.violated}}


def exit_if_incomplete(outcome: TrainingOutcome, n_sweeps: int, resume_command: str | None = None) -> None:
    """Say where the model is if it could not be written, how to continue after a signal, and exit with the code."""
    if outcome.problem is not None:
        print_error(f"cannot write the model: {_reason(outcome.problem)}")
        print_message(f"it is saved in {outcome.path} instead: move it before temporary files are deleted")
    if outcome.stop.requested:
        _report_interruption(outcome, n_sweeps, resume_command)
        raise typer.Exit(outcome.stop.exit_code)
    if outcome.problem is not None:
        raise typer.Exit(_ERROR_CODE)


def _report_interruption(outcome: TrainingOutcome, n_sweeps: int, resume_command: str | None) -> None:
    model, path = outcome.model, outcome.path
    remaining = n_sweeps - model.sweeps_
    if remaining <= 0:
        print_message(f"interrupted after the last sweep: the model is saved in {path}")
        return
    done = f"{model.sweeps_:,} of {pluralize(n_sweeps, 'sweep')}"
    print_message(f"stopped after {done}: the model so far is saved in {path}", "yellow")
    if outcome.not_replaced is not None:
        print_message(f"{outcome.not_replaced} is unchanged")
    if resume_command is None and outcome.has_corpus:
        resume_command = f"topicwright resume {shlex.quote(str(path))} --sweeps {remaining}"
    if resume_command is not None:
        print_message(f"continue with:  {resume_command}")

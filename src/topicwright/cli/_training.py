"""Training with progress, signals that save what was learned, and a word about the outcome."""

from __future__ import annotations

import logging
import shlex
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import typer

from .._utils.formatting import pluralize
from ..records.model_types import is_labeled, is_supervised, topic_models
from ..records.predictions import what_it_predicts
from ._console import messages, say, waiting
from ._outputs import print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..knowledge import KnowledgeReport
    from ..models import LDA, Sweep
    from ..models._training import OnSweep


class Stop:
    """Whether somebody asked for the end, and with which signal."""

    signal: int | None = None

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 143 after SIGTERM, as shells have it."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def stopping_on_signals() -> Iterator[Stop]:
    """Note the first signal; after it, signals do what they did before. What was ignored stays so."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {number: old for number, old in handlers.items() if old not in (signal.SIG_IGN, None)}

    def restore() -> None:
        for number, old in ours.items():
            signal.signal(number, old)

    def note(number: int, frame: Any) -> None:
        stop.signal = number
        restore()

    for number in ours:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        restore()


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


class Train(Protocol):
    """A model's ``fit`` or ``resume``, with its other arguments bound."""

    def __call__(self, *, on_sweep: OnSweep) -> LDA: ...


class TrainingOutcome(NamedTuple):
    """A model that is saved, and how that came about."""

    model: LDA
    path: Path
    seconds: float
    stop: Stop
    has_corpus: bool
    threshold: float | None
    left_alone: Path | None = None
    """The file that a whole training would have replaced."""

    def summary(self) -> dict[str, Any]:
        """What a program may want to know."""
        model, corpus = self.model, self.model.corpus_
        predicts = {"predicts": what_it_predicts(model)} if is_supervised(model) or is_labeled(model) else {}
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


class _StopWatch:
    """Counts the seconds of the sweeps alone: a first compilation is no part of the training."""

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
    asked: int | None = None,
) -> TrainingOutcome:
    """Train and save; where a signal ends the training early, what was learned until then is saved.

    Where that was before ``asked`` sweeps, it goes beside a file that is there already, which is left as it was.
    The file remembers the field that was learned from, and what it takes to predict from it.
    """
    was_there = path.exists()
    with stopping_on_signals() as stop:
        watch = _StopWatch()
        with reporting(stop, quiet=quiet) as on_sweep:
            model = train(on_sweep=lambda sweep: on_sweep(watch(sweep)))
        model.field_ = field or model.field_
        threshold = _threshold(model, quiet)
        is_cut_off = stop.asked and asked is not None and model.sweeps_ < asked
        left_alone = path if was_there and is_cut_off else None
        if left_alone is not None:
            path = path.with_name(f"{path.stem}.partial{path.suffix}")
        model.save(path, include_corpus=include_corpus)
    return TrainingOutcome(model, path, watch.seconds, stop, include_corpus, threshold, left_alone)


def _threshold(model: Any, quiet: bool) -> float | None:
    """The share from which on labels are predicted: found now, it is kept in the file."""
    if not is_labeled(model) or not model.multilabel_:
        return None
    with waiting("finding the threshold of labels", quiet=quiet):
        return float(model.threshold_)


def report(trained: TrainingOutcome, asked: int, *, quiet: bool, as_json: bool, again: str | None = None) -> None:
    """Tell what was done, and leave with the signal's exit code if there was one; ``again`` is how to go on then."""
    is_shared = None in topic_models(trained.model)  # what a report is about
    has_report = (as_json or not quiet) and is_shared and len(trained.model.knowledge) > 0
    known = trained.model.knowledge_report(before=False) if has_report else None
    if as_json:
        print_json(trained.summary() | _in_figures(known))
    if trained.stop.asked:
        _tell_of_stop(trained, asked, again)
        raise typer.Exit(trained.stop.exit_code)
    if not quiet:
        say(_in_short(trained))
        for sentence in [] if known is None else known.summary():
            say(sentence)


def _in_figures(known: KnowledgeReport | None) -> dict[str, Any]:
    if known is None or not known.rows:
        return {}
    return {"knowledge": {"satisfied": known.satisfied, "violated": known.violated}}


def _in_short(trained: TrainingOutcome) -> str:
    facts = trained.summary()
    likelihood = facts["log_likelihood"]
    return (
        f"saved {trained.path}: {pluralize(facts['topics'], 'topic')}, {pluralize(facts['documents'], 'document')}, "
        f"{pluralize(facts['sweeps'], 'sweep')} ({trained.seconds:.1f} s)"
        + ("" if likelihood is None else f", log-likelihood {likelihood:.4f} per token")
        + ("" if trained.threshold is None else f"; predicts labels from a share of {trained.threshold:.3g} on")
    )


def _tell_of_stop(trained: TrainingOutcome, asked: int, again: str | None) -> None:
    model, path = trained.model, trained.path
    left = asked - model.sweeps_
    if left <= 0:
        say(f"interrupted, but the training was done: the model is saved in {path}")
        return
    say(
        f"stopped after {model.sweeps_:,} of {pluralize(asked, 'sweep')}: the model so far is saved in {path}", "yellow"
    )
    if trained.left_alone is not None:
        say(f"{trained.left_alone} is as it was")
    if again is None and trained.has_corpus:
        again = f"topicwright resume {shlex.quote(str(path))} --sweeps {left}"
    if again is not None:
        say(f"go on with:  {again}")

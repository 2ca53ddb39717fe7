"""Output of a stream: status on the terminal, JSON on standard output, files of alerts and bad lines."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..._utils.formatting import pluralize, safe_json
from ...models.online.state import SourcePosition
from ...streaming import BadLine, Event, Saved, SaveFailed, SourceRotated, Started, Status
from .._console import messages, one_line, print_message, standard_output
from .._outputs import is_standard
from .._training import StopRequest

_REFRESH_SECONDS = 0.5  # between updates of the status block
_STOPPING = "being saved; Ctrl-C again leaves the file unchanged"
_SHOWN_BAD_LINES = 5


class StatusBlock:
    """Status as a block at the bottom of a terminal, below other messages."""

    def __init__(self, stop: StopRequest) -> None:
        from rich.live import Live

        self._stop = stop
        self._live = Live(console=messages(), auto_refresh=False, transient=True)
        self._last_alert = ""

    def __enter__(self) -> StatusBlock:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def alert(self, sentence: str) -> None:
        """Show an alert as the last one."""
        self._last_alert = sentence

    def show(self, status: Status) -> None:
        """Update the block."""
        from rich.table import Table
        from rich.text import Text

        block = Table.grid(padding=(0, 2))
        block.add_column(style="dim", no_wrap=True, min_width=len("perplexity"))
        block.add_column(overflow="ellipsis", no_wrap=True)
        for name, text in self._rows(status):
            block.add_row(Text(name), Text(one_line(text)))
        self._live.update(block, refresh=True)

    def _rows(self, status: Status) -> Iterable[tuple[str, str]]:
        yield "read", f"{_line_of(status)}{'; waiting for more' if status.is_waiting else ''}"
        yield "documents", f"{status.documents:,}, {_rate(status.documents_per_second)}{_skipped(status)}"
        yield (
            "words",
            f"{status.words:,}, {_rate(status.words_per_second)}; {pluralize(status.vocabulary, 'distinct word')}",
        )
        if status.topics:
            yield "topics", f"{status.topics:,}"
        else:
            new = f"; new: {_last(status.new_labels, status.n_new_labels)}" if status.n_new_labels else ""
            yield "labels", f"{status.labels:,}{new}"
            yield "perplexity", f"{_number(status.perplexity)} over the last {pluralize(status.window, 'document')}"
            yield "particles", _particles(status)
        if status.rising or status.falling:
            yield "rising", ", ".join(status.rising)
            yield "falling", ", ".join(status.falling)
        if status.alerts:
            yield "alerts", f"{status.alerts:,}; the last: {self._last_alert}"
        yield "model", _STOPPING if self._stop.requested else _saved(status)


class StatusLines:
    """Status as lines, if standard error is not a terminal."""

    def __init__(self) -> None:
        self._n_new_labels = 0

    def __enter__(self) -> StatusLines:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def alert(self, sentence: str) -> None:
        """Do nothing: the status has the number of alerts."""

    def show(self, status: Status) -> None:
        """Print a line."""
        print_message("; ".join(self._parts(status)))

    def _parts(self, status: Status) -> Iterable[str]:
        yield f"{_line_of(status)}: {pluralize(status.documents, 'document')}, {_rate(status.documents_per_second)}"
        yield f"{pluralize(status.words, 'word')}, {_rate(status.words_per_second)}{_skipped(status)}"
        if status.topics:
            yield pluralize(status.topics, "topic")
        else:
            yield f"perplexity {_number(status.perplexity)}"
            yield f"particles {_particles(status)}"
            n_new = status.n_new_labels - self._n_new_labels
            self._n_new_labels = status.n_new_labels
            new = f", new: {_last(status.new_labels[-n_new:], n_new)}" if n_new else ""
            yield f"{pluralize(status.labels, 'label')}{new}"
        if status.rising or status.falling:
            yield f"rising: {', '.join(status.rising)}"
            yield f"falling: {', '.join(status.falling)}"
        if status.alerts:
            yield pluralize(status.alerts, "alert")
        yield _saved(status)


def _line_of(status: Status) -> str:
    place = status.position
    if place is None:
        return "nothing yet"
    share = "" if not status.size else f" ({min(1.0, place.offset / status.size):.0%})"
    return f"line {place.lines:,}{share}"


def _saved(status: Status) -> str:
    return "not saved yet" if status.saved is None else f"saved at line {status.saved.lines:,}"


def _particles(status: Status) -> str:
    return f"{status.particles}, effective {status.effective_particles:.1f}"


def _skipped(status: Status) -> str:
    skipped = f"; {status.skipped:,} without labels" if status.skipped else ""
    return skipped + (f"; {pluralize(status.bad_lines, 'bad line')}" if status.bad_lines else "")


def _last(names: Iterable[Any], n: int) -> str:
    """The last of ``n`` names."""
    shown = list(map(str, names))
    return f"{'… ' if n > len(shown) else ''}{', '.join(shown)}"


def _rate(number: float) -> str:
    return f"{number:,.0f} a second" if number >= 10 or number == 0 else f"{number:.1f} a second"


def _number(number: float) -> str:
    return "unknown yet" if number != number else f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


class StreamReporter:
    """Callback for the events of a stream."""

    def __init__(
        self,
        title: str,
        model_file: Path,
        stop: StopRequest,
        *,
        quiet: bool,
        as_json: bool,
        every: float,
        bad_lines: Path | None,
        alerts: Path | None,
    ) -> None:
        self._title, self._model_file, self._quiet, self._as_json = title, model_file, quiet, as_json
        self._every, self._next_record = every, time.monotonic() + every
        is_terminal = messages().is_terminal
        self._display = None if quiet else StatusBlock(stop) if is_terminal else StatusLines()
        self.status_every = min(_REFRESH_SECONDS, every) if is_terminal and not quiet else every
        self._bad_lines = None if bad_lines is None else _LineFile(bad_lines)
        self._alerts = None if alerts is None or is_standard(alerts) else _LineFile(alerts)
        self._prints_alerts = as_json or (alerts is not None and is_standard(alerts))
        self._n_bad = 0
        self._failure = ""  # of the last checkpoint
        self._is_muted = False
        self._stack = ExitStack()

    def __enter__(self) -> StreamReporter:
        if self._display is not None:
            self._stack.enter_context(self._display)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def end(self, status: Status) -> None:
        """Print the final status."""
        self._print("end", status_record(status))

    def mute(self) -> None:
        """Print nothing any more, since standard output is closed."""
        self._is_muted = True

    def __call__(self, event: Event) -> None:
        """Handle an event."""
        if self._is_muted:
            return
        if isinstance(event, Status):
            self._status(event)
        elif isinstance(event, BadLine):
            self._bad_line(event)
        elif isinstance(event, SaveFailed):
            self._save_failed(event)
        elif isinstance(event, Saved):
            self._saved(event)
        elif isinstance(event, (Started, SourceRotated)):
            self._print_message(_describe_start(event, self._title, self._model_file))
            self._print("rotated" if isinstance(event, SourceRotated) else "started", _position(event.position))
        else:
            self._alert(event)

    # ------------------------------------------------------------------ by kind

    def _status(self, status: Status) -> None:
        if self._display is not None:
            self._display.show(status)
        if time.monotonic() >= self._next_record:
            self._next_record = time.monotonic() + self._every
            self._print("status", status_record(status))

    def _bad_line(self, line: BadLine) -> None:
        self._print("bad_line", {"line": line.number, "reason": line.reason, "left": line.is_incomplete})
        if line.is_incomplete:
            self._print_message(f"the last line is incomplete and is not read yet: {line.reason}", "yellow")
            return
        self._n_bad += 1
        if self._bad_lines is not None:
            self._bad_lines.add(line.data)
        if self._n_bad <= _SHOWN_BAD_LINES:
            self._print_message(f"bad line: {line.reason}", "yellow")
        if self._n_bad == _SHOWN_BAD_LINES:
            self._print_message(
                "more bad lines are counted, not shown; write them to a file with --bad-lines FILE", "yellow"
            )

    def _save_failed(self, event: SaveFailed) -> None:
        reason = event.error.strerror or str(event.error)
        self._print("not_saved", {"reason": reason})
        if reason != self._failure:
            last = "nothing is saved yet" if event.last is None else f"it is saved up to line {event.last.lines:,}"
            print_message(
                f"warning: {self._model_file}: {reason}; {last}; learning continues, and saving is tried again",
                "yellow",
            )
        self._failure = reason

    def _saved(self, event: Saved) -> None:
        self._print("saved", {**_position(event.position), "seconds": round(event.seconds, 3)})
        if self._failure:
            print_message(f"{self._model_file} is saved again, up to line {event.position.lines:,}")
        self._failure = ""

    def _alert(self, alert: Any) -> None:
        record = {**dataclasses.asdict(alert), "message": str(alert)}
        if self._prints_alerts:
            self._write("alert", record)
        if self._alerts is not None:
            self._alerts.add(safe_json(record).encode())
        if self._display is not None:
            self._display.alert(str(alert))

    # ------------------------------------------------------------------ output

    def _print_message(self, text: str, style: str = "") -> None:
        if not self._quiet:
            print_message(text, style)

    def _print(self, event: str, record: dict[str, Any]) -> None:
        if self._as_json:
            self._write(event, record)

    def _write(self, event: str, record: dict[str, Any]) -> None:
        output = standard_output()
        output.write(safe_json({"event": event, **record}) + "\n")
        output.flush()


class _LineFile:
    """File that lines are appended to; if that fails, the stream continues."""

    def __init__(self, path: Path) -> None:
        self._path, self._has_failed = path, False

    def add(self, line: bytes) -> None:
        try:
            with self._path.open("ab") as file:  # so that a partial write is noticed
                file.write(line + b"\n")
        except OSError as error:
            if not self._has_failed:
                print_message(f"warning: {self._path}: {error.strerror or error}; lines are missing there", "yellow")
            self._has_failed = True


def _describe_start(event: Started | SourceRotated, title: str, model_file: Path) -> str:
    if isinstance(event, SourceRotated):
        what = f"{title} was truncated" if event.was_truncated else f"{title} is another file now"
        return f"{what}: reading continues with its first line"
    where = (
        f"after line {event.position.lines:,} of {title}" if event.position.lines else f"with the first line of {title}"
    )
    if event.n_documents:
        return f"{model_file} has learned from {pluralize(event.n_documents, 'document')}, and continues {where}"
    return f"{model_file} starts {where}"


def _position(place: SourcePosition | None) -> dict[str, Any]:
    return {"line": None, "byte": None} if place is None else {"line": place.lines, "byte": place.offset}


def status_record(status: Status) -> dict[str, Any]:
    """Status as JSON."""
    fields = {
        name: value for name, value in status._asdict().items() if name not in ("position", "saved", "perplexity")
    }
    perplexity = None if math.isnan(status.perplexity) else status.perplexity
    return {**_position(status.position), **fields, "perplexity": perplexity, "saved": _position(status.saved)}

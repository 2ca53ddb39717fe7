"""What a stream has to tell, taken to where it belongs: the screen, standard output, files of alerts and bad lines."""

from __future__ import annotations

import dataclasses
import math
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .._showing import how_many
from ..answers.jsontext import to_json
from ..models.online_places import Place
from ..streams import BadLine, Begun, Event, NotSaved, Saved, Status, Turn
from ._console import messages, say, standard_output
from ._files import is_standard
from ._following import REDRAWN_EVERY, Lines, Screen
from ._signals import Stop

_SHOWN_BAD_LINES = 5


class Telling:
    """Takes events as they come."""

    def __init__(
        self,
        title: str,
        model_file: Path,
        stop: Stop,
        *,
        quiet: bool,
        as_json: bool,
        every: float,
        bad_lines: Path | None,
        alerts: Path | None,
    ) -> None:
        self._title, self._model_file, self._quiet, self._as_json = title, model_file, quiet, as_json
        self._every, self._next_record = every, time.monotonic() + every
        is_watched = messages().is_terminal
        self._display = None if quiet else Screen(stop) if is_watched else Lines()
        self.status_every = min(REDRAWN_EVERY, every) if is_watched and not quiet else every
        self._bad_lines = None if bad_lines is None else _Kept(bad_lines)
        self._alerts = None if alerts is None or is_standard(alerts) else _Kept(alerts)
        self._prints_alerts = as_json or (alerts is not None and is_standard(alerts))
        self._n_bad = 0
        self._failure = ""  # of the last checkpoint
        self._is_mute = False
        self._stack = ExitStack()

    def __enter__(self) -> Telling:
        if self._display is not None:
            self._stack.enter_context(self._display)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def end(self, status: Status) -> None:
        """The last word."""
        self._print("end", figures(status))

    def fall_silent(self) -> None:
        """Nobody listens any more."""
        self._is_mute = True

    def __call__(self, event: Event) -> None:
        """One event."""
        if self._is_mute:
            return
        if isinstance(event, Status):
            self._status(event)
        elif isinstance(event, BadLine):
            self._bad_line(event)
        elif isinstance(event, NotSaved):
            self._not_saved(event)
        elif isinstance(event, Saved):
            self._saved(event)
        elif isinstance(event, (Begun, Turn)):
            self._say(_begun(event, self._title, self._model_file))
            self._print(type(event).__name__.lower(), _place(event.place))
        else:
            self._alert(event)

    # ------------------------------------------------------------------ by kind

    def _status(self, status: Status) -> None:
        if self._display is not None:
            self._display.show(status)
        if time.monotonic() >= self._next_record:
            self._next_record = time.monotonic() + self._every
            self._print("status", figures(status))

    def _bad_line(self, line: BadLine) -> None:
        self._print("bad_line", {"line": line.number, "reason": line.reason, "left": line.is_left})
        if line.is_left:
            self._say(f"the last line has no end yet, and is left: {line.reason}", "yellow")
            return
        self._n_bad += 1
        if self._bad_lines is not None:
            self._bad_lines.add(line.data)
        if self._n_bad <= _SHOWN_BAD_LINES:
            self._say(f"bad line: {line.reason}", "yellow")
        if self._n_bad == _SHOWN_BAD_LINES:
            self._say("more bad lines will be counted, not shown; --bad-lines FILE keeps them", "yellow")

    def _not_saved(self, event: NotSaved) -> None:
        reason = event.error.strerror or str(event.error)
        self._print("not_saved", {"reason": reason})
        if reason != self._failure:
            last = "nothing is saved yet" if event.last is None else f"it stands at line {event.last.lines:,}"
            say(f"warning: {self._model_file}: {reason}; {last}; learning goes on, and saving is tried again", "yellow")
        self._failure = reason

    def _saved(self, event: Saved) -> None:
        self._print("saved", {**_place(event.place), "seconds": round(event.seconds, 3)})
        if self._failure:
            say(f"{self._model_file} is saved again, at line {event.place.lines:,}")
        self._failure = ""

    def _alert(self, alert: Any) -> None:
        record = {**dataclasses.asdict(alert), "message": str(alert)}
        if self._prints_alerts:
            self._write("alert", record)
        if self._alerts is not None:
            self._alerts.add(to_json(record).encode())
        if self._display is not None:
            self._display.alert(str(alert))

    # ------------------------------------------------------------------ where to

    def _say(self, text: str, style: str = "") -> None:
        if not self._quiet:
            say(text, style)

    def _print(self, event: str, record: dict[str, Any]) -> None:
        if self._as_json:
            self._write(event, record)

    def _write(self, event: str, record: dict[str, Any]) -> None:
        output = standard_output()
        output.write(to_json({"event": event, **record}) + "\n")
        output.flush()


class _Kept:
    """A file that lines are added to; where that fails, the stream goes on all the same."""

    def __init__(self, path: Path) -> None:
        self._path, self._has_failed = path, False

    def add(self, line: bytes) -> None:
        try:
            with self._path.open("ab") as file:  # which notices where only a part was written
                file.write(line + b"\n")
        except OSError as error:
            if not self._has_failed:
                say(f"warning: {self._path}: {error.strerror or error}; lines are missing there", "yellow")
            self._has_failed = True


def _begun(event: Begun | Turn, title: str, model_file: Path) -> str:
    if isinstance(event, Turn):
        what = f"{title} was cut short" if event.was_cut else f"another file has the name {title} now"
        return f"{what}: reading goes on with its first line"
    where = f"after line {event.place.lines:,} of {title}" if event.place.lines else f"with the first line of {title}"
    if event.n_documents:
        return f"{model_file} has learned from {how_many(event.n_documents, 'document')}, and goes on {where}"
    return f"{model_file} begins {where}"


def _place(place: Place | None) -> dict[str, Any]:
    return {"line": None, "byte": None} if place is None else {"line": place.lines, "byte": place.offset}


def figures(status: Status) -> dict[str, Any]:
    """For programs."""
    told = {name: value for name, value in status._asdict().items() if name not in ("place", "saved", "perplexity")}
    perplexity = None if math.isnan(status.perplexity) else status.perplexity
    return {**_place(status.place), **told, "perplexity": perplexity, "saved": _place(status.saved)}

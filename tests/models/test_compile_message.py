"""Log message while kernels are compiled."""

import logging
import threading

import pytest
from numba.core.event import trigger_event

from topicwright.models._training import _CompilationLogger, log_compilation


class LogRecorder(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines, self.has_message = [], threading.Event()

    def emit(self, record):
        self.lines.append(record.getMessage())
        self.has_message.set()


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(_CompilationLogger, "has_logged", False)
    monkeypatch.setattr(_CompilationLogger, "delay", 0.0)
    logger, handler = logging.getLogger("topicwright"), LogRecorder()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.setLevel(level)
    logger.removeHandler(handler)


def timers():
    return {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}


def test_compile_message_is_logged_once(recorder):
    for _ in range(2):
        with log_compilation(), trigger_event("numba:compile"):
            assert recorder.has_message.wait(30)
            with trigger_event("numba:compile"):  # what it inlines
                pass
    assert recorder.lines == ["compiling this kind of model (first run only)"]


def test_no_message_when_nothing_is_compiled(recorder):
    before = timers()  # of others
    with log_compilation():
        assert timers() <= before
    assert recorder.lines == []


def test_no_message_when_compilation_is_quick(recorder, monkeypatch):
    monkeypatch.setattr(_CompilationLogger, "delay", 3600.0)
    before = timers()
    with log_compilation(), trigger_event("numba:compile"):
        [timer] = timers() - before
    timer.join(30)
    assert not timer.is_alive()
    assert recorder.lines == []

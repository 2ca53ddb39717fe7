"""What happens when people do something in a window."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import background_tasks

from ..errors import InputError
from ..steering import Steering, Step
from .actions import step_for_document, step_for_topic, step_for_words
from .branch_session import PROBLEMS, BranchSession
from .window import Window

Handler = Callable[[Any], Awaitable[None]]
_MOST_SELECTED = 50


def connect(window: Window) -> None:
    """Connect the parts of a window with what they cause."""
    _wire_looking(window)
    _wire_words(window)
    _wire_topics(window)
    _wire_steps(window)
    _wire_branches(window)


def _complaining(window: Window, handler: Handler) -> Handler:
    """The handler; what people can mend is told to them."""

    async def handle(value: Any) -> None:
        try:
            await handler(value)
        except PROBLEMS as error:
            window.layout.notice.say(str(error) or type(error).__name__)

    return handle


# ---------------------------------------------------------------------- looking


def _wire_looking(window: Window) -> None:
    state, layout = window.state, window.layout

    def choose(topic: Any) -> None:
        state.topic, state.document, state.search, state.compared = int(topic), None, "", None
        window.turn_to_middle()

    def read(row: Any) -> None:
        if window.bench is not None and window.bench.picture.has_document(int(row)):
            state.document, state.search, state.compared = int(row), "", None
            window.turn_to_middle()

    def search(text: Any) -> None:
        state.search = str(text)[:100].strip()
        window.turn_to_middle()

    def back(_: Any) -> None:
        state.go_back()
        window.show_middle()

    def stop(_: Any) -> None:
        if window.desk.training is not None:
            window.desk.training.stop()

    for panel in (layout.map, layout.list, layout.more, layout.document, layout.found, layout.compare):
        panel.hears(choose=choose)
    for panel in (layout.more, layout.found):
        panel.hears(read=read)
    for panel in (layout.document, layout.found, layout.compare):
        panel.hears(back=back)
    layout.head.hears(search=search)
    layout.training.hears(stop=stop)


# ---------------------------------------------------------------------- saying


def _steered(window: Window) -> tuple[BranchSession, Steering]:
    if window.bench is None or window.bench.steering is None:
        raise InputError("this model can't be steered")
    return window.bench, window.bench.steering


async def _take(window: Window, step: Step) -> None:
    bench, steering = _steered(window)
    warnings = await bench.do(lambda: steering.add(step))
    window.layout.notice.say(*warnings)


def _wire_words(window: Window) -> None:
    state, layout = window.state, window.layout

    def select(word: Any) -> None:
        if str(word) in state.selected or len(state.selected) < _MOST_SELECTED:
            state.toggle(str(word))
            window.show_selection()

    def slide(lam: Any) -> None:
        state.lam = min(1.0, max(0.0, float(lam)))
        window.show_selection()

    def clear(_: Any) -> None:
        state.selected.clear()
        window.show_selection()

    async def say(what: Any) -> None:
        if state.selected:
            await _take(window, step_for_words(str(what), state.selected, window.topic))
            clear(None)

    for panel in (layout.words, layout.document, layout.found):
        panel.hears(select=select)
    layout.words.hears(lam=slide)
    layout.selection.hears(say=_complaining(window, say), drop=select, clear=clear)


def _wire_topics(window: Window) -> None:
    def saying(what: str) -> Handler:
        async def say(value: Any) -> None:
            bench, _ = _steered(window)
            await _take(window, step_for_topic(what, window.topic, value, bench.pinned))

        return _complaining(window, say)

    async def label(topic: Any) -> None:
        if window.state.document is not None:
            await _take(window, step_for_document(window.state.document, int(topic)))

    kinds = ("rename", "merge", "split", "pin", "hide")
    window.layout.topic_head.hears(**{what: saying(what) for what in kinds})
    window.layout.list.hears(unhide=saying("unhide"))
    window.layout.document.hears(label=_complaining(window, label))


def _wire_steps(window: Window) -> None:
    async def undo(_: Any) -> None:
        bench, steering = _steered(window)
        await bench.do(steering.undo)

    async def redo(_: Any) -> None:
        bench, steering = _steered(window)
        await bench.do(steering.redo)

    async def refresh(_: Any) -> None:
        bench, _steering = _steered(window)
        background_tasks.create(bench.update())  # it goes on when this window is closed

    async def stop(_: Any) -> None:
        _steered(window)[1].stop()

    async def save_knowledge(_: Any) -> None:
        text = await asyncio.to_thread(_knowledge_file, _steered(window)[1])
        window.client.download(text, f"{Path(window.desk.title).stem}-{window.state.branch}.yaml", "text/yaml")

    handlers = {"undo": undo, "redo": redo, "refresh": refresh, "stop": stop, "save_knowledge": save_knowledge}
    window.layout.steps.hears(**{name: _complaining(window, handler) for name, handler in handlers.items()})


def _knowledge_file(steering: Steering) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knowledge.yaml"
        steering.export(path)
        return path.read_bytes()


# ---------------------------------------------------------------------- branches


def _wire_branches(window: Window) -> None:
    state, layout, desk = window.state, window.layout, window.desk

    async def go(branch: Any) -> None:
        await asyncio.to_thread(desk.bench, str(branch))
        state.branch, state.compared = str(branch), None
        window.go_to_bench()

    async def make(name: Any) -> None:
        await asyncio.to_thread(desk.new_branch, str(name), state.branch)
        await go(name)

    async def compare(other: Any) -> None:
        bench, steering = _steered(window)
        found = await asyncio.to_thread(steering.compare, str(other))
        state.compared, state.search = str(other), ""
        layout.compare.show_comparison(bench.picture, (state.branch, str(other)), found)
        window.turn_to_middle()

    async def merge(other: Any) -> None:
        bench, steering = _steered(window)
        refused = await bench.do(lambda: steering.merge(str(other)))
        layout.notice.say(*refused)

    layout.head.hears(branch=_complaining(window, go))
    handlers = {"make": make, "compare": compare, "merge": merge}
    layout.branches.hears(**{name: _complaining(window, handler) for name, handler in handlers.items()})

"""Actions of the user: select, search, merge topics, constrain words, undo, update, switch branches.

Each action is a function of the window and of the value that the page sends. :func:`connect` binds them to the events
of the panels, which have the same names.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import background_tasks

from ..errors import InputError
from ..steering import (
    Apart,
    Forget,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Pin,
    Rename,
    Show,
    SplitTopic,
    Steering,
    Step,
    Together,
    Unpin,
)
from .branch_session import USER_ERRORS, BranchSession
from .panels import Panel
from .window import Window

Action = Callable[[Window, Any], Awaitable[None]]
_MAX_SELECTED = 50
_MAX_QUERY = 100  # characters


def connect(window: Window) -> None:
    """Bind the events of all panels of a window to the actions."""
    layout = window.layout
    panel: Panel
    for panel in (
        layout.topic_map,
        layout.topic_list,
        layout.topic_details,
        layout.document,
        layout.search,
        layout.compare,
    ):
        _bind(window, panel, open_topic)
    for panel in (layout.topic_details, layout.search):
        _bind(window, panel, open_document)
    for panel in (layout.document, layout.search, layout.compare):
        _bind(window, panel, go_back)
    for panel in (layout.topic_words, layout.document, layout.search):
        _bind(window, panel, toggle_word)
    _bind(window, layout.header, search, switch_branch)
    _bind(window, layout.topic_header, rename_topic, merge_topics, split_topic, toggle_pin, hide_topic)
    _bind(window, layout.topic_list, show_topic)
    _bind(window, layout.topic_words, set_lambda)
    _bind(window, layout.selection, constrain_words, toggle_word, clear_selection)
    _bind(window, layout.document, label_document)
    _bind(window, layout.steps, undo, redo, update, stop_update, download_knowledge)
    _bind(window, layout.branches, create_branch, compare_branch, merge_branch)
    _bind(window, layout.training, stop_training)


def _bind(window: Window, panel: Panel, *actions: Action) -> None:
    panel.on_events(**{action.__name__: _handler(window, action) for action in actions})


def _handler(window: Window, action: Action) -> Callable[[Any], Awaitable[None]]:
    """Handler of an event; errors that the user can do something about are shown on the page."""

    async def handle(value: Any) -> None:
        try:
            await action(window, value)
        except USER_ERRORS as error:
            window.layout.notice.show_messages(str(error) or type(error).__name__)

    return handle


def _require_steering(window: Window) -> tuple[BranchSession, Steering]:
    if window.session is None or window.session.steering is None:
        raise InputError("this model cannot be edited")
    return window.session, window.session.steering


async def _add_step(window: Window, step: Step) -> None:
    session, steering = _require_steering(window)
    warnings = await session.run(lambda: steering.add(step))
    window.layout.notice.show_messages(*warnings)


# ---------------------------------------------------------------------- navigation


async def open_topic(window: Window, topic: Any) -> None:
    """Show a topic."""
    state = window.state
    state.topic, state.document, state.search, state.compared = int(topic), None, "", None
    window.activate_middle()


async def open_document(window: Window, row: Any) -> None:
    """Show a training document."""
    if window.session is not None and window.session.view.has_document(int(row)):
        window.state.document, window.state.search, window.state.compared = int(row), "", None
        window.activate_middle()


async def search(window: Window, text: Any) -> None:
    """Search topics, words and documents."""
    window.state.search = str(text)[:_MAX_QUERY].strip()
    window.activate_middle()


async def go_back(window: Window, _: Any) -> None:
    """Close the search, the comparison or the document."""
    window.state.go_back()
    window.show_middle()


async def stop_training(window: Window, _: Any) -> None:
    """Stop the training after the current sweep."""
    if window.workspace.training is not None:
        window.workspace.training.stop()


# ---------------------------------------------------------------------- words


async def toggle_word(window: Window, word: Any) -> None:
    """Select a word, or deselect it."""
    selected = window.state.selected
    if str(word) in selected or len(selected) < _MAX_SELECTED:
        window.state.toggle(str(word))
        window.show_selection()


async def set_lambda(window: Window, lam: Any) -> None:
    """Set the relevance weight λ of the words."""
    window.state.lam = min(1.0, max(0.0, float(lam)))
    window.show_selection()


async def clear_selection(window: Window, _: Any) -> None:
    """Deselect all words."""
    window.state.selected.clear()
    window.show_selection()


async def constrain_words(window: Window, kind: Any) -> None:
    """Add a constraint on the selected words, or remove theirs."""
    if window.state.selected:
        await _add_step(window, word_constraint(str(kind), tuple(window.state.selected), window.topic))
        await clear_selection(window, None)


def word_constraint(kind: str, words: tuple[str, ...], topic: int) -> Step:
    """Step for selected words and the current topic."""
    steps: dict[str, Step] = {
        "together": Together(words),
        "apart": Apart(words),
        "here": InTopic(words, topic),
        "never": NeverIn(words, topic),
        "split": SplitTopic(topic, words),
        "forget": Forget(words),
    }
    return steps[kind]


# ---------------------------------------------------------------------- topics and documents


async def rename_topic(window: Window, name: Any) -> None:
    """Rename the current topic."""
    await _add_step(window, Rename(window.topic, str(name)))


async def merge_topics(window: Window, other: Any) -> None:
    """Merge another topic into the current one."""
    await _add_step(window, MergeTopics(window.topic, (int(other),)))


async def split_topic(window: Window, _: Any) -> None:
    """Split the current topic in two."""
    await _add_step(window, SplitTopic(window.topic))


async def toggle_pin(window: Window, _: Any) -> None:
    """Pin the current topic, or unpin it."""
    session, _steering = _require_steering(window)
    await _add_step(window, Unpin(window.topic) if window.topic in session.pinned else Pin(window.topic))


async def hide_topic(window: Window, _: Any) -> None:
    """Hide the current topic."""
    await _add_step(window, Hide(window.topic))


async def show_topic(window: Window, topic: Any) -> None:
    """Show a hidden topic again."""
    await _add_step(window, Show(int(topic)))


async def label_document(window: Window, topic: Any) -> None:
    """Assign the current document to a topic."""
    if window.state.document is not None:
        await _add_step(window, LabelDocument(window.state.document, int(topic)))


# ---------------------------------------------------------------------- steps


async def undo(window: Window, _: Any) -> None:
    """Undo the last step."""
    session, steering = _require_steering(window)
    await session.run(steering.undo)


async def redo(window: Window, _: Any) -> None:
    """Redo the step that was undone last."""
    session, steering = _require_steering(window)
    await session.run(steering.redo)


async def update(window: Window, _: Any) -> None:
    """Start an update of the model; it continues if the window is closed."""
    session, _steering = _require_steering(window)
    background_tasks.create(session.update())


async def stop_update(window: Window, _: Any) -> None:
    """Stop the update after the current sweep."""
    _require_steering(window)[1].stop()


async def download_knowledge(window: Window, _: Any) -> None:
    """Download the steps of the branch as a knowledge file."""
    text = await asyncio.to_thread(_knowledge_file, _require_steering(window)[1])
    window.client.download(text, f"{Path(window.workspace.title).stem}-{window.state.branch}.yaml", "text/yaml")


def _knowledge_file(steering: Steering) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knowledge.yaml"
        steering.export(path)
        return path.read_bytes()


# ---------------------------------------------------------------------- branches


async def switch_branch(window: Window, branch: Any) -> None:
    """Show another branch."""
    await asyncio.to_thread(window.workspace.session, str(branch))
    window.state.branch, window.state.compared = str(branch), None
    window.switch_session()


async def create_branch(window: Window, name: Any) -> None:
    """Create a branch with the steps of the current one, and switch to it."""
    await asyncio.to_thread(window.workspace.new_branch, str(name), window.state.branch)
    await switch_branch(window, name)


async def compare_branch(window: Window, other: Any) -> None:
    """Compare the current branch with another one."""
    session, steering = _require_steering(window)
    comparison = await asyncio.to_thread(steering.compare, str(other))
    window.state.compared, window.state.search = str(other), ""
    window.layout.compare.show_comparison(session.view, (window.state.branch, str(other)), comparison)
    window.activate_middle()


async def merge_branch(window: Window, other: Any) -> None:
    """Add the steps of another branch to the current one."""
    session, steering = _require_steering(window)
    skipped = await session.run(lambda: steering.merge(str(other)))
    window.layout.notice.show_messages(*skipped)

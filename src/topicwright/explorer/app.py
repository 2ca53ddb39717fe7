"""The page as a web application."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, HTTPException
from nicegui import app as nicegui_app
from nicegui import context, ui

from .._utils.formatting import truncate
from ..steering.branches import MAIN
from ..views.format import NAME
from .handlers import connect
from .state import WindowState
from .window import Window
from .workspace import Workspace

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><g fill="#0072b2" fill-opacity=".75">'
    '<circle cx="10" cy="11" r="8"/><circle cx="20" cy="9" r="5"/><circle cx="18" cy="20" r="6"/></g></svg>'
)
_THEME = 'document.documentElement.dataset.theme = localStorage.getItem("topicwright-theme") ?? "auto";'
_NUMBER = re.compile(r"0(\.\d{1,3})?|1(\.0)?", re.ASCII)  # from 0 to 1
_PATIENCE = 300.0  # seconds for a model to be read
FIRST = ""


def new_app(desks: Mapping[str, Workspace], on_start: Callable[[], Any] = lambda: None) -> FastAPI:
    """An application with a page for each desk: that of ``FIRST`` is at the root, others by name.

    There can be one in a process, since there is one NiceGUI; desks may come and go.
    """
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it would tell of every address that is not there
    css = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    ui.add_head_html(f"<style>{css}</style><script>{_THEME}</script>", shared=True)

    @ui.page("/", response_timeout=_PATIENCE)
    @ui.page("/model/{name}", response_timeout=_PATIENCE)
    async def page(name: str = FIRST, branch: str = MAIN, topic: str = "", document: str = "", lam: str = "") -> None:
        if name not in desks:
            raise HTTPException(404, "there is no such page any more")
        desk = desks[name]
        problems = (
            [] if branch in desk.branches() else [f"There is no branch {truncate(branch, NAME)}: here is {MAIN}."]
        )
        branch = MAIN if problems else branch
        await asyncio.to_thread(desk.bench, branch)  # which may have to be read from its file
        ui.page_title(desk.title)
        state = _asked(desk, branch, topic, document, lam, problems)
        window = Window(desk, state)
        connect(window)
        window.layout.notice.say(*problems)
        context.client.on_delete(window.close)

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        title="Topicwright",
        favicon=_ICON,
        language="en-US",
        dark=False,  # colours are those of style.css
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=10.0,
        show_welcome_message=False,
    )
    nicegui_app.on_startup(on_start)
    return app


def _asked(desk: Workspace, branch: str, topic: str, document: str, lam: str, problems: list[str]) -> WindowState:
    """What an address asks for; what makes no sense is left out, and told in ``problems``."""
    state = WindowState(branch)
    bench = desk.bench(state.branch)
    if bench is None:
        return state
    picture = bench.picture
    if _NUMBER.fullmatch(lam):
        state.lam = float(lam)
    if topic.isdecimal() and picture.has_topic(int(topic)):
        state.topic = int(topic)
    elif topic:
        problems.append(f"Topic {truncate(topic, NAME)} is not there, or has no words: here is the largest.")
    if document.isdecimal() and picture.has_document(int(document)):
        state.document = int(document)
    elif document:
        problems.append(f"There is no document in row {truncate(document, NAME)}.")
    return state

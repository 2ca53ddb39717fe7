"""Web application and server of the explorer, with a content security policy, and pages opened from Python."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from nicegui import app as nicegui_app
from nicegui import background_tasks, context, ui
from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import truncate
from ..errors import InputError, TopicwrightError
from ..server.auth import Access, AccessMiddleware
from ..server.lifecycle import address_of, listening_socket, new_server
from ..server.requests import App, Message, Receive, Scope, Send, with_headers
from ..steering.branches import MAIN
from ..views.format import NAME_LENGTH
from .actions import connect
from .window import Window, WindowState
from .workspace import Workspace

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><g fill="#0072b2" fill-opacity=".75">'
    '<circle cx="10" cy="11" r="8"/><circle cx="20" cy="9" r="5"/><circle cx="18" cy="20" r="6"/></g></svg>'
)
_THEME = 'document.documentElement.dataset.theme = localStorage.getItem("topicwright-theme") ?? "auto";'
_LAMBDA = re.compile(r"0(\.\d{1,3})?|1(\.0)?", re.ASCII)  # a number from 0 to 1
_LOAD_TIMEOUT = 300.0  # seconds to read a model
ROOT = ""  # name of the workspace at the root of the server


def new_app(workspaces: Mapping[str, Workspace], on_start: Callable[[], Any] = lambda: None) -> FastAPI:
    """Application with a page for each workspace.

    A process can have only one, since NiceGUI is global; workspaces can be added and removed later.

    Parameters
    ----------
    workspaces : mapping from str to Workspace
        The workspace ``ROOT`` is at the root of the server, others are at ``/model/<name>``.
    on_start : callable
        Called when the application has started.
    """
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it logs every address that does not exist
    css = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    ui.add_head_html(f"<style>{css}</style><script>{_THEME}</script>", shared=True)

    @ui.page("/", response_timeout=_LOAD_TIMEOUT)
    @ui.page("/model/{name}", response_timeout=_LOAD_TIMEOUT)
    async def page(name: str = ROOT, branch: str = MAIN, topic: str = "", document: str = "", lam: str = "") -> None:
        if name not in workspaces:
            raise HTTPException(404, "there is no such page any more")
        workspace = workspaces[name]
        problems = (
            []
            if branch in workspace.branches()
            else [f"There is no branch {truncate(branch, NAME_LENGTH)}. This is the branch {MAIN}."]
        )
        branch = MAIN if problems else branch
        await asyncio.to_thread(workspace.session, branch)  # which may read its file
        ui.page_title(workspace.title)
        state = _state_from_address(workspace, branch, topic, document, lam, problems)
        window = Window(workspace, state)
        connect(window)
        window.layout.notice.show_messages(*problems)
        context.client.on_delete(window.close)

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        title="Topicwright",
        favicon=_ICON,
        language="en-US",
        dark=False,  # colors come from style.css
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=10.0,
        show_welcome_message=False,
    )
    nicegui_app.on_startup(on_start)
    return app


def _state_from_address(
    workspace: Workspace, branch: str, topic: str, document: str, lam: str, problems: list[str]
) -> WindowState:
    """Window state of an address; invalid parts are ignored and described in ``problems``."""
    state = WindowState(branch)
    session = workspace.session(state.branch)
    if session is None:
        return state
    view = session.view
    if _LAMBDA.fullmatch(lam):
        state.lam = float(lam)
    if topic.isdecimal() and view.has_topic(int(topic)):
        state.topic = int(topic)
    elif topic:
        problems.append(
            f"Topic {truncate(topic, NAME_LENGTH)} does not exist or has no words. This is the largest topic."
        )
    if document.isdecimal() and view.has_document(int(document)):
        state.document = int(document)
    elif document:
        problems.append(f"There is no document in row {truncate(document, NAME_LENGTH)}.")
    return state


_POLICY = {  # no request to another server, whatever a text contains; NiceGUI itself needs eval and inline scripts
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}


class ContentSecurityMiddleware:
    """ASGI middleware that restricts pages to resources of this server.

    It drops requests whose client has disconnected, because NiceGUI's sockets fail on them.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and add the policy to its response."""
        if scope["type"] == "http":
            first = await receive()
            if first["type"] == "http.disconnect":
                return
            receive = _prepend(first, receive)
        await self.app(scope, receive, with_headers(send, _POLICY))


def _prepend(first: Message, receive: Receive) -> Receive:
    pending = [first]

    async def receive_all() -> Message:
        return pending.pop() if pending else await receive()

    return receive_all


def serve(
    workspace: Workspace,
    listening: socket.socket,
    access: Access,
    on_start: Callable[[], Any],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Serve a workspace until a signal arrives.

    Parameters
    ----------
    workspace : Workspace
    listening : socket
    access : Access
    on_start : callable
        Called when the server accepts requests.
    is_over : callable
        Whether a signal arrived before the server was started.
    """

    def started() -> None:
        if workspace.training is not None:
            background_tasks.create(workspace.training.run(workspace.open))
        on_start()

    try:
        new_page_server({ROOT: workspace}, access, started, is_over).run(sockets=[listening])
    finally:
        workspace.close()


def new_page_server(
    workspaces: Mapping[str, Workspace],
    access: Access,
    on_start: Callable[[], Any],
    is_over: Callable[[], bool] = lambda: False,
) -> uvicorn.Server:
    """Server for one or more workspaces, not yet started."""
    app: Any = new_app(workspaces, on_start)
    return new_server(AccessMiddleware(ContentSecurityMiddleware(app), access), websockets=True, is_over=is_over)


# ---------------------------------------------------------------------- pages opened from Python, such as a notebook

_START_TIMEOUT = 30.0  # seconds
_workspaces: dict[str, Workspace] = {}
_servers: list[tuple[str, int]] = []  # at most one, since NiceGUI is global


class Explorer:
    """A page of the explorer, served until :meth:`stop` or the end of the process.

    Attributes
    ----------
    url : str
        Address of the page.
    """

    def __init__(self, name: str, url: str) -> None:
        self._name = name
        self._workspace = _workspaces[name]
        self.url = url

    @property
    def model(self) -> Any:
        """Current model of the main branch. Steering creates new models and does not change the one that was passed."""
        session = self._workspace.open()
        return session.view.model if session.steering is None else session.steering.model

    def stop(self) -> None:
        """Close the page."""
        if _workspaces.pop(self._name, None) is not None:
            self._workspace.close()

    def _repr_html_(self) -> str:
        url = escape(self.url)
        return f'<p>The explorer is at <a href="{url}" target="_blank" rel="noopener">{url}</a>.</p>'

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"


def start(model: Any, port: int, open_browser: bool) -> Explorer:
    """Open a page for a model on the server of this process."""
    workspace = _open_workspace(model)
    try:
        address = _address(port)
    except BaseException:
        workspace.close()  # so that the file can be opened again
        raise
    name = str(1 + max(map(int, _workspaces), default=0))
    _workspaces[name] = workspace
    explorer = Explorer(name, f"{address}/model/{name}")
    if open_browser:
        webbrowser.open(explorer.url)
    return explorer


def _address(port: int) -> str:
    """Address of the server, which the first page starts; later pages have the same port."""
    if not _servers:
        _servers.append(_start_server(port))
    [(address, own)] = _servers
    if port not in (0, own):
        raise InputError(
            f"the pages of this process are at {address} already: leave out `port` or set it to {own}",
            parameter="port",
            got=port,
        )
    return address


def _start_server(port: int) -> tuple[str, int]:
    """Start a server in a daemon thread; returns its address and port."""
    listening = listening_socket("127.0.0.1", port)
    ready = threading.Event()
    server = new_page_server(_workspaces, Access(), ready.set)
    threading.Thread(target=server.run, args=([listening],), daemon=True, name="topicwright-page").start()
    if not ready.wait(_START_TIMEOUT):
        raise TopicwrightError(f"the page did not start within {_START_TIMEOUT:g} seconds")
    return address_of(listening), listening.getsockname()[1]


def _open_workspace(model: Any) -> Workspace:
    if isinstance(model, (str, os.PathLike)):
        workspace = Workspace(Path(model).name, path=Path(model))
    else:
        check_is_fitted(model)
        workspace = Workspace.of_model(model, type(model).__name__)
    workspace.open().wait_for_compilation()
    return workspace

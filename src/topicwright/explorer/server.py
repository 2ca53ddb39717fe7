"""Web server of the explorer, with a content security policy."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from nicegui import background_tasks

from ..server.auth import Access, AccessMiddleware
from ..server.lifecycle import new_server
from ..server.responses import App, Message, Receive, Scope, Send, with_headers
from .app import ROOT, new_app
from .workspace import Workspace

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

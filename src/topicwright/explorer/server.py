"""The page from its start to its end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from nicegui import background_tasks

from ..server.auth import Access, AccessMiddleware
from ..server.lifecycle import new_server
from ..server.responses import App, Message, Receive, Scope, Send, with_headers
from .app import FIRST, new_app
from .workspace import Workspace

_POLICY = {  # whatever is in a text, nothing comes from elsewhere or goes there; NiceGUI itself needs eval and inline
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}


class ContentSecurityMiddleware:
    """An ASGI application around another, whose pages may use nothing but this server.

    A request whose sender has left before its end is dropped: NiceGUI's sockets would fail on it.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the policy to answers."""
        if scope["type"] == "http":
            first = await receive()
            if first["type"] == "http.disconnect":
                return
            receive = _beginning_with(first, receive)
        await self.app(scope, receive, with_headers(send, _POLICY))


def _beginning_with(first: Message, receive: Receive) -> Receive:
    heard = [first]

    async def receiving() -> Message:
        return heard.pop() if heard else await receive()

    return receiving


def serve(
    desk: Workspace,
    listening: socket.socket,
    access: Access,
    on_start: Callable[[], Any],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Show a desk until a signal comes; ``is_over`` tells of one that has come already."""

    def started() -> None:
        if desk.training is not None:
            background_tasks.create(desk.training.run(desk.open))
        on_start()

    try:
        server_of({FIRST: desk}, access, started, is_over).run(sockets=[listening])
    finally:
        desk.close()


def server_of(
    desks: Mapping[str, Workspace],
    access: Access,
    on_start: Callable[[], Any],
    is_over: Callable[[], bool] = lambda: False,
) -> uvicorn.Server:
    """A server for some desks."""
    app: Any = new_app(desks, on_start)
    return new_server(AccessMiddleware(ContentSecurityMiddleware(app), access), websockets=True, is_over=is_over)

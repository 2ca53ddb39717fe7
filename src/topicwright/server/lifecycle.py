"""Listening socket, start and shutdown of the server."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import uvicorn

from ..errors import InputError
from .auth import is_loopback
from .connections import ConnectionLimits, HttpConnection


def listening_socket(host: str, port: int) -> socket.socket:
    """Socket that listens at a host and port; port 0 is any free port.

    asyncio sets TCP_NODELAY on connections whose protocol is named. Without it, responses on a kept-alive connection
    wait for the delayed acknowledgment of the client, 40 ms.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        unnamed = socket.create_server(address[:2], family=family)
        return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=unnamed.detach())
    except (OSError, OverflowError, UnicodeError) as error:  # the latter for impossible host names
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number is not None and number > 0 else str(error)
        raise InputError(
            f"cannot listen on {host}, port {port}: {reason}; try another `port` or `host`", parameter="port", got=port
        ) from None


def is_local(listening: socket.socket) -> bool:
    """Whether the socket is reachable only from this machine."""
    return is_loopback(listening.getsockname()[0])


def address_of(listening: socket.socket) -> str:
    """URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: Any,
    listening: socket.socket,
    *,
    drain: float = 5.0,
    limits: ConnectionLimits | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until a signal arrives, then finish the running requests.

    uvicorn passes the signal on afterwards to the handler that was installed before.

    Parameters
    ----------
    app : ASGI application
    listening : socket
    drain : float
        Seconds for running requests after the signal.
    limits : ConnectionLimits, optional
    is_over : callable
        Whether the server has to stop. Signals that arrive before uvicorn installs its handlers count too.
    """
    new_server(app, drain=drain, limits=limits, is_over=is_over).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, is_over: Callable[[], bool]) -> None:
        super().__init__(config)
        self._is_over = is_over

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, unless a signal has arrived already; from here on uvicorn handles signals."""
        if self._is_over():
            self.should_exit = True
        else:
            await super().startup(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Close overdue connections; called ten times a second."""
        for connection in list(self.server_state.connections):
            if isinstance(connection, HttpConnection):
                connection.close_if_overdue()
        return self._is_over() or await super().on_tick(counter)


def new_server(
    app: Any,
    *,
    websockets: bool = False,
    drain: float = 5.0,
    limits: ConnectionLimits | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> uvicorn.Server:
    """Server that logs errors only and ignores headers of proxies."""
    limits = limits or ConnectionLimits()
    config = uvicorn.Config(
        app,
        http=partial(HttpConnection, limits=limits),  # type: ignore[arg-type]
        ws="auto" if websockets else "none",
        loop="asyncio" if find_spec("uvloop") is None else "uvloop",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]
        timeout_graceful_shutdown=drain,  # type: ignore[arg-type]
    )
    return _Server(config, is_over)

"""A socket to listen on, and the server from its start to its end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from ..errors import InputError
from .auth import is_loopback

_PATIENCE = 5  # seconds that requests under way have to end
_CONNECTIONS = 512
_HEAD = 256 * 2**10  # bytes of address and headers; beyond it the connection is cut, and the sender is told nothing


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at a host and port; port 0 is any that is free."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, OverflowError, UnicodeError) as error:  # of a name that can be none of a host
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number is not None and number > 0 else str(error)
        raise InputError(f"cannot listen on {host}, port {port}: {reason}; try another --port or --host") from None


def is_local(listening: socket.socket) -> bool:
    """Whether only programs of this machine can reach it."""
    return is_loopback(listening.getsockname()[0])


def address_of(listening: socket.socket) -> str:
    """Its URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: Any, listening: socket.socket, is_over: Callable[[], bool] = lambda: False) -> None:
    """Answer until a signal comes; then end what is under way.

    uvicorn hands the signal on afterwards to the handler that was there before. ``is_over`` tells of one that came
    before uvicorn could hear it.
    """
    new_server(app, is_over=is_over).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, is_over: Callable[[], bool]) -> None:
        super().__init__(config)
        self._is_over = is_over

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, if nobody has asked for the end; from here on uvicorn hears of signals."""
        if self._is_over():
            self.should_exit = True
        else:
            await super().startup(sockets)


def new_server(app: Any, *, websockets: bool = False, is_over: Callable[[], bool] = lambda: False) -> uvicorn.Server:
    """A server that says nothing, and trusts no header of a proxy."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="auto" if websockets else "none",
        loop="asyncio",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        h11_max_incomplete_event_size=_HEAD,
        timeout_graceful_shutdown=_PATIENCE,
    )
    return _Server(config, is_over)

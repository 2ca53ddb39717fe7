"""Listening socket, start and shutdown of the server."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from ..errors import InputError
from .auth import is_loopback

_SHUTDOWN_TIMEOUT = 5  # seconds for running requests
_MAX_CONNECTIONS = 512
_MAX_HEADER_BYTES = 256 * 2**10  # address and headers; longer ones close the connection without a response


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


def run(app: Any, listening: socket.socket, is_over: Callable[[], bool] = lambda: False) -> None:
    """Serve until a signal arrives, then finish the running requests.

    uvicorn passes the signal on afterwards to the handler that was installed before.

    Parameters
    ----------
    app : ASGI application
    listening : socket
    is_over : callable
        Whether a signal arrived before uvicorn installed its handlers.
    """
    new_server(app, is_over=is_over).run(sockets=[listening])


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


def new_server(app: Any, *, websockets: bool = False, is_over: Callable[[], bool] = lambda: False) -> uvicorn.Server:
    """Server that logs errors only and ignores headers of proxies."""
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
        limit_concurrency=_MAX_CONNECTIONS,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
    )
    return _Server(config, is_over)

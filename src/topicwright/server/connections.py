"""HTTP connections: limits on their number, on headers and on the time to send them, and errors as JSON."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import Any, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .requests import json_bytes

_UPGRADE = re.compile(rb"\r\nUpgrade:", re.IGNORECASE)  # offers of HTTP/2; the parser drops the body after them


class ConnectionLimits(NamedTuple):
    """Limits on connections.

    Attributes
    ----------
    connections : int
        Number of open connections.
    header_bytes : int
        Size of the address and the headers of a request.
    header_seconds : float
        Time to send them.
    idle_seconds : float
        Time between a response and the next request.
    write_seconds : float
        Time in which a client must receive some of a response.
    """

    connections: int = 512
    header_bytes: int = 256 * 2**10
    header_seconds: float = 10.0
    idle_seconds: float = 5.0
    write_seconds: float = 60.0


class HttpConnection(HttpToolsProtocol):
    """Connection of a client, closed if it is idle, or if headers are too long or too slow.

    If there are too many connections, the one that has waited for headers the longest is closed, so that clients that
    hold incomplete requests do not keep others out.
    """

    def __init__(self, *args: Any, limits: ConnectionLimits, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._has_begun = False  # a request, whose headers are incomplete
        self._n_header_bytes = 0
        self._paused_since: float | None = None
        self._waiting_since: float | None = self.loop.time()  # for the end of the headers

    # ------------------------------------------------------------------ callbacks of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection, or reject it if all others have requests."""
        is_full = len(self.connections) >= self._limits.connections
        super().connection_made(transport)  # type: ignore[arg-type]
        if is_full and not self._close_another():
            self._send_error(HTTPStatus.SERVICE_UNAVAILABLE, "the server has too many connections: try again")

    def _close_another(self) -> bool:
        """Close the connection without a request that has waited the longest; False if there is none."""
        others = [other for other in self.connections if isinstance(other, HttpConnection) and other is not self]
        closable = [other for other in others if not other.has_request and not other.transport.is_closing()]
        if not closable:
            return False
        min(closable, key=lambda other: other._waiting_since or 0.0).transport.abort()
        return True

    def data_received(self, data: bytes) -> None:
        """Pass data to the parser."""
        was_waiting = self._waiting_since is not None
        if not self.has_request and self.ws_protocol_class is None:
            data = _UPGRADE.sub(b"\r\nIgnored:", data)  # of the same length, in case that it is in a body
        super().data_received(data)
        if self._waiting_since is None and not self.has_request and self.timeout_keep_alive_task is None:
            self._waiting_since = self.loop.time()  # bytes before a request, which the parser skips
        if was_waiting and self._waiting_since is not None:
            self._n_header_bytes += len(data)
            if self._n_header_bytes > self._limits.header_bytes:
                self._send_error(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    f"address and headers must have at most {self._limits.header_bytes:,} bytes",
                )

    def pause_writing(self) -> None:
        """Note that the client does not keep up with the response."""
        self._paused_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that the client has received the response so far."""
        self._paused_since = None
        super().resume_writing()

    # ------------------------------------------------------------------ callbacks of the parser

    def on_message_begin(self) -> None:
        """Start the time limit of headers."""
        if self._waiting_since is None:
            self._waiting_since = self.loop.time()
        self._has_begun, self._n_header_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the request."""
        self._waiting_since, self._has_begun = None, False
        super().on_headers_complete()

    # ------------------------------------------------------------------ limits

    @property
    def has_request(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def close_if_overdue(self) -> None:
        """Close the connection if the client is too slow; called several times a second."""
        now, limits = self.loop.time(), self._limits
        if self._paused_since is not None and now - self._paused_since > limits.write_seconds:
            self.transport.abort()
        elif self.has_request or self._waiting_since is None or now - self._waiting_since <= limits.header_seconds:
            return
        elif not self._has_begun:
            self.transport.close()
        else:
            self._send_error(
                HTTPStatus.REQUEST_TIMEOUT, f"the headers were not received within {limits.header_seconds:g} seconds"
            )

    def send_400_response(self, msg: str) -> None:
        """Reject a request that is not HTTP."""
        self._send_error(
            HTTPStatus.BAD_REQUEST, "the request is not valid HTTP, or its address has more than 65,535 bytes"
        )

    def _send_error(self, status: HTTPStatus, reason: str) -> None:
        """Send an error before there is a request for the application, and close the connection."""
        if self.transport.is_closing():
            return
        body = json_bytes({"error": reason})
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

"""ASGI types, limits on the number and the size of requests, and responses of the middleware."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

from anyio import fail_after

from .._utils.formatting import safe_json


class RequestError(Exception):
    """Error response to a request: HTTP status, reason and headers."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = dict(headers or {})


class RequestLimits(NamedTuple):
    """Limits on requests and responses."""

    bytes: int = 8 * 2**20  # of a request body
    documents: int = 1000  # in a request
    length: int = 100_000  # characters of a document
    response: int = 64 * 2**20  # characters of a response
    requests: int = 256  # at the same time
    buffer: int = 256 * 2**20  # bytes of their bodies together
    seconds: float = 30.0  # to receive a body


def too_large(problem: str, got: int, limit: int, unit: str, hint: str) -> RequestError:
    """Error for something beyond a limit."""
    return RequestError(413, f"{problem}: got {got:,} {unit}, at most {limit:,} are allowed; {hint}")


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Mapping[str, list[str]]


def request_headers(scope: Scope) -> Headers:
    """Headers of a request by their names in lower case."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Send function that adds headers to responses that do not have them."""
    raw = _raw(headers)

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            names = {name.lower() for name, _ in own}
            message["headers"] = [*own, *(header for header in raw if header[0] not in names)]
        await send(message)

    return send_with_headers


async def send_error(scope: Scope, send: Send, error: RequestError) -> None:
    """Send an error: plain text to a browser, JSON to a program."""
    if scope["type"] == "websocket":
        await send(
            {"type": "websocket.close", "code": 1008}
        )  # becomes a plain 403; no page can read more of a handshake
        return
    if any("text/html" in accepted for accepted in request_headers(scope).get("accept", [])):
        kind, body = "text/plain; charset=utf-8", f"{error.reason}\n".encode(errors="replace")
    else:
        kind, body = "application/json", json_bytes({"error": error.reason})
    headers = {"Content-Type": kind, "Cache-Control": "no-store", "Connection": "close", **error.headers}
    await send_response(send, error.status, headers, body)


async def send_response(send: Send, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
    """Send a response."""
    raw = _raw({**headers, "Content-Length": str(len(body))})
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def json_bytes(value: Any) -> bytes:
    """Value as the JSON of a response, in which no browser finds an HTML tag."""
    return as_bytes(safe_json(value))


def as_bytes(text: str) -> bytes:
    """JSON text as the bytes of a response."""
    return text.replace("<", "\\u003c").encode()


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


# ---------------------------------------------------------------------- limits

_WITH_BODY = {"POST", "PUT", "PATCH"}
_MAX_DRAINED = 8  # times the limit is read and discarded, so that the client gets the response
_HEADERS = {  # responses are data: browsers must not render or cache them
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class _Response:
    """Whether a response was started."""

    has_started = False


def _note_start(send: Send) -> tuple[Send, _Response]:
    response = _Response()

    async def send_and_note(message: Message) -> None:
        response.has_started = True
        await send(message)

    return send_and_note, response


def _busy() -> RequestError:
    return RequestError(503, "the server is busy: try again in a second", {"Retry-After": "1"})


class RequestLimitMiddleware:
    """ASGI middleware that limits requests, whose bodies must be JSON."""

    def __init__(self, app: App, limits: RequestLimits) -> None:
        self.app = app
        self.limits = limits
        self._n_active = self._n_buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or send an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send, response = _note_start(with_headers(send, _HEADERS))
        if self._n_active >= self.limits.requests and scope["method"] in _WITH_BODY:
            await send_error(scope, send, _busy())
            return
        self._n_active += 1
        parts: list[bytes] = []
        try:
            if scope["method"] in _WITH_BODY:
                await self._receive_body(request_headers(scope), receive, parts)
                receive = _replay_body(b"".join(parts), receive)
            await self.app(scope, receive, send)
        except RequestError as error:
            await send_error(scope, send, error)
        except asyncio.CancelledError:  # at the end of the time for running requests
            if response.has_started:
                raise
            reason = "the server was stopped before the request was done: send it again"
            await send_error(scope, send, RequestError(503, reason, {"Retry-After": "1"}))
        finally:
            self._n_active -= 1
            self._n_buffered -= sum(map(len, parts))

    async def _receive_body(self, headers: Headers, receive: Receive, parts: list[bytes]) -> None:
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RequestError(
                415, f"the body must be JSON: send the header  Content-Type: application/json  (got {kind!r})"
            )
        if headers.get("content-encoding", ["identity"]) != ["identity"]:
            raise RequestError(415, "the body must not be compressed: send it without Content-Encoding")
        waits_for_continue = "100-continue" in headers.get("expect", [])
        size = headers.get("content-length", ["0"])[0]
        if waits_for_continue and size.isdigit() and int(size) > self.limits.bytes:
            raise self._body_too_long(int(size))
        try:
            with fail_after(self.limits.seconds):
                await self._read(receive, parts)
        except TimeoutError:
            raise RequestError(408, f"the body was not received within {self.limits.seconds:g} seconds") from None

    async def _read(self, receive: Receive, parts: list[bytes]) -> None:
        size, limit = 0, self.limits.bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "the client disconnected before the end of the body")
            part = message.get("body", b"")
            size += len(part)
            if size <= limit:
                self._n_buffered += len(part)
                parts.append(part)
                if self._n_buffered > max(self.limits.buffer, limit):
                    raise _busy()
            if size > _MAX_DRAINED * limit:
                break
            if not message.get("more_body", False):
                break
        if size > limit:
            raise self._body_too_long(size)

    def _body_too_long(self, size: int) -> RequestError:
        return too_large("the body is too long", size, self.limits.bytes, "bytes", "send fewer documents per request")


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Receive function that returns a body that was read before, and then other messages."""
    pending = [body]

    async def receive_all() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return receive_all

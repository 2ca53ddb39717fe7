"""Limits on the number of concurrent requests and the size of their bodies."""

from __future__ import annotations

import asyncio

from .responses import (
    App,
    Headers,
    Message,
    Receive,
    RequestError,
    RequestLimits,
    Scope,
    Send,
    request_headers,
    send_error,
    too_large,
    with_headers,
)

_WITH_BODY = {"POST", "PUT", "PATCH"}
_MAX_DRAINED = 8  # times the limit is read and discarded, so that the client gets the response
_HEADERS = {  # responses are data: browsers must not render or cache them
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class RequestLimitMiddleware:
    """ASGI middleware that limits requests, whose bodies must be JSON."""

    def __init__(self, app: App, limits: RequestLimits) -> None:
        self.app = app
        self.limits = limits
        self._n_active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or send an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = with_headers(send, _HEADERS)
        if self._n_active >= self.limits.requests:
            busy = RequestError(503, "the server is busy: try again in a second", {"Retry-After": "1"})
            await send_error(scope, send, busy)
            return
        self._n_active += 1
        try:
            if scope["method"] in _WITH_BODY:
                receive = _replay_body(await self._checked_body(request_headers(scope), receive), receive)
            await self.app(scope, receive, send)
        except RequestError as error:
            await send_error(scope, send, error)
        finally:
            self._n_active -= 1

    async def _checked_body(self, headers: Headers, receive: Receive) -> bytes:
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
            return await asyncio.wait_for(self._read(receive), self.limits.seconds)
        except asyncio.TimeoutError:
            raise RequestError(408, f"the body was not received within {self.limits.seconds:g} seconds") from None

    async def _read(self, receive: Receive) -> bytes:
        parts, size, limit = [], 0, self.limits.bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "the client disconnected before the end of the body")
            size += len(message.get("body", b""))
            if size <= limit:
                parts.append(message.get("body", b""))
            if size > _MAX_DRAINED * limit:
                break
            if not message.get("more_body", False):
                break
        if size > limit:
            raise self._body_too_long(size)
        return b"".join(parts)

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

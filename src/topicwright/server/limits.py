"""The door: how many come in at a time, and how much each may bring."""

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
    headers_of,
    send_refusal,
    too_large,
    with_headers,
)

_WITH_BODY = {"POST", "PUT", "PATCH"}
_DRAINED = 8  # times the limit is read and thrown away, so that the sender is there to hear of it
_HEADERS = {  # answers are data: no browser may take them for a page, or keep them
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class RequestLimitMiddleware:
    """An ASGI application around another, whose bodies are JSON."""

    def __init__(self, app: App, limits: RequestLimits) -> None:
        self.app = app
        self.limits = limits
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = with_headers(send, _HEADERS)
        if self._inside >= self.limits.requests:
            full = RequestError(503, "the server is busy: try again in a second", {"Retry-After": "1"})
            await send_refusal(scope, send, full)
            return
        self._inside += 1
        try:
            if scope["method"] in _WITH_BODY:
                receive = _again(await self._body(headers_of(scope), receive), receive)
            await self.app(scope, receive, send)
        except RequestError as refusal:
            await send_refusal(scope, send, refusal)
        finally:
            self._inside -= 1

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RequestError(
                415, f"the body must be JSON: send the header  Content-Type: application/json  (got {kind!r})"
            )
        if headers.get("content-encoding", ["identity"]) != ["identity"]:
            raise RequestError(415, "the body must not be packed: send it without a Content-Encoding")
        waits = "100-continue" in headers.get("expect", [])
        size = headers.get("content-length", ["0"])[0]
        if waits and size.isdigit() and int(size) > self.limits.bytes:
            raise self._too_long(int(size))
        try:
            return await asyncio.wait_for(self._read(receive), self.limits.seconds)
        except asyncio.TimeoutError:
            raise RequestError(408, f"the body took longer than {self.limits.seconds:g} seconds to come") from None

    async def _read(self, receive: Receive) -> bytes:
        parts, size, most = [], 0, self.limits.bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "the body did not come to its end")
            size += len(message.get("body", b""))
            if size <= most:
                parts.append(message.get("body", b""))
            if size > _DRAINED * most:
                break
            if not message.get("more_body", False):
                break
        if size > most:
            raise self._too_long(size)
        return b"".join(parts)

    def _too_long(self, size: int) -> RequestError:
        return too_large("the body is too long, in bytes", size, self.limits.bytes, "send fewer documents at a time")


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, as if it came now; then what else comes."""
    waiting = [body]

    async def receiving() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receiving

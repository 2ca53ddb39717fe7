"""The door: every request is looked at before the application sees it, and its body is read up to a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ..answers.jsontext import to_json
from .access import Access
from .refusals import Limits, RefusedError, too_large

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_WITH_BODY = {"POST", "PUT", "PATCH"}
_DRAINED = 8  # times the limit is read and thrown away, so that the sender is there to hear of it
_HEADERS = {  # answers are data: no browser may take them for a page, keep them, or give them to another site
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """An ASGI application around another."""

    def __init__(self, app: App, access: Access, limits: Limits) -> None:
        self.app = app
        self.access = access
        self.limits = limits
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with_headers(send)
        try:
            headers = _headers_of(scope)
            self.access.check(scope["path"], headers)
            if self._inside >= self.limits.requests:
                raise RefusedError(503, "the server is busy: try again in a second", {"Retry-After": "1"})
            self._inside += 1
        except RefusedError as refusal:
            await send_refusal(send, refusal)
            return
        try:
            if scope["method"] in _WITH_BODY:
                receive = _again(await self._body(headers, receive), receive)
            await self.app(scope, receive, send)
        except RefusedError as refusal:
            await send_refusal(send, refusal)
        finally:
            self._inside -= 1

    async def _body(self, headers: dict[str, list[str]], receive: Receive) -> bytes:
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RefusedError(
                415, f"the body must be JSON: send the header  Content-Type: application/json  (got {kind!r})"
            )
        if headers.get("content-encoding", ["identity"]) != ["identity"]:
            raise RefusedError(415, "the body must not be packed: send it without a Content-Encoding")
        waits = "100-continue" in headers.get("expect", [])
        size = headers.get("content-length", ["0"])[0]
        if waits and size.isdigit() and int(size) > self.limits.bytes:
            raise self._too_long(int(size))
        try:
            return await asyncio.wait_for(self._read(receive), self.limits.seconds)
        except asyncio.TimeoutError:
            raise RefusedError(408, f"the body took longer than {self.limits.seconds:g} seconds to come") from None

    async def _read(self, receive: Receive) -> bytes:
        parts, size, most = [], 0, self.limits.bytes
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RefusedError(400, "the body did not come to its end")
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

    def _too_long(self, size: int) -> RefusedError:
        return too_large("the body is too long, in bytes", size, self.limits.bytes, "send fewer documents at a time")


async def send_refusal(send: Send, refusal: RefusedError) -> None:
    """The answer to a request that is refused."""
    body = json_bytes({"error": refusal.reason})
    size = str(len(body))
    headers = {"Content-Type": "application/json", "Content-Length": size, "Connection": "close", **refusal.headers}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def json_bytes(value: Any) -> bytes:
    """An answer as it goes out: JSON in which no program can see a tag of HTML."""
    return as_bytes(to_json(value))


def as_bytes(text: str) -> bytes:
    """JSON as it goes out."""
    return text.replace("<", "\\u003c").encode()


def _headers_of(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _with_headers(send: Send) -> Send:
    more = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *more]
        await send(message)

    return sending


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, as if it came now; then what else comes."""
    waiting = [body]

    async def receiving() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receiving

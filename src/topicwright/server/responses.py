"""ASGI types, request limits, and responses of the middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

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
    requests: int = 32  # at the same time
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

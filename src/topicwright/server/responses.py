"""How a server and an application talk: the types of ASGI, and answers that are written by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

from .._utils.formatting import safe_json


class RequestError(Exception):
    """A request that gets no answer, and why."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = dict(headers or {})


class RequestLimits(NamedTuple):
    """How much one may ask, and how many may at a time."""

    bytes: int = 8 * 2**20  # of a request's body
    documents: int = 1000  # of a request
    length: int = 100_000  # of a document, in characters
    answer: int = 64 * 2**20  # characters of an answer
    requests: int = 32  # at a time
    seconds: float = 30.0  # that a body may take to come


def too_large(what: str, got: int, most: int, advice: str) -> RequestError:
    """Something is beyond a limit."""
    return RequestError(413, f"{what}: got {got:,}, at most {most:,} are taken; {advice}")


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Mapping[str, list[str]]


def headers_of(scope: Scope) -> Headers:
    """The headers of a request by name, in small letters."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def with_headers(send: Send, more: Mapping[str, str]) -> Send:
    """Answers get these headers, unless they have them already."""
    raw = _raw(more)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            names = {name.lower() for name, _ in given}
            message["headers"] = [*given, *(header for header in raw if header[0] not in names)]
        await send(message)

    return sending


async def send_refusal(scope: Scope, send: Send, refusal: RequestError) -> None:
    """The answer to a request that is refused: a sentence for people, JSON for programs."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # a plain 403: no page can read more of a handshake
        return
    if any("text/html" in accepted for accepted in headers_of(scope).get("accept", [])):
        kind, body = "text/plain; charset=utf-8", f"{refusal.reason}\n".encode(errors="replace")
    else:
        kind, body = "application/json", json_bytes({"error": refusal.reason})
    headers = {"Content-Type": kind, "Cache-Control": "no-store", "Connection": "close", **refusal.headers}
    await send_answer(send, refusal.status, headers, body)


async def send_answer(send: Send, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
    """An answer in one piece."""
    raw = _raw({**headers, "Content-Length": str(len(body))})
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def json_bytes(value: Any) -> bytes:
    """An answer as it goes out: JSON in which no program can see a tag of HTML."""
    return as_bytes(safe_json(value))


def as_bytes(text: str) -> bytes:
    """JSON as it goes out."""
    return text.replace("<", "\\u003c").encode()


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]

"""Access control around another application with a websocket, as in the explorer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("uvicorn", reason="topicwright[serve] is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

import httpx
import uvicorn
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from topicwright.server.auth import Access, AccessMiddleware
from topicwright.server.lifecycle import address_of, listening_socket

TOKEN = "a+token/with=signs&more"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LINKED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that says to a websocket what it hears, and to others what they asked for."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    asked = scope["path"].encode() + b"?" + scope["query_string"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"SAMEORIGIN")]})
    await send({"type": "http.response.body", "body": asked})


class Started(uvicorn.Server):
    """A server that reports when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_there = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.is_there.set()


@contextmanager
def guarded(access: Access) -> Iterator[str]:
    """URL of the application behind access control."""
    with listening_socket("127.0.0.1", 0) as listening:
        gate = AccessMiddleware(echo, access, open_paths=["/open"])
        server = Started(uvicorn.Config(gate, lifespan="off", log_level="critical"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            assert server.is_there.wait(60)
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def addresses() -> Iterator[Callable[[Access], str]]:
    running: dict[Access, str] = {}
    with ExitStack() as stack:

        def address(access: Access) -> str:
            if access not in running:
                running[access] = stack.enter_context(guarded(access))
            return running[access]

        yield address


@pytest.fixture
def free(addresses: Callable[[Access], str]) -> str:
    return addresses(Access(frozenset({"topics.example"})))


@pytest.fixture
def locked(addresses: Callable[[Access], str]) -> str:
    return addresses(Access(token=TOKEN))


def get(address: str, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.get(address, headers=headers, trust_env=False, timeout=60)


def websocket_reply(address: str, headers: dict[str, str] | None = None, path: str = "/socket") -> str:
    """Reply of a websocket."""
    with connect("ws" + address.removeprefix("http") + path, additional_headers=headers, proxy=None) as line:
        line.send("a ship")
        return str(line.recv(timeout=60))


def is_refused(address: str, headers: dict[str, str] | None = None, path: str = "/socket") -> bool:
    """Whether a handshake is rejected."""
    with pytest.raises(InvalidStatus) as caught:
        websocket_reply(address, headers, path)
    response = caught.value.response
    return (response.status_code, response.body) == (403, b"")


# ---------------------------------------------------------------------- names and origins


def test_websocket_is_accepted(free: str) -> None:
    assert websocket_reply(free) == "a ship"
    assert websocket_reply(free, {"Origin": free, "Sec-Fetch-Site": "same-origin"}) == "a ship"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        LINKED,
    ],
)
def test_rejects_websocket_from_another_origin(free: str, headers: dict[str, str]) -> None:
    assert is_refused(free, headers)


def test_rejects_websocket_with_another_host(free: str) -> None:
    host = free.removeprefix("http://")
    with connect(f"ws://topics.example:{host.split(':')[1]}/", sock=_socket_to(host), proxy=None) as line:
        line.send("a ship")
        assert line.recv(timeout=60) == "a ship"
    with pytest.raises(InvalidStatus) as caught:
        connect("ws://evil.example/", sock=_socket_to(host), proxy=None)
    assert caught.value.response.status_code == 403


def _socket_to(host: str) -> socket.socket:
    name, port = host.split(":")
    return socket.create_connection((name, int(port)))


def test_links_may_be_followed_but_not_framed(free: str) -> None:
    assert get(f"{free}/a", LINKED).text == "/a?"
    assert get(f"{free}/a", {**LINKED, "Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert httpx.post(f"{free}/a", headers=LINKED, trust_env=False).status_code == 403


def test_security_headers_are_added_unless_set(free: str) -> None:
    headers = get(f"{free}/a").headers
    assert headers.get_list("x-frame-options") == ["SAMEORIGIN"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_browsers_get_a_readable_error(free: str) -> None:
    answer = get(f"{free}/a", {"Host": "<b>.example", "Accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["content-type"]) == (403, "text/plain; charset=utf-8")
    assert answer.text == "the host name '<b>.example' is not allowed: start the server with --allow-host <b>.example\n"


# ---------------------------------------------------------------------- the token


def test_rejects_requests_without_token(locked: str) -> None:
    assert get(f"{locked}/a").status_code == 401
    assert get(f"{locked}/open").status_code == 200
    for headers in (None, {"Authorization": "Bearer x"}, {"Cookie": f"{_cookie(locked)[0]}={TOKEN}"}):
        assert is_refused(locked, headers)
        assert TOKEN not in get(f"{locked}/a", headers).text
    assert is_refused(locked, path=Access(token=TOKEN).link("/socket"))  # a page has the cookie by then


def test_token_in_a_header(locked: str) -> None:
    assert get(f"{locked}/a?b=1", BEARER).text == "/a?b=1"
    assert websocket_reply(locked, BEARER) == "a ship"


def _cookie(address: str) -> tuple[str, str, str]:
    """Name and value of the cookie that a link gives, and the rest."""
    answer = get(Access(token=TOKEN).link(f"{address}/"))
    cookie, _, rest = answer.headers["set-cookie"].partition("; ")
    name, _, value = cookie.partition("=")
    return name, value, rest


def test_token_link_sets_a_cookie_and_redirects(locked: str) -> None:
    port = locked.rpartition(":")[2]
    name, value, rest = _cookie(locked)
    assert (name, rest) == (f"topicwright-{port}", "Path=/; HttpOnly; SameSite=Strict")
    assert TOKEN not in value
    cookie = {"Cookie": f"other=1; {name}={value}"}
    assert get(f"{locked}/a", cookie).text == "/a?"
    assert websocket_reply(locked, cookie) == "a ship"
    assert is_refused(locked, {**cookie, "Origin": "http://evil.example"})


@pytest.mark.parametrize(
    ("asked", "led_to"),
    [("/", "/"), ("/a%20b?c=d&", "/a%20b?c=d"), ("//evil.example/", "/evil.example/"), ("/\\evil", "/%5Cevil")],
)
def test_redirect_targets(locked: str, asked: str, led_to: str) -> None:
    mark = "" if asked.endswith("&") else "?"
    answer = get(f"{locked}{asked}{mark}token={quote(TOKEN, safe='')}")
    assert (answer.status_code, answer.headers["location"], answer.text) == (303, led_to, "")
    assert answer.headers["cache-control"] == "no-store"


def test_rejects_wrong_token_link(locked: str) -> None:
    answer = get(f"{locked}/?token=wrong")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    posted = httpx.post(Access(token=TOKEN).link(f"{locked}/"), trust_env=False)
    assert posted.status_code == 401  # only what is opened in a browser has it in the address

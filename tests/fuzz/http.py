"""Invalid, broken, slow or concurrent requests: a clean error, and the server still answers others correctly."""

from __future__ import annotations

import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..explorer.conftest import Explorer
from ..server.conftest import PATHS, Server
from .attack import Attack, CleanError, WrongResultError, pick
from .targets import empty_folder, model_file

Rng = np.random.Generator
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_PATIENCE = 3.0  # seconds to wait for an answer to what may not be a whole request
_AGAIN = 30  # retries while the server is busy
_KINDS = ["lda", "classifier", "labeled", "stream", "regressor"]
_HEADERS = [
    b"Content-Type: application/json",
    b"Content-Type: text/plain",
    b"Content-Encoding: gzip",
    b"Content-Length: -1",
    b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked",
    b"Expect: 100-continue",
    b"Host: elsewhere.example",
    b"Host: localhost\r\nHost: localhost",
    b"Origin: http://elsewhere.example",
    b"Authorization: Bearer \xff\x00",
    b"Upgrade: websocket\r\nConnection: Upgrade",
    b"X: " + b"x" * 100_000,
    b"no colon",
    b"Range: bytes=0-",
]
_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**70,
    1e308,
    "",
    "ship",
    "\0",
    [],
    {},
    [[]],
    [None],
    ["ship"] * 1001,
    "x" * 100_001,
]
_FIELDS = ["documents", "text", "id", "top", "threshold", "labels", "min_weight", "words", "dense", "n"]


class RandomRequests(Attack):
    """Random requests to ``serve`` over plain sockets."""

    name = "http"
    weight = 2.0
    _right = b'{"documents": ["ship wave", "bread"]}'

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._servers: dict[str, Server] = {}
        self._wanted: dict[str, bytes] = {}
        self._readers: list[threading.Thread] = []

    def run_case(self, rng: Rng) -> None:
        kind = pick(rng, _KINDS)
        server = self._server(kind)
        act = pick(rng, [_one, _one, _one, _one, _broken, _at_once, _slow])
        self.description = f"{kind}, {act.__name__}"
        statuses = act(server.port, rng, self._request)
        self._check(kind, server)
        if wrong := [status for status in statuses if status >= 500 and status != 503]:
            raise WrongResultError(f"status {wrong}: {''.join(server.said)}")
        if any(status >= 400 for status in statuses):
            raise CleanError(f"status {statuses}")

    def _server(self, kind: str) -> Server:
        if kind not in self._servers:
            server = self._servers[kind] = Server(model_file(self.folder, kind))
            self._readers.append(collect_stderr(server))
            self._wanted[kind] = self._answer(server)
        return self._servers[kind]

    def _answer(self, server: Server) -> bytes:
        head = b"POST /transform HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        request = head + b"Content-Length: %d\r\n\r\n" % len(self._right) + self._right
        for _ in range(_AGAIN):
            answer = send_request(server.port, request)
            if not answer.startswith(b"HTTP/1.1 503"):  # earlier requests may still be running
                break
            time.sleep(1.0)
        return answer.partition(b"\r\n\r\n")[2]

    def _check(self, kind: str, server: Server) -> None:
        """Require a live server without tracebacks that gives the same answer as at the start."""
        if server.process.poll() is not None:
            del self._servers[kind]
            raise WrongResultError(f"the server is gone, exit code {server.process.returncode}: {''.join(server.said)}")
        if "Traceback" in (message := "".join(server.said)):
            server.said.clear()
            raise WrongResultError(message)
        if self._answer(server) != self._wanted[kind]:
            raise WrongResultError("another answer to the same request as at first")

    def _request(self, rng: Rng) -> bytes:
        path = pick(rng, PATHS)
        method = (
            PATHS[path] if rng.random() < 0.8 else pick(rng, ["GET", "POST", "PUT", "HEAD", "OPTIONS", "TRACE", "\xff"])
        )
        if rng.random() < 0.3:
            path += pick(
                rng, ["?words=-1", "?words=1e9", "?topic=x", "?%00", "/../..", "?token=" + "x" * 9000, "\x7f", "//"]
            )
        body = any_body(rng)
        headers = [b"Host: localhost", b"Content-Type: application/json", b"Content-Length: %d" % len(body)]
        for _ in range(int(rng.integers(3)) if rng.random() < 0.4 else 0):
            headers.insert(int(rng.integers(len(headers) + 1)), pick(rng, _HEADERS))
        if rng.random() < 0.1:
            del headers[int(rng.integers(len(headers)))]
        version = "HTTP/1.1" if rng.random() < 0.95 else pick(rng, ["HTTP/0.9", "HTTP/2.0", "HTTP/9", ""])
        first = f"{method} {path} {version}".encode("latin-1")
        return b"\r\n".join([first, *headers, b"Connection: close", b"", body])

    def close(self) -> None:
        for server in self._servers.values():
            server.process.kill()
            server.process.wait()
        for thread in self._readers:
            thread.join(10)


class ExplorerRequests(RandomRequests):
    """Random requests to the server of ``explore``, which must still show its page."""

    name = "explorer"
    weight = 1.0

    def _server(self, kind: str) -> Any:
        if "explorer" not in self._servers:
            path = shutil.copy(model_file(self.folder, "lda"), empty_folder(self.folder, self.name) / "lda.tw")
            explorer: Any = Explorer(Path(path))
            self._readers.append(collect_stderr(explorer))
            self._servers["explorer"] = explorer
        return self._servers["explorer"]

    def _check(self, kind: str, server: Any) -> None:
        self._wanted["explorer"] = b""
        super()._check("explorer", server)

    def _answer(self, server: Any) -> bytes:
        page = send_request(server.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return b"" if page.startswith(b"HTTP/1.1 200") else page[:300]

    def _request(self, rng: Rng) -> bytes:
        paths = [
            "/",
            "/_nicegui/",
            "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
            "/_nicegui/../../etc/passwd",
            "/%2e%2e/",
        ]
        request = super()._request(rng)
        if rng.random() < 0.7:
            target = pick(rng, paths).encode()
            request = re.sub(rb"^(\S*) \S*", lambda found: found[1] + b" " + target, request)
        return request


def collect_stderr(server: Any) -> threading.Thread:
    """Read the standard error of a server in a thread, so that its pipe never fills up."""

    def listen() -> None:
        with server.process.stderr:
            for line in server.process.stderr:
                server.said.append(line)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    return thread


def any_body(rng: Rng) -> bytes:
    """JSON of any shape, sometimes damaged; or bytes."""
    if rng.random() < 0.15:
        return pick(
            rng, [b"", b"[" * 50_000, b"{", b"\xff\xfe", b'"', b"NaN", b'{"documents": [' + b'"a",' * 9, rng.bytes(500)]
        )
    record = {"documents": pick(rng, [["ship wave"], ["ship", "", "bread"], [{"text": "ship", "id": "a"}], *_VALUES])}
    for _ in range(int(rng.integers(3)) if rng.random() < 0.5 else 0):
        record[pick(rng, _FIELDS)] = pick(rng, _VALUES)
    body = json.dumps(record).encode()
    return body if rng.random() < 0.9 else body[: int(rng.integers(len(body)))] + rng.bytes(3)


# ---------------------------------------------------------------------- ways to send a request

Request = Callable[[Rng], bytes]


def send_request(port: int, request: bytes, seconds: float = 60.0) -> bytes:
    """Response on a new connection; the server may close it, or wait for more data."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        with suppress(ConnectionError, TimeoutError):
            line.sendall(request)
        with suppress(ConnectionError, TimeoutError):
            while chunk := line.recv(65536):
                answer += chunk
    return answer


def _status(answer: bytes) -> list[int]:
    return [int(status) for status in _STATUS.findall(answer[:20])]


def _one(port: int, rng: Rng, request: Request) -> list[int]:
    return _status(send_request(port, request(rng), _PATIENCE))


def _broken(port: int, rng: Rng, request: Request) -> list[int]:
    """The client disconnects before the request is complete, or before the response."""
    data = request(rng)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line, suppress(ConnectionError):
        line.sendall(data[: int(rng.integers(len(data) + 1))])
    return []


def _slow(port: int, rng: Rng, request: Request) -> list[int]:
    """The client sends a byte now and then for a second, then disconnects."""
    data = request(rng)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line, suppress(ConnectionError):
        for place in range(min(20, len(data))):
            line.sendall(data[place : place + 1])
            time.sleep(0.03)
    return []


def _at_once(port: int, rng: Rng, request: Request) -> list[int]:
    """Up to sixty clients at once."""
    statuses: list[int] = []
    requests = [request(rng) for _ in range(int(rng.integers(2, 60)))]

    def ask(data: bytes) -> None:
        with suppress(OSError):
            statuses.extend(_status(send_request(port, data, _PATIENCE)))

    clients = [threading.Thread(target=ask, args=(data,)) for data in requests]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return statuses

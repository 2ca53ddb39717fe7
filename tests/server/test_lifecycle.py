"""Start and shutdown of a server, and its messages."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")

import httpx

import topicwright as tw
from topicwright import InputError
from topicwright.server.lifecycle import address_of, listening_socket, new_server

from .conftest import Server

ModelFile = Callable[[str], Path]


def refused(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "topicwright", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("error: ").removesuffix("\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_the_server(model_file: ModelFile, number: int) -> None:
    server = Server(model_file("lda"))
    assert server.said == [f"serving {model_file('lda')} (LDA) at {server.url}; see {server.url}/docs; Ctrl-C stops\n"]
    assert server.ask("/health").status_code == 200
    assert server.stop(number) == (0, "stopped\n")


def test_early_signal_stops_the_server(model_file: ModelFile) -> None:
    from topicwright.server.app import new_app
    from topicwright.server.lifecycle import listening_socket, run
    from topicwright.server.served_model import ServedModel

    begun: list[str] = []
    with listening_socket("127.0.0.1", 0) as listening:
        app = new_app(ServedModel(lambda: tw.load(model_file("lda"))), on_start=lambda: begun.append("begun"))
        run(app, listening, is_over=lambda: True)
    assert begun == []


def test_running_request_is_finished_before_shutdown(model_file: ModelFile) -> None:
    server = Server(model_file("lda"))
    body = json.dumps({"documents": ["ship wave"] * 1000}).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        head = "POST /transform HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:100])
        assert server.ask("/health").status_code == 200  # by now the other is under way
        server.process.send_signal(signal.SIGTERM)
        line.sendall(body[100:])
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.count(b'"id"') == 1000
    assert server.process.communicate(timeout=60) == (None, "stopped\n")
    assert server.process.returncode == 0


def test_responses_are_sent_without_delay() -> None:
    """Accepted connections have TCP_NODELAY; otherwise responses wait for the acknowledgment of the client."""
    options: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for connection in server.server_state.connections:
            accepted = connection.transport.get_extra_info("socket")
            options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with listening_socket("127.0.0.1", 0) as listening:
        address = address_of(listening)
        server = new_server(app)
        server.config.lifespan = "off"
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            assert httpx.get(address, timeout=60, trust_env=False).status_code == 204
        finally:
            server.should_exit = True
            thread.join()
    assert options
    assert all(options)


def test_public_server_creates_a_token(model_file: ModelFile) -> None:
    server = Server(model_file("lda"), "--host", "0.0.0.0", "--allow-host", "topics.example")
    try:
        first, *rest = server.said
        token = first.removeprefix("token: ").strip()
        assert len(token) >= 32
        assert len(rest) == 3
        assert "not encrypted" in rest[0]
        assert "localhost, topics.example; add others with --allow-host NAME" in rest[1]
        assert server.refused("/model")[0] == 401
        headers = {"Authorization": f"Bearer {token}"}
        assert server.ask("/model", headers={**headers, "Host": "topics.example"}).status_code == 200
        assert server.refused("/model", headers={**headers, "Host": "other.example"})[0] == 403
    finally:
        server.stop()


def test_rejects_invalid_use(model_file: ModelFile) -> None:
    model = str(model_file("lda"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refused(model, "--port", port) == (
            f"cannot listen on 127.0.0.1, port {port}: Address already in use; try another --port or --host"
        )
    assert refused(model, "-p", "0", "--allow-host", "*").startswith(
        "--allow-host must be the name or address of a host"
    )
    short = "--token must have at least 16 printable ASCII characters and no spaces: got 5 characters"
    assert refused(model, "-p", "0", "--token", "short") == short
    assert refused(model, "-p", "0", TOPICWRIGHT_TOKEN="short") == short
    assert refused("absent.tw", "-p", "0") == "cannot read absent.tw: No such file or directory"


def test_missing_extra_names_the_install_command(model_file: ModelFile) -> None:
    code = "import sys; sys.modules['fastapi'] = None; sys.argv[1:] = ['serve', sys.argv[1]];"
    code += "from topicwright.cli import main; main()"
    command = [sys.executable, "-c", code, str(model_file("lda"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr == (
        "error: topicwright serve needs the package 'fastapi': install it with pip install 'topicwright[serve]'\n"
    )


@pytest.mark.parametrize("host", ["no.such.host.invalid", "\u202e", "a" * 70])
def test_rejects_invalid_host(host: str) -> None:
    with pytest.raises(InputError, match=r"cannot listen on .*try another port"):
        listening_socket(host, 0)

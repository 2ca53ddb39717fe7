"""Operation: metrics, access log, reload, worker processes, shutdown, slow and too many connections."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")
pytest.importorskip("psutil", reason="psutil is not installed")

import httpx
import psutil

import topicwright as tw

from ..conftest import themed_texts
from .conftest import Server

ModelFile = Callable[[str], Path]
Serving = Callable[..., Server]
BODY = {"documents": ["ship wave zzzz", "bread"]}


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Start servers that are stopped after the test."""
    servers: list[Server] = []

    def start_server(model: Path, *options: str) -> Server:
        servers.append(Server(model, *options))
        return servers[-1]

    yield start_server
    for server in servers:
        if server.process.poll() is None:
            server.process.terminate()
        server.process.communicate(timeout=60)


def wait_until(is_true: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_true():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def metrics(server: Server, **options: Any) -> dict[str, float]:
    """Values of all metrics by their names with labels."""
    answer = httpx.get(f"{server.url}/metrics", timeout=60, trust_env=False, **options)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


# ---------------------------------------------------------------------- metrics and log


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["one process", "workers"])
def test_metrics(start: Callable[..., Server], model_file: ModelFile, options: list[str]) -> None:
    server = start(model_file("lda"), *options)
    for _ in range(5):
        assert server.ask("/transform", BODY).status_code == 200
    server.refused("/transform", {"documents": 3})
    server.refused("/no such path")
    values = metrics(server)
    assert values['topicwright_requests_total{path="/transform",status="200"}'] == 5
    assert values['topicwright_requests_total{path="/transform",status="422"}'] == 1
    assert values['topicwright_requests_total{path="other",status="404"}'] == 1
    assert values['topicwright_request_duration_seconds_count{path="/transform"}'] == 6
    assert values['topicwright_documents_total{path="/transform"}'] == 10
    assert values['topicwright_words_total{path="/transform"}'] == 20
    assert values['topicwright_unknown_words_total{path="/transform"}'] == 5
    assert values["topicwright_requests_in_progress"] == 1  # this one
    [info] = [name for name in values if name.startswith("topicwright_model_info")]
    facts = server.ask("/model").json()
    for name in ("kind", "topics", "vocabulary", "digest"):
        assert f'{name}="{facts[name]}"' in info
    assert f'version="{tw.__version__}"' in info


def test_metrics_need_the_token(serving: Serving) -> None:
    token = "a-token-for-the-tests"
    server = serving("lda", "--token", token)
    assert server.refused("/metrics")[0] == 401
    assert metrics(server, headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("layout", ["text", "json"])
def test_access_log(model_file: ModelFile, layout: str) -> None:
    command = [sys.executable, "-m", "topicwright", "serve", str(model_file("lda")), "--port", "0"]
    command += ["--access-log", layout, "--token", "a-token-for-the-tests"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r" at (http://\S+);", line)
        assert found is not None, line
        httpx.get(f"{found[1]}/health", trust_env=False)
        httpx.get(f"{found[1]}/model?token=wrong-token-of-a-user", trust_env=False)
        process.terminate()
        printed, _ = process.communicate(timeout=60)
    health, model = printed.splitlines()
    assert "wrong-token" not in printed
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    if layout == "text":
        assert re.fullmatch(rf"{moment} 127\.0\.0\.1 GET /health 200 [\d.]+ ms", health)
        assert re.fullmatch(rf"{moment} 127\.0\.0\.1 GET /model 401 [\d.]+ ms", model)
    else:
        records = [json.loads(health), json.loads(model)]
        assert [(one["path"], one["status"]) for one in records] == [("/health", 200), ("/model", 401)]
        assert re.fullmatch(moment, records[0]["time"])
        assert records[0]["milliseconds"] >= 0


# ---------------------------------------------------------------------- reload


@pytest.fixture
def two_models(tmp_path: Path) -> tuple[Path, Path]:
    """A model file that is served, and one that replaces it."""
    for name, n_topics in (("served.tw", 2), ("new.tw", 3)):
        tw.LDA(n_topics, n_sweeps=5, random_state=0).fit(themed_texts(20)).save(tmp_path / name)
    return tmp_path / "served.tw", tmp_path / "new.tw"


def n_topics(server: Server) -> int:
    topics: int = server.ask("/model").json()["topics"]
    return topics


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["one process", "workers"])
def test_hangup_signal_reloads_the_model(
    start: Callable[..., Server], two_models: tuple[Path, Path], options: list[str]
) -> None:
    path, new = two_models
    server = start(path, *options)
    digest = server.ask("/model").json()["digest"]
    new.replace(path)
    assert n_topics(server) == 2  # not without a signal
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: {n_topics(server) for _ in range(20)} == {3})
    assert server.ask("/model").json()["digest"] != digest
    assert len(server.ask("/transform", {"documents": ["ship"], "dense": True}).json()["documents"][0]["topics"]) == 3


def test_replaced_file_is_reloaded(start: Callable[..., Server], two_models: tuple[Path, Path]) -> None:
    path, new = two_models
    server = start(path, "--reload")
    new.replace(path)
    wait_until(lambda: n_topics(server) == 3)
    assert metrics(server)['topicwright_model_reloads_total{outcome="success"}'] == 1


def test_broken_file_keeps_the_model(start: Callable[..., Server], two_models: tuple[Path, Path]) -> None:
    path, new = two_models
    server = start(path, "--reload")
    path.write_bytes(new.read_bytes()[:1000])
    wait_until(lambda: metrics(server)['topicwright_model_reloads_total{outcome="failure"}'] == 1)
    assert n_topics(server) == 2
    assert server.ask("/transform", BODY).status_code == 200
    path.unlink()
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: metrics(server)['topicwright_model_reloads_total{outcome="failure"}'] == 2)
    assert n_topics(server) == 2
    new.replace(path)
    wait_until(lambda: n_topics(server) == 3)
    code, said = server.stop()
    assert code == 0
    failure, missing, success, stopped = said.splitlines()
    kept = "error: the model was not reloaded, and the server keeps the previous one: "
    assert failure.startswith(kept)
    assert missing.startswith(kept)
    assert (success, stopped) == (f"reloaded {path}", "stopped")


def test_running_request_keeps_its_model(two_models: tuple[Path, Path]) -> None:
    from topicwright.server import schemas
    from topicwright.server.served_model import ServedModel

    path, new = two_models
    served = ServedModel(lambda: tw.load(path), path=path)
    task = served.service.transform(schemas.TransformRequest(documents=["ship wave"] * 2, dense=True))
    first = task.results(task.documents[:1])
    new.replace(path)
    served.reload()
    assert task.results(task.documents[1:])[0].line.replace('"id": 2', '"id": 1') == first[0].line
    assert served.service.n_topics == 3


def test_closed_terminal_stops_the_server(model_file: ModelFile) -> None:
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:  # a session of its own, with this terminal
        os.execv(sys.executable, [sys.executable, "-m", "topicwright", "serve", str(model_file("lda")), "-p", "0"])
    printed = b""
    while b"Ctrl-C stops" not in printed:
        select.select([terminal], [], [], 60)
        printed += os.read(terminal, 4096)
    os.close(terminal)  # which sends SIGHUP
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 0


# ---------------------------------------------------------------------- worker processes


def workers_of(server: Server) -> set[int]:
    return {child.pid for child in psutil.Process(server.process.pid).children()}


def test_dead_worker_is_replaced(start: Callable[..., Server], two_models: tuple[Path, Path]) -> None:
    path, new = two_models
    server = start(path, "--workers", "2")
    before = workers_of(server)
    assert len(before) == 2
    new.replace(path)
    replace_a_worker(server)
    assert {n_topics(server) for _ in range(20)} == {2}  # the new worker has the model of the other one
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: {n_topics(server) for _ in range(20)} == {3})
    replace_a_worker(server)
    assert {n_topics(server) for _ in range(20)} == {3}
    workers = workers_of(server)
    assert server.stop() == (0, f"reloaded {path}\n" * 3 + "stopped\n")
    assert not any(psutil.pid_exists(worker) for worker in workers)


def replace_a_worker(server: Server) -> None:
    victim = min(workers_of(server))
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(workers_of(server) - {victim}) == 2)


def test_workers_stop_when_the_first_process_is_killed(model_file: ModelFile) -> None:
    server = Server(model_file("lda"), "--workers", "2")
    workers = workers_of(server)
    server.process.kill()
    server.process.communicate(timeout=60)
    wait_until(lambda: not any(psutil.pid_exists(worker) for worker in workers))


# ---------------------------------------------------------------------- shutdown


def request_head(body: bytes, n_bytes: int | None = None) -> bytes:
    head = "POST /transform HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {n_bytes or len(body)}\r\n\r\n".encode()


@pytest.mark.parametrize("options", [[], ["--workers", "2"]], ids=["one process", "workers"])
def test_request_that_outlasts_the_drain_time_gets_an_error(model_file: ModelFile, options: list[str]) -> None:
    server = Server(model_file("lda"), "--drain", "0.2", *options)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(request_head(b"", 1000) + b"{")  # the rest never comes
        wait_until(lambda: metrics(server)["topicwright_requests_in_progress"] == 2)
        server.process.terminate()
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"content-type: application/json" in head
    assert json.loads(body) == {"error": "the server was stopped before the request was done: send it again"}
    server.process.communicate(timeout=60)
    assert server.process.returncode == 0


# ---------------------------------------------------------------------- connections


def received(line: socket.socket) -> bytes:
    """Everything that a server sends until it closes the connection."""
    answer = b""
    with suppress(ConnectionResetError):
        while chunk := line.recv(65536):
            answer += chunk
    return answer


def read_until(line: socket.socket, end: bytes) -> None:
    answer = b""
    while not answer.endswith(end):
        chunk = line.recv(65536)
        assert chunk, answer
        answer += chunk


def test_slow_headers_close_the_connection(serving: Serving) -> None:
    server = serving("lda", "--header-timeout", "0.5", "--idle-timeout", "0.5")
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 60)) for _ in range(4)]
        partial, silent, blank, again = lines
        partial.sendall(b"GET /health HTT")
        blank.sendall(b"\r\n")
        again.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read_until(again, b'{"status": "ok"}')
        again.sendall(b"GET /hea")  # the next request of a kept-alive connection
        for line in (partial, again):
            head, _, body = received(line).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 408 ")
            assert json.loads(body) == {"error": "the headers were not received within 0.5 seconds"}
        assert received(silent) == b""
        received(blank)


def test_idle_connections_are_closed(serving: Serving) -> None:
    server = serving("lda", "--header-timeout", "0.5", "--idle-timeout", "0.5")
    with socket.create_connection(("127.0.0.1", server.port), 60) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert received(line).endswith(b'{"status": "ok"}')


def test_incomplete_requests_do_not_keep_others_out(serving: Serving) -> None:
    server = serving("lda", "--header-timeout", "600")
    with ExitStack() as stack:
        for _ in range(600):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 60))
            line.sendall(b"GET /health HTTP/1.1\r\nHost: loc")
        assert server.ask("/transform", BODY).status_code == 200


def test_too_long_headers(serving: Serving) -> None:
    server = serving("lda")
    with socket.create_connection(("127.0.0.1", server.port), 60) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nX: ")
        with suppress(ConnectionError):
            for _ in range(20):
                line.sendall(b"x" * 20_000)
        answer = received(line)
    assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""  # lost, if the client was still sending
    assert server.ask("/health").status_code == 200


def test_invalid_http_is_an_error_in_json(serving: Serving) -> None:
    with socket.create_connection(("127.0.0.1", serving("lda").port), 60) as line:
        line.sendall(b"nonsense\r\n\r\n")
        head, _, body = received(line).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body) == {"error": "the request is not valid HTTP, or its address has more than 65,535 bytes"}


def test_offer_of_another_protocol_is_ignored(serving: Serving) -> None:
    """Java's client offers HTTP/2 with every request, and its body must arrive."""
    body = json.dumps(BODY).encode()
    offer = (
        b"\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA"
    )
    head = request_head(body).replace(b"\r\nHost", offer + b"\r\nHost", 1)
    with socket.create_connection(("127.0.0.1", serving("lda").port), 60) as line:
        for _ in range(2):
            line.sendall(head + body)
            read_until(line, b'"unknown": 1}')


# ---------------------------------------------------------------------- many clients


def test_fifty_clients_at_once(serving: Serving) -> None:
    server = serving("labeled")
    expected = server.ask("/predict", BODY).json()
    problems: list[Any] = []

    def client() -> None:
        with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as connection:
            for _ in range(10):
                answer = connection.post("/predict", json=BODY)
                if answer.status_code != 200 or answer.json() != expected:
                    problems.append(answer.text)

    threads = [threading.Thread(target=client) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []

"""Start, access control and shutdown of the explorer."""

from __future__ import annotations

import json
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw
from topicwright.steering import Steering

from ..cli.conftest import Invoke, invoke  # noqa: F401
from .conftest import HOSTILE, Explorer, mixed_texts

Look = Callable[..., Any]


def ask(server: Explorer, path: str = "/", **headers: str) -> Any:
    import httpx

    return httpx.get(f"{server.url}{path}", headers=headers, timeout=30, trust_env=False)


def test_rejects_requests_from_other_origins(server: Explorer) -> None:
    page = ask(server)
    assert page.status_code == 200
    assert page.headers["x-frame-options"] == "DENY"
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert ask(server, Host="evil.example").status_code == 403
    assert ask(server, Origin="http://evil.example").status_code == 403
    assert ask(server, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    sockets = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    assert ask(server, sockets).status_code == 200
    assert ask(server, sockets, Origin="http://evil.example").status_code == 403
    assert ask(server, "/..%2f..%2fetc/passwd").status_code == 404


def test_rejects_websocket_from_another_origin(server: Explorer) -> None:
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    for origin, answer in ((server.url, b"101"), ("http://evil.example", b"403")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            line.sendall(
                "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}"
                f"Origin: {origin}\r\n\r\n".encode()
            )
            assert line.recv(100).split()[1] == answer


def test_aborted_request_is_not_an_error(own_file: Path, exploring: Any) -> None:
    server = exploring(own_file)
    for path in ("/", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            line.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 9\r\n\r\n".encode())
    assert ask(server).status_code == 200
    assert "Error" not in server.stop()[1]


def test_public_server_needs_a_token(own_file: Path, exploring: Any, look: Look) -> None:
    server = exploring(own_file, "--host", "0.0.0.0")
    assert "other machines can reach this server" in server.said[0]
    assert ask(server).status_code == 401
    page = look(server.link)
    assert "token" not in page.url
    page.locator("#topic-row-2").click()
    page.wait_for_selector("#topic-title .number:text-is('2')")


def test_rejects_invalid_use(own_file: Path, tmp_path: Path, invoke: Invoke) -> None:  # noqa: F811
    def refused(*arguments: Any) -> str:
        return invoke("explore", *arguments, "--no-browser").refused()

    assert refused("nowhere.tw") == "cannot read nowhere.tw: No such file or directory"
    (tmp_path / "empty.tw").write_bytes(b"")
    assert "empty.tw" in refused("empty.tw")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "Address already in use" in refused(own_file, "--port", taken.getsockname()[1])
    (tmp_path / "themes.jsonl").write_text("{}\n")
    assert "themes.tw exists already" in refused("themes.jsonl")
    assert "--output" in refused("-", "--format", "text")
    assert "a model cannot be written to standard output" in refused("themes.jsonl", "--output", "-")
    with Steering.open(own_file):  # as another process would
        assert "in use by another process" in refused(own_file)


def test_missing_nicegui_names_the_extra(monkeypatch: pytest.MonkeyPatch, invoke: Invoke) -> None:  # noqa: F811
    monkeypatch.setitem(sys.modules, "nicegui", None)
    assert invoke("explore", "themes.tw").refused() == (
        "topicwright explore needs the package 'nicegui': install it with pip install 'topicwright[explorer]'"
    )
    with pytest.raises(tw.MissingExtraError, match="explorer"):
        tw.explore(None)


def test_training_is_shown_live(tmp_path: Path, exploring: Any, look: Look) -> None:
    """Curves and topics are there before the end; the model is saved beside the documents."""
    lines = (json.dumps({"text": f"{text} {HOSTILE}"}) for text in mixed_texts(300) * 10)
    (tmp_path / "themes.jsonl").write_text("\n".join(lines))
    server = exploring(tmp_path / "themes.jsonl", "--topics", "5", "--sweeps", "4000")
    page = look(server.url, ready=".training .curve >> nth=1")
    page.wait_for_selector(".row >> nth=3")
    assert "You can edit topics when training has finished" in page.locator(".steps .hint").inner_text()
    page.locator(".training >> text=Stop and keep").click()
    page.wait_for_selector(".training", state="hidden")
    page.wait_for_selector(".steps .update-button")
    saved = tw.load(tmp_path / "themes.tw")
    assert saved.interrupted_
    assert 20 <= saved.sweeps_ < 4000


@pytest.mark.parametrize("place", ["word", "id", "label", "text", "name"])
def test_hostile_text_stays_text(place: str, hostile: Explorer, look: Look) -> None:
    page = look(hostile.url)
    if place == "word":
        assert page.locator(".word-row .word", has_text="<img").count() >= 1
    elif place in ("id", "label"):
        assert page.locator(".document-header", has_text="<img").count() >= 1
    elif place == "text":
        page.locator(".topic-details .document").first.click()
        page.wait_for_selector(".document-view .text:has-text('<img')")
    else:
        page.locator(".topic-header >> text=Rename").click()
        page.locator("#topic-name").fill(HOSTILE)
        page.keyboard.press("Enter")
        page.wait_for_selector("#topic-title:has-text('<img')")
        page.wait_for_selector(".step:has-text('<img')")
    assert page.locator("img").count() == 0
    assert page.title() == "hostile.tw"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Model whose words, names and texts contain scripts."""
    corpus = tw.Corpus.from_texts(
        [f"ship sea {HOSTILE}", f"{{{{ 7*7 }}}} bread {HOSTILE}"] * 10,
        ids=[f"{HOSTILE}{i}" for i in range(20)],
        labels=[[HOSTILE], ["plain"]] * 10,
        token_pattern=r"\S+(?: src=x \S+)?",
        keep_texts=True,
    )
    path = tmp_path_factory.mktemp("hostile") / "hostile.tw"
    tw.LDA(n_topics=2, n_sweeps=5).fit(corpus).save(path)
    explorer = Explorer(path)
    yield explorer
    explorer.stop(signal.SIGKILL)

"""Rejected requests and their messages; none may stop the server."""

from __future__ import annotations

import http.client
import json
import re
import socket
from collections.abc import Callable
from contextlib import closing

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")

import httpx

from .conftest import Server

Serving = Callable[..., Server]
SMALL = ["--max-bytes", "2000", "--max-documents", "3", "--max-length", "20"]
TOKEN = "a-token-for-the-tests"


@pytest.fixture
def server(serving: Serving) -> Server:
    return serving("lda")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "documents: required field is missing"),
        ([], 'the body: it must be an object, such as {"documents": ["a text"]}'),
        ({"documents": "a ship"}, "documents: it must be a list"),
        ({"documents": [3]}, 'documents[0]: must be a text, or an object such as {"id": "a1", "text": "…"}'),
        ({"documents": ["a", {"text": 3}]}, "documents[1].text: it must be a text"),
        ({"documents": [{"id": "a1"}]}, "documents[0].text: required field is missing"),
        ({"documents": [{"text": "a", "words": ["a"]}]}, "documents[0].words: unknown field"),
        ({"documents": [{"words": ["a", None]}]}, "documents[0].words[1]: it must be a text"),
        ({"documents": [], "dens": True}, "dens: unknown field"),
        ({"documents": [], "dense": 1}, "dense: it must be true or false"),
        ({"documents": [], "min_weight": "0.1"}, "min_weight: it must be a number"),
        ({"documents": [], "min_weight": 2}, "min_weight: it should be less than or equal to 1"),
    ],
)
def test_wrong_types(server: Server, body: object, reason: str) -> None:
    assert server.refused("/transform", body) == (422, reason)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{nope", "the body is not JSON: Expecting property name enclosed in double quotes, at character 1"),
        (b"", "the body: required field is missing"),
        (b"\xff\xfe\x00", "the body is not valid JSON"),
        (b"[" * 100_000, "the body is not valid JSON"),
        (b'{"documents": [{"id": ' + b"1" * 5000 + b"}]}", "the body is not valid JSON"),
    ],
)
def test_bad_json(server: Server, body: bytes, reason: str) -> None:
    status, said = server.refused("/transform", content=body, headers={"Content-Type": "application/json"})
    assert status in (400, 422)
    assert said == reason


def test_rejects_invalid_numbers(server: Server) -> None:
    body = b'{"documents": [], "min_weight": NaN}'
    status, said = server.refused("/transform", content=body, headers={"Content-Type": "application/json"})
    assert (status, said) == (422, "min_weight: it should be a finite number")


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Content-Type": "text/plain"}, "the body must be JSON: send the header  Content-Type: application/json"),
        ({}, "the body must be JSON: send the header  Content-Type: application/json"),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, "the body must not be compressed"),
    ],
)
def test_rejects_other_content_types(server: Server, headers: dict[str, str], reason: str) -> None:
    status, said = server.refused("/transform", content=b"{}", headers=headers)
    assert status == 415
    assert said.startswith(reason)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/topics?words=x", "words: it must be an integer"),
        ("/topics?words=0", "words: it should be greater than or equal to 1"),
        ("/topics?" + "topic=1&" * 101, "topic: list should have at most 100 items, not 101"),
        ("/topics?topic=7", "topic must be from 0 to 2: got 7"),
        ("/topics?label=sea", "the model has no topic with the name 'sea': its topics have no names"),
    ],
)
def test_rejects_invalid_queries(server: Server, path: str, reason: str) -> None:
    assert server.refused(path) == (422, reason)


@pytest.mark.parametrize(
    "path", ["/nothing", "/redoc", "/topics/", "/..%2f..%2fetc/passwd", "/health/../../etc/passwd"]
)
def test_paths_do_not_reach_files(server: Server, path: str) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("GET", path)  # sent unchanged: other clients would normalize it
        answer = connection.getresponse()
        assert answer.status == 404
        assert json.load(answer)["error"].startswith("there is nothing at /")


def test_rejects_overlong_url(server: Server) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("GET", "/topics?label=" + "a" * 50_000)
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)) == (
            422,
            {"error": "label[0]: string should have at most 1000 characters"},
        )


def test_api_page_loads_nothing_from_other_hosts(serving: Serving) -> None:
    url = serving("lda", "--token", TOKEN).url
    with httpx.Client(base_url=url, trust_env=False, follow_redirects=True, timeout=60) as browser:
        answer = browser.get("/docs", params={"token": TOKEN})
        assert browser.get("/openapi.json").status_code == 200  # by the cookie
    assert (answer.url.path, answer.url.query) == ("/docs", b"")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "src=" not in answer.text
    assert re.findall("href=([^>]*)", answer.text) == ["openapi.json"]
    asked = f"""curl -H "Authorization: Bearer $TOPICWRIGHT_TOKEN" --json '{{"documents": ["a text"]}}' {url}/predict"""
    assert f"<pre>{asked}</pre>" in answer.text
    assert "<code>min_weight</code><td>Omit topics with a smaller probability." in answer.text
    assert TOKEN not in answer.text


def test_other_methods(server: Server) -> None:
    assert server.refused("/topics", method="DELETE") == (405, "/topics does not allow DELETE: see /openapi.json")
    assert server.ask("/transform", method="GET").headers["allow"] == "POST"


# ---------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        (["a"] * 4, "the request has too many documents: got 4 documents, at most 3 are allowed"),
        (["a", "b" * 21], "document 2 is too long: got 21 characters, at most 20 are allowed"),
        ([{"words": ["abc"] * 6}], "document 1 is too long: got 24 characters"),
        (["a" * 2000], "the body is too long: got 2,018 bytes, at most 2,000 are allowed"),
        (["a" * 90_000], "the body is too long: got "),
    ],
    ids=["documents", "length", "words", "bytes", "many bytes"],
)
def test_rejects_too_large_requests(serving: Serving, documents: list[object], reason: str) -> None:
    server = serving("lda", *SMALL)
    body = json.dumps({"documents": documents}, separators=(",", ":")).encode()
    status, said = server.refused("/transform", content=body, headers={"Content-Type": "application/json"})
    assert status == 413
    assert said.startswith(reason)
    assert server.ask("/transform", {"documents": ["a" * 20] * 3}).status_code == 200


def test_body_without_length_is_limited(serving: Serving) -> None:
    server = serving("lda", *SMALL)
    parts = iter([b'{"documents": ["', *[b"a" * 500] * 6, b'"]}'])
    status, said = server.refused("/transform", content=parts, headers={"Content-Type": "application/json"})
    assert (status, said[:20]) == (413, "the body is too long")


def test_expect_continue_is_rejected_early(serving: Serving) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": "5000", "Expect": "100-continue"}
    with closing(http.client.HTTPConnection("127.0.0.1", serving("lda", *SMALL).port, timeout=60)) as connection:
        connection.request("POST", "/transform", headers=headers)
        assert connection.getresponse().status == 413


def test_limits_are_reported(serving: Serving) -> None:
    limits = serving("lda", *SMALL).ask("/model").json()["limits"]
    assert limits == {"bytes": 2000, "documents": 3, "length": 20}


# ---------------------------------------------------------------------- who may ask


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:99", "127.0.0.1:8000", "[::1]:80", "127.1.2.3", "a.example:1"]
)
def test_accepted_host_names(serving: Serving, host: str) -> None:
    server = serving("lda", "--allow-host", "A.example")
    assert server.ask("/model", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "x", ""]
)
def test_rejects_other_host_names(serving: Serving, host: str) -> None:
    for path in ("/model", "/metrics", "/nothing"):
        status, said = serving("lda").refused(path, headers={"Host": host})
        assert status == 403
        assert said == f"the host name {host!r} is not allowed: start the server with --allow-host {host}"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    ],
)
def test_rejects_other_origins(server: Server, headers: dict[str, str]) -> None:
    status, said = server.refused("/transform", {"documents": []}, headers=headers)
    assert status == 403
    assert said.startswith("pages of another origin may not use this server: got ")
    assert server.ask("/model", headers={"Origin": server.url, "Sec-Fetch-Site": "same-origin"}).status_code == 200


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_probes_need_neither_host_name_nor_token(serving: Serving, path: str) -> None:
    server = serving("lda", "--token", TOKEN)
    assert server.ask(path, headers={"Host": "10.1.2.3:8000"}).json() == {"status": "ok"}
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())  # without a Host header
        assert connection.makefile("rb").read().endswith(b'\r\n\r\n{"status": "ok"}')


def test_token_is_required(serving: Serving) -> None:
    server = serving("lda", "--token", TOKEN)
    missing = server.ask("/model")
    assert (missing.status_code, missing.headers["www-authenticate"]) == (401, "Bearer")
    assert missing.json()["error"] == (
        "a token is needed: send the header  Authorization: Bearer TOKEN,  "
        "or in a browser open the address with ?token=TOKEN"
    )
    for wrong in ("Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ä".encode("latin-1")):
        status, said = server.refused("/model", headers={"Authorization": wrong})
        assert status == 401
        assert said.startswith("the token is wrong")
    assert server.ask("/model", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert server.ask("/health").status_code == 200
    assert server.ask("/openapi.json").status_code == 401
    schema = server.ask("/openapi.json", headers={"Authorization": f"bearer {TOKEN}"}).json()
    assert schema["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"

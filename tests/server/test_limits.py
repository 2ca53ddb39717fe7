"""Scheduling of requests, request limits and internal errors, without a server process."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="topicwright[serve] is not installed")

import httpx

import topicwright as tw
from topicwright.server.app import new_app
from topicwright.server.requests import RequestError, RequestLimitMiddleware, RequestLimits
from topicwright.server.served_model import ServedModel
from topicwright.server.service import Scheduler


async def waited_for() -> bool:
    return False


async def turns() -> None:
    """Let everything that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_small_request_waits_for_one_chunk_of_a_large_one() -> None:
    order: list[str] = []
    begin = threading.Event()

    def piece(name: str) -> Callable[[], None]:
        def work() -> None:
            begin.wait(60)
            order.append(name)

        return work

    async def both() -> None:
        workers = Scheduler(1)
        large = asyncio.create_task(workers.run_in_threads([piece(f"large {n}") for n in range(4)], waited_for))
        await turns()
        small = asyncio.create_task(workers.run_in_threads([piece("small")], waited_for))
        await turns()
        begin.set()
        await asyncio.gather(large, small)
        workers.close()

    asyncio.run(both())
    assert order == ["large 0", "small", "large 1", "large 2", "large 3"]


def test_threads_work_in_parallel() -> None:
    meeting = threading.Barrier(2, timeout=60)

    async def both() -> list[Any]:
        workers = Scheduler(2)
        return await asyncio.gather(*(workers.run_in_threads([meeting.wait], waited_for) for _ in range(2)))

    assert sorted(asyncio.run(both())) == [[0], [1]]


def test_abandoned_requests_are_not_started() -> None:
    done: list[int] = []

    async def gone() -> bool:
        return len(done) == 2

    with pytest.raises(RequestError, match="client has disconnected"):
        asyncio.run(Scheduler(1).run_in_threads([lambda n=n: done.append(n) for n in range(5)], gone))  # type: ignore[misc]
    assert done == [0, 1]


def small_tasks(response: int) -> tuple[ServedModel, list[Any], list[int]]:
    """Requests of one document, and the sizes of the batches in which they will be answered."""
    from topicwright.server import schemas

    model = tw.LDA(2, n_sweeps=2, random_state=0).fit(["a ship on a wave", "bread and flour"] * 5)
    served = ServedModel(lambda: model, RequestLimits(response=response))
    texts = ["ship", "wave bread", "flour zzzz", "ship ship"]
    tasks = [served.service.transform(schemas.TransformRequest(documents=[text])) for text in texts]
    sizes: list[int] = []
    encode = served.service.encoder.encode

    def count_and_encode(documents: Any) -> Any:
        sizes.append(len(documents))
        return encode(documents)

    served.service.encoder.encode = count_and_encode  # type: ignore[method-assign]
    return served, tasks, sizes


async def answered(tasks: list[Any]) -> list[Any]:
    scheduler = Scheduler(1)
    results = await asyncio.gather(*(scheduler.run(task, waited_for) for task in tasks), return_exceptions=True)
    scheduler.close()
    return results


def test_small_requests_are_answered_together() -> None:
    _, tasks, sizes = small_tasks(10_000)
    together = asyncio.run(answered(tasks))
    assert sizes == [4]
    assert together == [task.results(task.documents) for task in tasks]


def test_requests_of_different_kinds_are_not_mixed() -> None:
    served, tasks, sizes = small_tasks(10_000)
    from topicwright.server import schemas

    dense = served.service.transform(schemas.TransformRequest(documents=["ship"], dense=True))
    *_, last = asyncio.run(answered([*tasks, dense]))
    assert sizes == [4, 1]
    assert last == dense.results(dense.documents)


def test_error_of_a_small_request_does_not_reach_others() -> None:
    _, tasks, sizes = small_tasks(10_000)
    lengths = [len(task.results(task.documents)[0].line) for task in tasks]
    assert min(lengths) < max(lengths)
    _, tasks, sizes = small_tasks(max(lengths) - 1)
    results = asyncio.run(answered(tasks))
    assert sizes == [4, 1, 1, 1, 1]
    for length, task, result in zip(lengths, tasks, results):
        if length == max(lengths):
            assert isinstance(result, RequestError)
            assert result.status == 413
        else:
            assert result == task.results(task.documents)


def test_bodies_of_all_requests_together_are_limited() -> None:
    async def scene() -> None:
        leave = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await leave.wait()

        middleware = RequestLimitMiddleware(app, RequestLimits(bytes=10, buffer=15))
        body = {"type": "http.request", "body": b"12345678"}
        waiting = asyncio.create_task(FakeRequest(body).to(middleware))
        await turns()
        assert (await FakeRequest(body).to(middleware)).error == (503, "the server is busy: try again in a second")
        leave.set()
        await waiting
        assert (await FakeRequest(body).to(middleware)).sent == []

    asyncio.run(scene())


# ---------------------------------------------------------------------- request limits

HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]


class FakeRequest:
    """A request sent to the middleware without a server."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = list(messages)
        self.sent: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        if not self.messages:
            await asyncio.Event().wait()
        return self.messages.pop(0)

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def to(self, middleware: RequestLimitMiddleware) -> FakeRequest:
        await middleware({"type": "http", "method": "POST", "path": "/", "headers": HEADERS}, self.receive, self.send)
        return self

    @property
    def error(self) -> tuple[int, str]:
        return self.sent[0]["status"], json.loads(self.sent[1]["body"])["error"]


def test_full_queue_rejects_with_retry_after() -> None:
    async def scene() -> None:
        leave = asyncio.Event()
        inside: list[Any] = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            inside.append(await receive())
            await leave.wait()

        middleware = RequestLimitMiddleware(app, RequestLimits(requests=2))
        body = {"type": "http.request", "body": b"{}"}
        requests = [asyncio.create_task(FakeRequest(body).to(middleware)) for _ in range(2)]
        await turns()
        refused = await FakeRequest(body).to(middleware)
        assert refused.error == (503, "the server is busy: try again in a second")
        assert (b"retry-after", b"1") in refused.sent[0]["headers"]
        leave.set()
        await asyncio.gather(*requests)
        assert (await FakeRequest(body).to(middleware)).sent == []
        assert [message["body"] for message in inside] == [b"{}"] * 3

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([], (408, "the body was not received within 0.01 seconds")),
        ([{"type": "http.disconnect"}], (400, "the client disconnected before the end of the body")),
    ],
)
def test_incomplete_bodies(messages: list[Any], error: tuple[int, str]) -> None:
    async def app(*_: Any) -> None:
        raise AssertionError

    request = asyncio.run(FakeRequest(*messages).to(RequestLimitMiddleware(app, RequestLimits(seconds=0.01))))
    assert request.error == error


# ---------------------------------------------------------------------- errors of our own


def test_internal_errors_reveal_nothing() -> None:
    model = tw.LDA(2, n_sweeps=2, random_state=0).fit(["a ship on a wave", "bread and flour"])
    app = new_app(ServedModel(lambda: model))
    del model.fit_state_  # provokes an unexpected error

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/transform", json={"documents": ["a ship"]})

    answer = asyncio.run(ask())
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal error: see the log of the server"}


def test_oversized_response_is_aborted() -> None:
    model = tw.LDA(2, n_sweeps=2, random_state=0).fit(["a ship on a wave", "bread and flour"])
    app = new_app(ServedModel(lambda: model, RequestLimits(response=200)))

    async def ask(n: int) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.post("/transform", json={"documents": ["a ship"] * n})

    assert asyncio.run(ask(1)).status_code == 200
    refused = asyncio.run(ask(100))
    assert refused.status_code == 413
    assert refused.json() == {"error": "the response is longer than 200 characters: request fewer documents or topics"}

"""Metrics in the format of Prometheus, and the access log."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from enum import Enum
from functools import cache
from typing import Any

from .._utils.formatting import safe_json
from .requests import App, Message, Receive, Scope, Send
from .served_model import ServedModel

_MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"  # the variable that makes prometheus-client share metrics by files
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
_OTHER = "other"  # stands for paths that do not exist, of which there are infinitely many


class Metrics:
    """Counts of requests, documents and words, latencies, and facts about the model.

    Worker processes share them if the variable ``PROMETHEUS_MULTIPROC_DIR`` is set before prometheus-client is
    imported.
    """

    def __init__(self, served: ServedModel) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

        self._registry = CollectorRegistry()
        self._model = _ModelCollector(served)
        if not _is_shared():
            self._registry.register(self._model)
            ProcessCollector(registry=self._registry)
        options: dict[str, Any] = {"namespace": "topicwright", "registry": self._registry}
        labels = ["path", "status"]
        requests = Counter("requests", "Requests by path and status.", labels, **options)
        seconds = Histogram(
            "request_duration_seconds", "Time to answer a request.", ["path"], buckets=_BUCKETS, **options
        )
        self._active = Gauge("requests_in_progress", "Requests now.", multiprocess_mode="livesum", **options)
        documents = Counter("documents", "Documents of requests.", ["path"], **options)
        words = Counter("words", "Words of documents.", ["path"], **options)
        unknown = Counter("unknown_words", "Words outside the vocabulary of the model.", ["path"], **options)
        self._of_requests = cache(lambda path, status: (requests.labels(path, status), seconds.labels(path)))
        self._of_documents = cache(lambda path: (documents.labels(path), words.labels(path), unknown.labels(path)))

    def start_request(self) -> None:
        """Count a request that begins."""
        self._active.inc()

    def end_request(self, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._active.dec()
        requests, latency = self._of_requests(path, status)
        requests.inc()
        latency.observe(seconds)

    def add_documents(self, path: str, n_documents: int, n_words: int, n_unknown: int) -> None:
        """Count the documents of a request."""
        documents, words, unknown = self._of_documents(path)
        documents.inc(n_documents)
        words.inc(n_words)
        unknown.inc(n_unknown)

    def text(self) -> bytes:
        """All metrics, of all worker processes."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        if not _is_shared():
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        registry.register(self._model)
        return generate_latest(registry)


def _is_shared() -> bool:
    return _MULTIPROCESS in os.environ


class _ModelCollector:
    """Facts about the model that is served now."""

    def __init__(self, served: ServedModel) -> None:
        self._served = served

    def describe(self) -> list[Any]:
        """No metrics to check for duplicates."""
        return []

    def collect(self) -> Iterable[Any]:
        """Metrics of the model."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

        service = self._served.service
        facts = service.model_info()
        labels = {name: str(facts[name]) for name in ("kind", "topics", "vocabulary", "digest")}
        yield InfoMetricFamily("topicwright_model", "The model.", value={**labels, "version": facts["topicwright"]})
        yield GaugeMetricFamily(
            "topicwright_model_loaded_timestamp_seconds", "When the model was loaded.", service.loaded.timestamp()
        )
        reloads = CounterMetricFamily("topicwright_model_reloads", "Reloads of the model.", labels=["outcome"])
        reloads.add_metric(["success"], self._served.n_reloads)
        reloads.add_metric(["failure"], self._served.n_failed)
        yield reloads


class AccessLog(str, Enum):
    """Format of the access log."""

    text = "text"
    json = "json"

    def write(self, scope: Scope, status: int, seconds: float) -> None:
        """Write a line about a request to standard output; without its query, which may have the token."""
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        client, method, path = (scope.get("client") or ("-",))[0], scope["method"], scope["path"]
        milliseconds = round(seconds * 1000, 3)
        if self is AccessLog.json:
            names = ("time", "client", "method", "path", "status", "milliseconds")
            line = safe_json(dict(zip(names, (now, client, method, path, status, milliseconds))))
        else:
            line = f"{now} {client} {method} {safe_json(path)[1:-1]} {status} {milliseconds:.1f} ms"
        with suppress(OSError, ValueError):  # a closed pipe must not stop the server
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


class MonitoringMiddleware:
    """ASGI middleware that counts and logs all requests, also rejected ones."""

    def __init__(self, app: App, metrics: Metrics, paths: Iterable[str], log: AccessLog | None) -> None:
        self.app = app
        self._metrics, self._log = metrics, log
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500  # unless there is a response

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        start = time.perf_counter()
        self._metrics.start_request()
        try:
            await self.app(scope, receive, send_and_note)
        finally:
            seconds = time.perf_counter() - start
            path = scope["path"] if scope["path"] in self._paths else _OTHER
            self._metrics.end_request(path, status, seconds)
            if self._log is not None:
                self._log.write(scope, status, seconds)

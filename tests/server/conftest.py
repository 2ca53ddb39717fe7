"""Servers in subprocesses, one for each type of model, and an HTTP client."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import topicwright as tw

from ..conftest import THEMES, themed_texts

NAMES = list(THEMES)
TEXTS = themed_texts(60)
SINGLE = [NAMES[i % 3] for i in range(60)]
SEVERAL = [[NAMES[i % 3]] if i % 4 else [NAMES[i % 3], NAMES[(i + 1) % 3]] for i in range(60)]
MODELS: dict[str, Callable[[], Any]] = {
    "lda": lambda: tw.LDA(3, n_sweeps=30, random_state=0).fit(TEXTS),
    "counts": lambda: tw.LDA(2, n_sweeps=10, random_state=0).fit(np.eye(4, dtype=int) + 1),
    "classifier": lambda: tw.MedLDAClassifier(3, n_sweeps=20, random_state=0).fit(TEXTS, SINGLE),
    "binary": lambda: tw.MedLDAClassifier(3, loss="logistic", n_sweeps=20, random_state=0).fit(
        TEXTS, [int(name == "sea") for name in SINGLE]
    ),
    "tagger": lambda: tw.MedLDAClassifier(3, margin=8.0, n_sweeps=20, random_state=0).fit(TEXTS, SEVERAL),
    "one-vs-rest": lambda: tw.MedLDAClassifier(3, strategy="one-vs-rest", n_sweeps=10, random_state=0).fit(
        TEXTS, SINGLE
    ),
    "regressor": lambda: tw.MedLDARegressor(3, n_sweeps=20, random_state=0).fit(
        TEXTS, [float(NAMES.index(name)) for name in SINGLE]
    ),
    "labeled": lambda: tw.LabeledLDA(n_background_topics=1, n_sweeps=20, random_state=0).fit(TEXTS, SEVERAL),
    "stream": lambda: tw.OnlineLabeledLDA(random_state=0).partial_fit(TEXTS, SEVERAL),
}


PATHS = {"/health": "GET", "/ready": "GET", "/metrics": "GET", "/model": "GET", "/topics": "GET"}
PATHS |= {"/transform": "POST", "/predict": "POST", "/explain": "POST"}


class Server:
    """``topicwright serve`` in a subprocess, on its own port."""

    def __init__(self, model: Path, *options: str) -> None:
        command = [sys.executable, "-m", "topicwright", "serve", str(model), "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r" at http://\S+:(\d+);", line):
                self.port = int(found[1])
                break
        else:
            raise AssertionError("".join(self.said))
        self.url = f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, body: Any = None, **options: Any) -> Any:
        """Response to a request, checked to be JSON."""
        import httpx

        method = options.pop("method", "GET" if body is None and "content" not in options else "POST")
        answer = httpx.request(method, self.url + path, json=body, timeout=60, trust_env=False, **options)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "Traceback" not in answer.text
        return answer

    def refused(self, path: str, body: Any = None, **options: Any) -> tuple[int, str]:
        """Status and message of an error."""
        answer = self.ask(path, body, **options)
        assert list(answer.json()) == ["error"], answer.text
        return answer.status_code, answer.json()["error"]

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Exit code and standard error after a stop signal."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=60)
        return self.process.returncode, rest


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a kind of model."""
    folder = tmp_path_factory.mktemp("served")

    def make(kind: str) -> Path:
        path = folder / f"{kind}.tw"
        if not path.exists():
            MODELS[kind]().save(path)
        return path

    return make


@pytest.fixture(scope="session")
def serving(model_file: Callable[[str], Path]) -> Iterator[Callable[..., Server]]:
    """A server of a kind of model, kept for all tests."""
    running: dict[tuple[str, ...], Server] = {}

    def start(kind: str, *options: str) -> Server:
        key = (kind, *options)
        if key not in running:
            running[key] = Server(model_file(kind), *options)
        return running[key]

    yield start
    for server in running.values():
        server.stop(signal.SIGKILL)

"""A server in a subprocess, and a real browser."""

from __future__ import annotations

import os
import re
import shutil
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

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
SCREEN = {"width": 1280, "height": 800}


@pytest.fixture(scope="package", autouse=True)
def _needs() -> None:
    pytest.importorskip("nicegui", reason="topicwright[explorer] is not installed")


class Explorer:
    """``topicwright explore`` in a subprocess, on its own port, in an empty folder."""

    def __init__(self, source: Path, *options: str, port: int = 0) -> None:
        self.folder = source.parent / "elsewhere"
        self.folder.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "topicwright", "explore", str(source), "--port", str(port), "--no-browser"]
        self.process = subprocess.Popen(
            [*command, *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            env={**os.environ, "PYTHONWARNINGS": "default"},
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r" at ((http://\S+?:(\d+))/\S*) ", line):
                self.link, self.url, self.port = found[1], found[2], int(found[3])
                break
        else:
            raise AssertionError("".join(self.said))

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Exit code and standard error after a stop signal."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=60)
        return self.process.returncode, rest


def mixed_texts(n: int = 150) -> list[str]:
    """Texts about one theme each, with some words of another."""
    rng = np.random.default_rng(1)
    themes = [words.split() for words in THEMES.values()]
    return [f"{text} {rng.choice(themes[(i + 1) % 3])}" for i, text in enumerate(themed_texts(n))]


@pytest.fixture(scope="package")
def themes_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose documents have ids, labels, dates and texts."""
    texts = mixed_texts()
    names = list(THEMES)
    corpus = tw.Corpus.from_texts(
        [f"The {text.capitalize()}, and so on." for text in texts],
        ids=[f"{names[i % 3]}/{i}" for i in range(len(texts))],
        labels=[[names[i % 3]] for i in range(len(texts))],
        dates=[f"{2000 + i // 10}-03-01" for i in range(len(texts))],
        stop_words="english",
        keep_texts=True,
    )
    path = tmp_path_factory.mktemp("explored") / "themes.tw"
    tw.LDA(n_topics=6, n_sweeps=60, random_state=3).fit(corpus).save(path)
    return path


@pytest.fixture
def own_file(themes_file: Path, tmp_path: Path) -> Path:
    """The same model, for one test to steer."""
    return Path(shutil.copy(themes_file, tmp_path / "themes.tw"))


@pytest.fixture(scope="package")
def server(themes_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """Shared server for tests that do not change it."""
    explorer = Explorer(Path(shutil.copy(themes_file, tmp_path_factory.mktemp("shared") / "themes.tw")))
    yield explorer
    explorer.stop(signal.SIGKILL)


@pytest.fixture
def exploring() -> Iterator[Callable[..., Explorer]]:
    """Start servers that end with the test."""
    running: list[Explorer] = []

    def start(*arguments: Any, **options: Any) -> Explorer:
        running.append(Explorer(*arguments, **options))
        return running[-1]

    yield start
    for explorer in running:
        explorer.process.kill()
        explorer.process.communicate()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("there is no Chromium here to open the page in; on Debian: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a page. At the end, nothing was asked of any other server, and no script has failed."""
    pages: list[Any] = []
    asked: set[str] = set()
    failed: list[str] = []
    homes: set[str] = set()

    def open_page(url: str, ready: str = ".map .circle", **options: Any) -> Any:
        page = browser.new_page(**{"viewport": SCREEN, "color_scheme": "light", "reduced_motion": "reduce", **options})
        page.set_default_timeout(30_000)
        homes.add(re.match(r"http://[^/]+", url)[0])  # type: ignore[index]
        page.on("request", lambda request: asked.add(request.url))
        page.on("websocket", lambda socket: asked.add(socket.url.replace("ws://", "http://")))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda line: failed.append(line.text) if line.type == "error" else None)
        pages.append(page)
        page.goto(url)
        page.wait_for_selector(ready)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert [url for url in asked if not url.startswith((*homes, "data:", "blob:"))] == []
    assert [line for line in failed if "ERR_CONNECTION_REFUSED" not in line and "WebSocket" not in line] == []

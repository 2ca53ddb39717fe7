"""Pictures for the documentation, of a real corpus: ``TOPICWRIGHT_SCREENSHOTS=docs/images pytest tests/explorer``."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw

from .conftest import Explorer
from .test_accessibility import NARROW
from .test_steering import update

Look = Callable[..., Any]
FOLDER = os.environ.get("TOPICWRIGHT_SCREENSHOTS")
WIDE = {"width": 1280, "height": 820}

pytestmark = pytest.mark.skipif(FOLDER is None, reason="TOPICWRIGHT_SCREENSHOTS names no folder to write pictures to")


@pytest.fixture(scope="module")
def corpus() -> tw.Corpus:
    return tw.datasets.load_docstrings(keep_texts=True)


@pytest.fixture(scope="module")
def docstrings(corpus: tw.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("docstrings") / "docstrings.tw"
    tw.LDA(n_topics=30, alpha="learn", n_sweeps=300, n_jobs=-1).fit(corpus).save(path)
    explorer = Explorer(path)
    yield explorer
    explorer.stop()


def picture(page: Any) -> Any:
    image = pytest.importorskip("PIL.Image", reason="pictures are made small by Pillow")
    page.wait_for_timeout(400)
    return image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")


def keep(drawn: Any, name: str) -> None:
    """A small file: 256 colours are enough for a page."""
    path = Path(str(FOLDER)) / name
    drawn.quantize(256, dither=0).save(path, optimize=True)
    assert path.stat().st_size < 120_000


def go_to_topic_of(page: Any, word: str) -> None:
    page.locator("#search").fill(word)
    page.locator(".search-words .chips .chip").first.click()
    page.wait_for_selector("#topic-title:visible")


def test_steering(docstrings: Explorer, look: Look) -> None:
    page = look(docstrings.url, viewport=WIDE)
    for word, name in (("cluster", "Clustering"), ("eigenvalues", "Linear algebra"), ("distribution", "Distributions")):
        go_to_topic_of(page, word)
        page.locator(".topic-header >> text=Rename").click()
        page.locator("#topic-name").fill(name)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#topic-title:has-text('{name}')")
    go_to_topic_of(page, "cluster")
    words = page.locator(".word-row .word").all_inner_texts()
    for word in (words[0], words[3]):
        page.locator(".word-row", has_text=word).first.click()
    page.locator(".selection >> text=Belong together").click()
    page.locator(".word-row").nth(1).click()
    page.locator(".selection >> text=Never here").click()
    page.wait_for_selector(".step >> nth=4")
    update(page)
    page.wait_for_selector(".topic-header .hint:has-text('coherence')")
    page.locator(".word-row").nth(2).click()
    page.locator(".word-row").nth(4).click()
    page.wait_for_selector(".selection .chip >> nth=1")
    keep(picture(page), "explorer.png")
    page.locator(".selection >> text=Clear").click()


def test_a_document(docstrings: Explorer, look: Look, corpus: tw.Corpus) -> None:
    row = corpus.ids.index("sklearn.cluster.spectral_clustering")
    page = look(f"{docstrings.url}/?document={row}", viewport=WIDE, color_scheme="dark")
    page.locator(".document-view .token").nth(4).hover()
    page.wait_for_selector(".explanation:has-text('is in topic')")
    keep(picture(page), "explorer-document.png")


def test_a_narrow_screen(docstrings: Explorer, look: Look) -> None:
    parts = []
    for tab, colours in (("Topics", "light"), ("Topic", "light"), ("Steps", "dark")):
        page = look(docstrings.url, viewport=NARROW, color_scheme=colours)
        page.locator(f".tabs button:text-is('{tab}'), .tabs button:has-text('{tab}')").last.click()
        parts.append(picture(page))
    whole = parts[0].resize((3 * NARROW["width"] + 40, NARROW["height"]))
    whole.paste("#c9c6bf", (0, 0, *whole.size))
    for n, part in enumerate(parts):
        whole.paste(part, (n * (NARROW["width"] + 20), 0))
    keep(whole, "explorer-narrow.png")


def test_a_training(corpus: tw.Corpus, tmp_path: Path, exploring: Any, look: Look) -> None:
    lines = (json.dumps({"text": text}) for text in corpus.texts or ())
    (tmp_path / "docstrings.jsonl").write_text("\n".join(lines))
    server = exploring(tmp_path / "docstrings.jsonl", "--topics", "30", "--sweeps", "600")
    page = look(server.url, ready=".training .curve >> nth=1", viewport=WIDE)
    page.wait_for_function("document.querySelector('.training .hint').textContent.match(/Sweep (\\d+)/)[1] >= 240")
    keep(picture(page), "explorer-training.png")

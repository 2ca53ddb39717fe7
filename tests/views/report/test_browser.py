"""Report page in a real browser: slider, URL and escaping."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from topicwright.views import relevant_words, report_page

from ..test_over_time import dated  # noqa: F401
from .test_page import data_of, hostile, hostile_page  # noqa: F401

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here to open the page in")


@pytest.fixture
def browse(tmp_path: Path) -> Callable[..., str]:
    """Page after its script has run."""

    def run(page: str, address: str = "") -> str:
        file = tmp_path / "page.html"
        file.write_text(page, encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
        done = subprocess.run(
            [str(BROWSER), *options, "--virtual-time-budget=2000", "--dump-dom", f"{file.as_uri()}{address}"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        )
        return done.stdout

    return run


def words_shown(dom: str) -> list[str]:
    [table] = re.findall(r'<table id="words">.*?</table>', dom, re.DOTALL)
    return [unescape(word) for word in re.findall(r'<tr class=""><td class="">(.*?)</td>', table)]


def test_the_largest_topic_is_shown_first(lda, browse):
    dom = browse(report_page(lda))
    largest = int(lda.topic_word_counts_.sum(axis=1).argmax())
    assert f'aria-live="polite">Topic {largest}</h2>' in dom
    assert words_shown(dom) == [word.word for word in relevant_words(lda, largest, 0.6, 20)]
    assert dom.count(f'<tr data-topic="{largest}" class="chosen">') == 1


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_url_selects_topic_and_words(lda, browse, lam):
    dom = browse(report_page(lda), f"#topic=2&lambda={lam}")
    assert 'aria-live="polite">Topic 2</h2>' in dom
    shown = words_shown(dom)
    relevance = {word.word: word.relevance(lam) for word in relevant_words(lda, 2, lam, 1000)}
    assert len(shown) == min(20, len(relevance))
    values = [relevance[word] for word in shown]
    assert all(a >= b - 2e-3 for a, b in pairwise(values))  # figures on the page are rounded
    assert f"λ = {lam:.2f}" in dom


def test_the_slider_moves_words(lda, browse):
    """The slider is moved by a script."""
    page = report_page(lda)
    drag = "const s = document.getElementById('lambda'); s.value = 0; s.dispatchEvent(new Event('input'));"
    page = re.sub(r"<meta http-equiv[^>]*>", "", page).replace("</html>", f"<script>{drag}</script></html>")
    dom = browse(page, "#topic=2")
    assert "λ = 0.00" in dom
    assert words_shown(dom)[0] == relevant_words(lda, 2, 0.0, 1)[0].word


def test_curve_shows_the_selected_topic(dated, browse):  # noqa: F811
    dom = browse(page := report_page(dated), "#topic=2")
    [own] = [topic["time"] for topic in data_of(page)["topics"] if topic["topic"] == 2]
    [shown] = re.findall(r'<div id="time">.*?</div></div>', dom, re.DOTALL)
    assert f'class="line" d="{own["line"]}"' in shown
    assert f'class="solid" d="{own["solid"]}"' in shown
    assert f'<span class="peak">{own["peak"]}</span>' in shown


@pytest.mark.smoke
def test_hostile_text_stays_text(hostile, browse):  # noqa: F811
    dom = browse(hostile_page(hostile))
    assert "<img" not in dom.replace("\\u003c", "")
    assert re.search(r"<title>.*?</title>", dom)[0] != "<title>owned</title>"
    assert any(word.startswith("</script><img") for word in words_shown(dom))
    assert "<b>bold</b>" in words_shown(dom)

"""Accessibility: keyboard, narrow screens, light and dark color schemes.

Screenshots are written where ``TOPICWRIGHT_SCREENSHOTS`` names a folder, such as docs/images.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .conftest import Explorer

Look = Callable[..., Any]
NARROW = {"width": 390, "height": 844}


def problems(page: Any) -> list[str]:
    """Violations reported by axe-core."""
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="axe-core-python is not installed")
    found = axe.Axe().run(page)["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}" for one in found for node in one["nodes"]
    ]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_no_accessibility_violations(server: Explorer, look: Look, colours: str) -> None:
    page = look(f"{server.url}/?topic=1", color_scheme=colours)
    page.wait_for_selector(".topic-header .hint:has-text('coherence')")
    assert problems(page) == []
    page.locator(".word-row").first.click()
    page.locator(".word-row").nth(2).click()
    page.locator(".topic-header >> text=Rename").click()
    page.wait_for_selector(".selection .chip >> nth=1")
    assert problems(page) == []
    page.locator("#search").fill("ship")
    page.wait_for_selector(".search-results .document")
    assert problems(page) == []
    page.locator(".search-results .document").first.click()
    page.locator(".document-view .token").first.hover()
    page.wait_for_selector(".explanation:has-text('is in topic')")
    assert problems(page) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_narrow_screen_shows_one_panel_at_a_time(server: Explorer, look: Look, colours: str) -> None:
    page = look(server.url, viewport=NARROW, color_scheme=colours)
    assert problems(page) == []
    for tab, part in (
        ("Steps", ".page-column-steps"),
        ("Topic", ".page-column-middle"),
        ("Topics", ".page-column-topics"),
    ):
        page.locator(f".tabs button:text-is('{tab}')").click()
        page.wait_for_selector(part)
        assert page.locator(".page-column:visible").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert problems(page) == []
    page.locator(".row").nth(1).click()
    page.wait_for_selector(".page-column-middle")


def test_color_scheme_can_be_chosen(server: Explorer, look: Look) -> None:
    page = look(server.url)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    for wanted in ("light", "dark"):
        page.locator(".theme").click()
        page.wait_for_selector(f"html[data-theme='{wanted}']")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector("html[data-theme='dark']")
    assert page.evaluate(ground) == dark


def test_keyboard_navigation(server: Explorer, look: Look) -> None:
    """From the map to a topic, to words, to a step and back, with no mouse."""
    page = look(server.url)
    focused = "document.activeElement.closest('.circle') !== null"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(focused):
            break
    assert page.evaluate(focused)
    before = page.evaluate("document.activeElement.getAttribute('aria-label')")
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    reached = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".circle.chosen[aria-label='{reached}']")
    assert page.locator(".circle[tabindex='0']").count() == 1
    assert before

    page.locator(".rows").focus()
    page.keyboard.press("Home")
    page.wait_for_selector(".rows .row:nth-child(1).chosen")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".rows .row:nth-child(2).chosen")
    second = page.locator(".rows .row:nth-child(2) .number").inner_text()
    page.wait_for_selector(f"#topic-title .number:text-is('{second}')")  # the row is marked before its words come

    page.locator(".word-row").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_selector(".selection .chip >> nth=1")
    page.locator(".selection >> text=Keep apart").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".step.pending")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".steps .empty")
    page.keyboard.press("Control+k")
    assert page.evaluate("document.activeElement.id") == "search"


def test_document_words_are_reachable_by_keyboard(server: Explorer, look: Look) -> None:
    page = look(f"{server.url}/?document=4")
    page.locator(".token[tabindex='0']").focus()
    words = page.locator(".token").all_inner_texts()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f".explanation:has-text('“{words[1].lower()}”')")
    assert page.evaluate("document.activeElement.textContent") == words[1]

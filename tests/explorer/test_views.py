"""Views of topics, words and documents show the contents of the model."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw
from topicwright.views import documents_of, relevant_words

from .conftest import Explorer

Look = Callable[..., Any]


IN_SIGHT = """() => {
  const [rows, row] = [".rows", ".row.chosen"].map((name) => document.querySelector(name)?.getBoundingClientRect());
  return row && rows.top <= row.top && row.bottom <= rows.bottom + 1;
}"""


@pytest.fixture(scope="module")
def model(themes_file: Path) -> Any:
    return tw.load(themes_file)


def words_of(page: Any) -> list[str]:
    return page.locator(".word-row .word").all_inner_texts()


def see_words(page: Any, words: list[str]) -> None:
    """Wait until a topic's words are these: they come after its title."""
    from playwright.sync_api import expect

    expect(page.locator(".word-row .word")).to_have_text(words, timeout=30_000)


def largest(model: Any) -> int:
    return int(model.topic_word_counts_.sum(axis=1).argmax())


@pytest.mark.smoke
def test_the_largest_topic_is_shown_first(server: Explorer, look: Look, model: Any) -> None:
    page = look(server.url)
    assert page.title() == "themes.tw"
    assert page.locator(".map .circle").count() == page.locator(".row").count() == 6
    assert page.locator("#topic-title .number").inner_text() == str(largest(model))
    see_words(page, [word.word for word in relevant_words(model, largest(model), 0.6, 24)])
    assert "of all words" in page.locator(".topic-header .hint").first.inner_text()


def test_a_topic_can_be_chosen_on_the_map_and_in_the_list(server: Explorer, look: Look, model: Any) -> None:
    page = look(server.url)
    page.locator(".map .circle", has_text="Topic 4").click()
    page.wait_for_selector("#topic-title:has-text('4')")
    see_words(page, [word.word for word in relevant_words(model, 4, 0.6, 24)])
    page.locator("#topic-row-2").click()
    page.wait_for_selector(".map .circle.chosen:has-text('Topic 2')")
    page.wait_for_url("**/?topic=2")
    page.reload()
    page.wait_for_selector(".row.chosen .number:has-text('2')")


def test_list_scrolls_to_the_topic_in_the_url(server: Explorer, look: Look) -> None:
    page = look(server.url)
    page.set_viewport_size({"width": 1280, "height": 600})
    last = page.locator(".row .number").last.inner_text()
    page.goto(f"{server.url}/?topic={last}")
    page.wait_for_function(IN_SIGHT)


def test_the_slider_moves_words(server: Explorer, look: Look, model: Any) -> None:
    page = look(f"{server.url}/?topic=1")
    for lam in (0.0, 1.0):
        page.locator("#lambda").fill(str(lam))
        page.wait_for_selector(f"output:has-text('λ = {lam:.2f}')")
        asked = relevant_words(model, 1, lam, 24)
        relevance = {word.word: word.relevance(lam) for word in asked}
        shown = [relevance[word] for word in words_of(page)]
        assert all(a >= b - 2e-3 for a, b in itertools.pairwise(shown))  # figures are rounded on their way


def test_topic_details(server: Explorer, look: Look, model: Any) -> None:
    page = look(f"{server.url}/?topic=1")
    assert page.locator(".bars li").count() >= 1  # labels of its documents
    assert page.locator(".time-axis").inner_text().split() == ["2000", "2007", "2014"]
    assert "Share of all words in each year" in page.locator(".topic-details .hint").inner_text()
    assert page.locator("#neighbors-head").is_visible()
    best = documents_of(model, 1, 6, 32)
    assert page.locator(".topic-details .document b").all_inner_texts() == [document.name for document in best]
    marked = [word.text for word in best[0].passage if word.is_of_topic]
    assert page.locator(".topic-details .document").first.locator("mark").all_inner_texts() == marked


def test_url_of_a_missing_topic(server: Explorer, look: Look) -> None:
    page = look(f"{server.url}/?topic=999&document=12345&branch=<b>")
    told = page.locator(".notice").inner_text()
    assert "There is no branch <b>. This is the branch main." in told
    assert "Topic 999 does not exist or has no words. This is the largest topic." in told
    assert "There is no document in row 12345." in told
    assert page.locator("#topic-title").is_visible()
    assert not look(f"{server.url}/?topic=1").locator(".notice").is_visible()


def test_document_words_are_colored_and_explained(server: Explorer, look: Look, model: Any) -> None:
    page = look(f"{server.url}/?topic=1")
    page.locator(".topic-details .document").first.click()
    page.wait_for_selector(".document-view .token")
    row = documents_of(model, 1, 1)[0].row
    start, end = model.corpus_.offsets[row : row + 2]
    shown = page.locator(".document-view .token")
    assert [text.lower() for text in shown.all_inner_texts()] == model.corpus_.words(row)
    assert page.locator(".document-view .text").inner_text() == model.corpus_.texts[row]
    topics = model.assignments_[start:end].tolist()
    slots = [shown.nth(n).get_attribute("data-slot") for n in range(len(topics))]
    assert len(set(zip(topics, slots))) == len(set(topics)) == len(set(slots))
    shown.first.hover()
    why = page.locator(".explanation").inner_text()
    assert f"is in topic {topics[0]}" in why
    assert "of this document" in why
    page.locator(".document-view .back").click()
    page.wait_for_selector("#topic-title:visible")


def test_search_finds_words_topics_and_documents(server: Explorer, look: Look, model: Any) -> None:
    page = look(server.url)
    page.locator("#search").fill("ship")
    page.wait_for_selector(".search-results .search-words li")
    assert page.locator(".search-words .chip.word").all_inner_texts() == ["ship"]
    column = model.vocabulary_.tolist().index("ship")
    best = int(model.topic_word_counts_.toarray()[:, column].argmax())
    assert page.locator(".search-results .document").count() == 8
    assert page.locator(".search-results .hint").first.inner_text() == "1 word, the first 8 documents for “ship”"
    page.locator(".search-words .chips .chip").first.click()
    page.wait_for_selector(f"#topic-title .number:text-is('{best}')")
    page.locator("#search").fill("court/5")
    page.wait_for_selector(".search-results .document b:has-text('court/5')")
    page.locator("#search").fill("zzz")
    page.wait_for_selector(".search-results .hint:has-text('No results for “zzz”.')")


def test_other_model_types_can_be_viewed(tmp_path: Path, exploring: Any, look: Look) -> None:
    texts = ["ship sea storm", "bread oven salt", "law court judge"] * 10
    model = tw.MedLDAClassifier(n_topics=3, n_sweeps=5).fit(texts, ["sea", "kitchen", "court"] * 10)
    model.save(tmp_path / "classes.tw")
    page = look(exploring(tmp_path / "classes.tw").url)
    assert page.locator(".bars li").count() == 3  # a weight for each class
    assert "cannot be edited" in page.locator(".steps .hint").inner_text()
    assert page.locator("button.word-row").count() == 0

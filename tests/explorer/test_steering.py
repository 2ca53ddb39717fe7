"""Steering in the explorer: actions and their effect on the model."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import topicwright as tw

from .conftest import Explorer
from .test_views import see_words, words_of

Look = Callable[..., Any]


def choose_action(page: Any, what: str, *words: str) -> None:
    """Select words, then choose an action."""
    for word in words:
        page.locator("#search").fill(word)
        page.locator(".search-words .chip.word", has_text=word).first.click()
        page.wait_for_selector(f".selection .chip.word:has-text('{word}')")
    page.locator("#search").fill("")
    page.locator(".selection .actions button", has_text=what).click()
    page.wait_for_selector(".selection", state="hidden")


def update(page: Any) -> None:
    n_updates = page.locator(".step.of-update").count()
    page.locator(".update-button").click()
    page.wait_for_function("n => document.querySelectorAll('.step.of-update').length > n", arg=n_updates)
    page.wait_for_selector(".update-button:not([disabled])")


def steps_of(page: Any) -> list[str]:
    return page.locator(".step .sentence").all_inner_texts()


def undo_all(page: Any) -> None:
    while n_steps := page.locator(".step").count():
        page.locator(".icon:has-text('Undo')").click()
        page.wait_for_function("n => document.querySelectorAll('.step').length < n", arg=n_steps)
    page.wait_for_selector(".steps .empty")


@pytest.mark.smoke
def test_linking_words_changes_the_model_and_undo_reverts_it(server: Explorer, look: Look) -> None:
    """Look at a topic, link two words, update, see the change, undo, reload: it is all still there."""
    page = look(f"{server.url}/?topic=1")
    before = words_of(page)
    first, second = before[0], before[1]
    page.locator(".word-row", has_text=first).click()
    page.locator(".word-row", has_text=second).click()
    page.wait_for_selector(".selection .chip >> nth=1")
    page.locator("text=Belong together").click()
    page.wait_for_selector(".step.pending")
    assert steps_of(page) == [f"{first.capitalize()} and {second} belong together"]
    assert page.locator(".outcome").inner_text() == "Pending changes: 1"

    choose_action(page, "Never here", first)
    update(page)
    page.wait_for_selector(".topic-header .change")
    page.wait_for_selector(f".word-row .word:text-is('{first}')", state="detached")
    assert first in page.locator(".change .removed").all_inner_texts()[0]
    assert page.locator("#topic-row-1 .badge").inner_text() == "changed"
    assert page.locator(".circle.changed", has_text="Topic 1").count() == 1
    assert "changed" in page.locator(".outcome").inner_text()
    assert steps_of(page)[-1] == "The model was updated with 20 sweeps"

    page.locator(".icon:has-text('Undo')").click()
    page.wait_for_selector(".step.of-update", state="detached")
    page.wait_for_selector(f".word-row .word:text-is('{first}')")
    see_words(page, before)
    page.wait_for_selector(".topic-header .hint:has-text('coherence')")  # which is that of the model of before
    page.reload()
    page.wait_for_selector(".step >> nth=1")
    assert steps_of(page) == [
        f"{first.capitalize()} and {second} belong together",
        f"{first.capitalize()} is never in topic 1",
    ]
    page.locator(".icon:has-text('Redo')").click()
    page.wait_for_selector(".step.of-update")
    page.wait_for_selector(f".word-row .word:text-is('{first}')", state="detached")
    undo_all(page)


def test_topics_are_renamed_merged_split_pinned_and_hidden(server: Explorer, look: Look) -> None:
    page = look(f"{server.url}/?topic=2")
    page.locator(".actions >> text=Rename").click()
    page.locator("#topic-name").fill("Ships")
    page.keyboard.press("Enter")
    page.wait_for_selector("#topic-title:has-text('Ships')")
    assert page.locator("#topic-row-2 b").inner_text() == "Ships"
    page.wait_for_selector(".map .name:has-text('Ships')")

    page.locator(".topic-header >> text=Pin").click()
    page.wait_for_selector(".badge.pinned")
    assert page.locator(".row").first.get_attribute("id") == "topic-row-2"  # pinned ones come first

    page.locator(".topic-header >> text=Merge").click()
    page.locator("#merge-with").select_option("4")
    page.locator(".topic-header button.main").click()
    page.wait_for_selector("#topic-row-4", state="detached")
    page.wait_for_function("document.querySelectorAll('.map .circle').length === 5")

    page.locator("#topic-row-1").click()
    page.wait_for_selector("#topic-title .number:text-is('1')")
    page.locator(".topic-header >> text=Split").click()
    page.wait_for_selector("#topic-row-4")  # the number that the merge had left free

    page.locator(".topic-header >> text=Hide").click()
    page.wait_for_selector("#topic-row-1", state="detached")
    page.locator(".hidden-topics summary").click()
    page.locator(".hidden-topics >> text=Show").click()
    page.wait_for_selector("#topic-row-1")
    told = steps_of(page)
    assert told[:3] == ["Topic 2 is renamed to Ships", "Ships is pinned", "Topic 4 is merged into Ships"]
    assert told[3].startswith("Topic 1 is split in two")
    assert told[4:] == ["Topic 1 is hidden", "Topic 1 is shown"]
    for n_left in reversed(range(len(told))):
        page.keyboard.press("Control+z")
        page.wait_for_function("n => document.querySelectorAll('.step').length === n", arg=n_left)
    page.wait_for_function("document.querySelectorAll('.map .circle').length === 6")


def test_document_can_be_labeled(server: Explorer, look: Look) -> None:
    page = look(f"{server.url}/?document=7")
    page.locator("#document-topic").select_option("3")
    page.locator("text=Set topic").click()
    page.wait_for_selector(".step")
    assert steps_of(page) == ["Document 7 is about topic 3"]
    undo_all(page)


def test_invalid_actions_show_an_error(server: Explorer, look: Look) -> None:
    page = look(server.url)
    choose_action(page, "Belong together", "ship", "wave")
    for word in ("ship", "wave"):
        page.locator("#search").fill(word)
        page.locator(".search-words .chip.word", has_text=word).first.click()
    page.locator(".selection >> text=Keep apart").click()
    page.wait_for_selector(".notice:has-text('belong together')")
    page.locator(".selection >> text=Remove edits").click()
    page.wait_for_selector(".step >> nth=1")
    assert steps_of(page)[1] == "Constraints on ship and wave are removed"
    undo_all(page)


def test_two_windows_stay_in_sync(server: Explorer, look: Look) -> None:
    one, other = look(f"{server.url}/?topic=0"), look(f"{server.url}/?topic=3")
    choose_action(one, "Belong together", "ship", "wave")
    other.wait_for_selector(".step.pending")
    assert steps_of(other) == ["Ship and wave belong together"]
    one.locator(".update-button").click()
    other.wait_for_selector(".step.of-update")
    other.wait_for_selector(".update-button:not([disabled])")
    assert other.locator(".outcome").inner_text() == one.locator(".outcome").inner_text()
    assert other.locator("#topic-title .number").inner_text() == "3"  # what each looks at is its own
    undo_all(other)
    one.wait_for_selector(".steps .empty")


def test_a_killed_server_loses_nothing(own_file: Path, exploring: Any, look: Look) -> None:
    server = exploring(own_file)
    page = look(f"{server.url}/?topic=1")
    choose_action(page, "Keep apart", "ship", "sail")
    update(page)
    choose_action(page, "Belong here", "harbour")
    page.wait_for_selector(".step >> nth=2")
    told, words = steps_of(page), words_of(page)
    server.stop(signal.SIGKILL)
    again = exploring(own_file, port=server.port)
    page = look(f"{server.url}/?topic=1", ready=".step >> nth=2")  # the first one may be reloading by itself
    assert steps_of(page) == told
    see_words(page, words)
    assert again.stop(signal.SIGINT) == (0, "stopped; all steps are saved\n")
    assert list(again.folder.iterdir()) == []  # nothing is left where it was started
    assert {path.name for path in own_file.parent.iterdir()} == {"themes.tw", "themes.tw.steps", "elsewhere"}


def test_branches_and_the_knowledge_file(own_file: Path, exploring: Any, look: Look) -> None:
    page = look(exploring(own_file).url)
    choose_action(page, "Belong together", "ship", "wave")
    page.locator("#new-branch").fill("anna")
    page.locator(".branches button:has-text('Create')").click()
    page.wait_for_selector(".branches b:has-text('anna')")
    assert len(steps_of(page)) == 1
    choose_action(page, "Never here", "bread")
    page.wait_for_selector(".step >> nth=1")
    page.locator("#branch").select_option("main")
    page.wait_for_selector(".branches b:has-text('main')")
    page.wait_for_selector(".step >> nth=1", state="detached")
    page.locator(".branches >> text=Compare").click()
    page.wait_for_selector(".compare")
    assert page.locator(".compare .hint").first.inner_text() == "1 step in common"
    assert "Bread is never in" in page.locator(".side-by-side section").nth(1).inner_text()
    page.locator(".branches >> text=Merge").click()
    page.wait_for_selector(".step >> nth=1")
    assert "Bread is never in" in steps_of(page)[1]

    with page.expect_download() as waiting:
        page.locator("text=Download knowledge file").click()
    assert waiting.value.suggested_filename == "themes-main.yaml"
    waiting.value.save_as(own_file.parent / "known.yaml")
    links, forbidden = tw.read_knowledge(own_file.parent / "known.yaml")
    assert [set(pair) for pair in links.links] == [{"ship", "wave"}]
    assert list(forbidden.words.values()) == [["bread"]]

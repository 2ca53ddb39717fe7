"""What the page is made of, without a browser."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError

import topicwright as tw
from topicwright.errors import InputError
from topicwright.explorer.actions import step_for_topic, step_for_words, words_told_of
from topicwright.explorer.branch_session import BranchSession
from topicwright.explorer.map_layout import maps_of
from topicwright.explorer.state import WindowState
from topicwright.explorer.training import Training
from topicwright.explorer.view_model import ModelView
from topicwright.explorer.workspace import Workspace
from topicwright.steering import Forget, InTopic, Pin, Show, Together, Unpin
from topicwright.views import relevant_words


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: the browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="module")
def model(themes_file: Path) -> Any:
    return tw.load(themes_file)


def test_a_picture_stays_as_it_was_when_the_model_goes_on(themes_file: Path) -> None:
    lda = tw.load(themes_file)
    picture = ModelView(lda)
    before = [picture.words.relevant(topic, 0.6, 6) for topic in range(6)]
    shares = [picture.share_of_word(0, word) for word in picture.leading(0)]
    lda.resume(5)
    assert picture.model.sweeps_ == 60
    assert [relevant_words(picture.model, topic, 0.6, 6) for topic in range(6)] == before
    assert [picture.share_of_word(0, word) for word in picture.leading(0)] == shares


def test_names_that_were_given_go_before_words(model: Any) -> None:
    picture = ModelView(model, {2: "Ships"})
    assert (picture.name(2), picture.name(3)) == ("Ships", None)
    assert picture.title(2) == "Ships"
    assert picture.title(3) == ", ".join(picture.leading(3)[:2])
    assert picture.renamed({3: "Bread"}).title(3) == "Bread"
    assert picture.title(3) != "Bread"


def test_hidden_topics_are_not_on_the_map(model: Any) -> None:
    maps = maps_of(ModelView(model), hidden={1, 4})
    for kind, (width, height) in {"wide": (560, 430), "narrow": (358, 340)}.items():
        assert [spot["topic"] for spot in maps[kind]["spots"]] == [0, 2, 3, 5]
        assert all(spot["r"] <= spot["x"] <= width - spot["r"] for spot in maps[kind]["spots"])
        assert all(spot["r"] <= spot["y"] <= height - spot["r"] for spot in maps[kind]["spots"])


def test_the_address_tells_what_is_looked_at() -> None:
    assert WindowState().address() == "?"
    state = WindowState(branch="anna & me", topic=3, document=7, lam=0.3)
    assert state.address() == "?branch=anna+%26+me&topic=3&document=7&lam=0.3"


def test_what_lies_over_a_topic_is_taken_away_in_turn() -> None:
    state = WindowState(topic=3, document=7, search="ship", compared="anna")
    views = []
    while state.view != "topic":
        views.append(state.view)
        state.go_back()
    assert views == ["search", "compare", "document"]


def test_what_people_do_becomes_steps() -> None:
    assert step_for_words("here", ["ship", "sea"], 3) == InTopic(("ship", "sea"), 3)
    assert step_for_topic("pin", 3, None, pinned=()) == Pin(3)
    assert step_for_topic("pin", 3, None, pinned=(3,)) == Unpin(3)
    assert step_for_topic("unhide", 3, 5, pinned=()) == Show(5)
    steps = [Together(("ship", "sea")), Together(("bread", "salt")), Forget(("ship",))]
    assert words_told_of(steps) == {"sea", "bread", "salt"}


def test_a_model_by_class_has_no_page(tmp_path: Path) -> None:
    texts, classes = ["ship sea", "bread oven", "law court"] * 5, ["sea", "kitchen", "court"] * 5
    model = tw.MedLDAClassifier(n_topics=2, n_sweeps=5, strategy="one-vs-rest").fit(texts, classes)
    with pytest.raises(InputError, match="topics of its own for each class"):
        Workspace.of_model(model, "classes")


def test_a_branch_that_is_not_there_is_told(own_file: Path) -> None:
    desk = Workspace("themes", path=own_file)
    desk.open()
    with pytest.raises(InputError, match="there is no branch 'anna': there are main"):
        desk.bench("anna")
    desk.close()


_NOTEBOOK = """
import json, sys, urllib.request
from sklearn.exceptions import NotFittedError

import topicwright as tw
lda = tw.load(sys.argv[1])
first, second = tw.explore(lda, opens=False), tw.explore(sys.argv[1], opens=False)
status = [urllib.request.urlopen(page.url).status for page in (first, second)]
first.stop()
try:
    urllib.request.urlopen(first.url)
except OSError as error:
    status.append(error.code)
print(json.dumps([status, first.url != second.url, first._repr_html_().count(first.url), second.model.sweeps_]))
"""


def test_pages_are_opened_from_python(own_file: Path) -> None:
    """Several at a time, on one server that ends with the process."""
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", _NOTEBOOK, str(own_file)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=own_file.parent,
    )
    assert done.stdout == "[[200, 200, 404], true, 2, 60]\n", done.stderr
    assert sorted(path.name for path in own_file.parent.iterdir()) == ["themes.tw", "themes.tw.steps"]


_PORTS = """
import socket, sys

import topicwright as tw
with socket.create_server(("127.0.0.1", 0)) as taken:
    try:
        tw.explore(sys.argv[1], port=taken.getsockname()[1], opens=False)
    except tw.InputError as error:
        print("in use" in str(error))
first = tw.explore(sys.argv[1], opens=False)
port = int(first.url.split(":")[2].split("/")[0])
print(tw.explore(first.model, port=port, opens=False).url.replace(str(port), "PORT"))
try:
    tw.explore(first.model, port=port - 1, opens=False)
except tw.InputError as error:
    print(str(error).replace(str(port), "PORT"))
"""


def test_pages_of_a_process_have_one_port(own_file: Path) -> None:
    """One that was taken leaves nothing behind: the same file can be opened at another."""
    done = subprocess.run(
        [sys.executable, "-c", _PORTS, str(own_file)], capture_output=True, text=True, timeout=120, cwd=own_file.parent
    )
    assert done.stdout.splitlines() == [
        "True",
        "http://127.0.0.1:PORT/model/2",
        "the pages of this process are at http://127.0.0.1:PORT already: leave port out, or give PORT",
    ], done.stderr


def test_only_the_explorer_knows_nicegui() -> None:
    source = Path(tw.__file__).parent
    using = [path for path in source.rglob("*.py") if "nicegui" in path.read_text() and path.parent.name != "explorer"]
    assert sorted(path.name for path in using) == ["demo.py", "explore.py"]  # which only ask whether it is there
    code = "import topicwright.cli._app, sys; assert not {'nicegui', 'uvicorn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_text_is_never_taken_for_html() -> None:
    """Templates show text as text: what could do otherwise is in none of them."""
    folder = Path(tw.__file__).parent / "explorer"
    for path in (*folder.glob("*.js"), *folder.glob("*.py")):
        text = path.read_text()
        assert not any(
            way in text for way in ("v-html", "innerHTML", "ui.html", "ui.markdown", "insertAdjacentHTML")
        ), path


def test_a_model_that_is_not_fitted_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="LDA"):
        tw.explore(tw.LDA(), opens=False)


def test_a_full_disk_is_told_of(own_file: Path) -> None:
    """What was asked for is not done; and the page says so, and can be used again."""
    news: list[str] = []

    async def scene(bench: BranchSession) -> None:
        bench.subscribe(news.append)
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            await bench.update()
            with pytest.raises(OSError, match="File too large"):
                await bench.do(lambda: bench.steering.add(Pin(1)))  # type: ignore[union-attr]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        await asyncio.sleep(0)

    desk = Workspace("themes", path=own_file)
    bench = desk.open()
    in_a_loop(scene(bench))
    assert "File too large" in bench.outcome
    assert (bench.busy, bench.steering.steps) == (False, ())  # type: ignore[union-attr]
    assert news[-1] == "model"
    desk.close()


def test_topics_of_one_word_have_no_coherence_to_draw(tmp_path: Path) -> None:
    training = Training(tw.LDA(2, n_sweeps=25), tw.Corpus.from_texts(["ship"] * 5), tmp_path / "m.tw")
    in_a_loop(training.run(lambda: None))
    training.close()
    assert (training.problem, training.sweep, training.coherence) == ("", 25, [])

"""Window, workspace and actions of the explorer, without a browser."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client, ui
from sklearn.exceptions import NotFittedError

import topicwright as tw
from topicwright.errors import InputError
from topicwright.explorer.actions import hide_topic, merge_topics, show_topic, toggle_pin, word_constraint
from topicwright.explorer.branch_session import BranchSession
from topicwright.explorer.view_model import ModelView, map_data
from topicwright.explorer.window import Window, WindowState, constrained_words
from topicwright.explorer.workspace import Training, Workspace
from topicwright.steering import Forget, Hide, InTopic, MergeTopics, Pin, Show, Together, Unpin
from topicwright.views import relevant_words


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Runs in a thread, because browsers of other tests keep an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="module")
def model(themes_file: Path) -> Any:
    return tw.load(themes_file)


def test_view_is_unaffected_by_further_training(themes_file: Path) -> None:
    lda = tw.load(themes_file)
    view = ModelView(lda)
    before = [view.words.relevant(topic, 0.6, 6) for topic in range(6)]
    shares = [view.share_of_word(0, word) for word in view.leading(0)]
    lda.resume(5)
    assert view.model.sweeps_ == 60
    assert [relevant_words(view.model, topic, 0.6, 6) for topic in range(6)] == before
    assert [view.share_of_word(0, word) for word in view.leading(0)] == shares


def test_given_names_take_precedence_over_words(model: Any) -> None:
    view = ModelView(model, {2: "Ships"})
    assert (view.name(2), view.name(3)) == ("Ships", None)
    assert view.title(2) == "Ships"
    assert view.title(3) == ", ".join(view.leading(3)[:2])
    assert view.renamed({3: "Bread"}).title(3) == "Bread"
    assert view.title(3) != "Bread"


def test_hidden_topics_are_not_on_the_map(model: Any) -> None:
    maps = map_data(ModelView(model), hidden={1, 4})
    for kind, (width, height) in {"wide": (560, 430), "narrow": (358, 340)}.items():
        assert [circle["topic"] for circle in maps[kind]["circles"]] == [0, 2, 3, 5]
        assert all(circle["r"] <= circle["x"] <= width - circle["r"] for circle in maps[kind]["circles"])
        assert all(circle["r"] <= circle["y"] <= height - circle["r"] for circle in maps[kind]["circles"])


def test_url_encodes_the_selection() -> None:
    assert WindowState().address() == "?"
    state = WindowState(branch="anna & me", topic=3, document=7, lam=0.3)
    assert state.address() == "?branch=anna+%26+me&topic=3&document=7&lam=0.3"


def test_overlays_close_in_order() -> None:
    state = WindowState(topic=3, document=7, search="ship", compared="anna")
    views = []
    while state.panel != "topic":
        views.append(state.panel)
        state.go_back()
    assert views == ["search", "compare", "document"]


def test_actions_on_words_become_steps() -> None:
    assert word_constraint("here", ("ship", "sea"), 3) == InTopic(("ship", "sea"), 3)
    steps = [Together(("ship", "sea")), Together(("bread", "salt")), Forget(("ship",))]
    assert constrained_words(steps) == {"sea", "bread", "salt"}


def test_actions_on_topics_become_steps(model: Any) -> None:
    workspace = Workspace.of_model(model, "themes")
    session = workspace.open()
    notice = SimpleNamespace(show_messages=lambda *messages: None)
    window: Any = SimpleNamespace(session=session, topic=3, layout=SimpleNamespace(notice=notice))

    async def scene() -> None:
        for action, value in ((toggle_pin, None), (toggle_pin, None), (merge_topics, 4), (hide_topic, None)):
            await action(window, value)
        await show_topic(window, 3)

    in_a_loop(scene())
    assert session.steering is not None
    assert session.steering.steps == (Pin(3), Unpin(3), MergeTopics(3, (4,)), Hide(3), Show(3))
    workspace.close()


def test_an_update_is_rendered_once(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All panels of a window once, and the map once more when its names are placed."""
    monkeypatch.setattr(Window, "_compute_coherence", lambda self, session: None)
    monkeypatch.setattr(Client, "run_javascript", lambda self, code: None)  # no browser is connected
    workspace = Workspace.of_model(model, "themes")
    session = workspace.open()
    rendered: list[str] = []
    events: list[str] = []

    async def scene() -> None:
        with Client(ui.page("/")):
            window = Window(workspace, WindowState())
        for name in ("show_all", "show_middle", "_show_map"):
            _count_calls(window, name, rendered)
        session.subscribe(events.append)
        await session.run(lambda: session.steering.add(Together(("ship", "bread"))))  # type: ignore[union-attr]
        await session.update()
        await asyncio.sleep(0)
        window.close()

    in_a_loop(scene())
    assert [event for event in events if event != "work"] == ["steps", "model", "map"]
    assert rendered == ["show_all", "_show_map", "show_middle", "_show_map"]
    assert (events[-1], session.busy) == ("work", False)
    workspace.close()


def _count_calls(window: Window, name: str, calls: list[str]) -> None:
    method = getattr(window, name)

    def counting() -> None:
        calls.append(name)
        method()

    setattr(window, name, counting)


def test_rejects_one_vs_rest_model(tmp_path: Path) -> None:
    texts, classes = ["ship sea", "bread oven", "law court"] * 5, ["sea", "kitchen", "court"] * 5
    model = tw.MedLDAClassifier(n_topics=2, n_sweeps=5, strategy="one-vs-rest").fit(texts, classes)
    with pytest.raises(InputError, match="separate topics for each class"):
        Workspace.of_model(model, "classes")


def test_rejects_missing_branch(own_file: Path) -> None:
    workspace = Workspace("themes", path=own_file)
    workspace.open()
    with pytest.raises(InputError, match="no branch 'anna'"):
        workspace.session("anna")
    workspace.close()


_NOTEBOOK = """
import json, sys, urllib.request
from sklearn.exceptions import NotFittedError

import topicwright as tw
lda = tw.load(sys.argv[1])
first, second = tw.explore(lda, open_browser=False), tw.explore(sys.argv[1], open_browser=False)
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
        tw.explore(sys.argv[1], port=taken.getsockname()[1], open_browser=False)
    except tw.InputError as error:
        print("in use" in str(error))
first = tw.explore(sys.argv[1], open_browser=False)
port = int(first.url.split(":")[2].split("/")[0])
print(tw.explore(first.model, port=port, open_browser=False).url.replace(str(port), "PORT"))
try:
    tw.explore(first.model, port=port - 1, open_browser=False)
except tw.InputError as error:
    print(str(error).replace(str(port), "PORT"))
"""


def test_pages_of_a_process_share_a_port(own_file: Path) -> None:
    """An occupied port leaves no trace: the file can be opened on another one."""
    done = subprocess.run(
        [sys.executable, "-c", _PORTS, str(own_file)], capture_output=True, text=True, timeout=120, cwd=own_file.parent
    )
    assert done.stdout.splitlines() == [
        "True",
        "http://127.0.0.1:PORT/model/2",
        "the pages of this process are at http://127.0.0.1:PORT already: leave out port or set it to PORT",
    ], done.stderr


def test_only_the_explorer_imports_nicegui() -> None:
    source = Path(tw.__file__).parent
    using = [path for path in source.rglob("*.py") if "nicegui" in path.read_text() and path.parent.name != "explorer"]
    assert sorted(path.name for path in using) == ["demo.py", "explore.py"]  # which only ask whether it is there
    code = "import topicwright.cli._app, sys; assert not {'nicegui', 'uvicorn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_text_is_never_rendered_as_html() -> None:
    """Templates contain nothing that renders text as HTML."""
    folder = Path(tw.__file__).parent / "explorer"
    paths = [*folder.rglob("*.js"), *folder.rglob("*.py")]
    assert len(paths) > 20
    for path in paths:
        text = path.read_text()
        assert not any(
            way in text for way in ("v-html", "innerHTML", "ui.html", "ui.markdown", "insertAdjacentHTML")
        ), path


def test_rejects_unfitted_model(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="LDA"):
        tw.explore(tw.LDA(), open_browser=False)
    with (
        pytest.warns(DeprecationWarning, match=r"explore\(opens=…\) is deprecated: use open_browser="),
        pytest.raises(NotFittedError),
    ):
        tw.explore(tw.LDA(), opens=False)


def test_full_disk_is_reported(own_file: Path) -> None:
    """The action fails, the page reports it and stays usable."""
    events: list[str] = []

    async def scene(session: BranchSession) -> None:
        session.subscribe(events.append)
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            await session.update()
            with pytest.raises(OSError, match="File too large"):
                await session.run(lambda: session.steering.add(Pin(1)))  # type: ignore[union-attr]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        await asyncio.sleep(0)

    workspace = Workspace("themes", path=own_file)
    session = workspace.open()
    in_a_loop(scene(session))
    assert "File too large" in session.outcome
    assert (session.busy, session.steering.steps) == (False, ())  # type: ignore[union-attr]
    assert events[-1] == "steps"
    workspace.close()


def test_topics_of_one_word_have_no_coherence(tmp_path: Path) -> None:
    training = Training(tw.LDA(2, n_sweeps=25), tw.Corpus.from_texts(["ship"] * 5), tmp_path / "m.tw")
    in_a_loop(training.run(lambda: None))
    training.close()
    assert (training.problem, training.sweep, training.coherence) == ("", 25, [])

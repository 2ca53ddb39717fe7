"""One browser window: its layout, its state, and what it renders when the state or the model changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from nicegui import background_tasks, context
from nicegui.element import Element

from ..steering import Apart, Forget, InTopic, NeverIn, Step, Together
from ..steering.branches import MAIN
from ..views.report.data import DEFAULT_LAMBDA
from ..views.summary import model_facts
from .branch_session import BranchSession
from .panels import (
    BranchesPanel,
    ComparePanel,
    DocumentPanel,
    HeaderBar,
    MobileTabs,
    Notice,
    Panel,
    SearchPanel,
    SelectionBar,
    StepsPanel,
    TopicDetailsPanel,
    TopicHeader,
    TopicList,
    TopicMapPanel,
    TopicWordsPanel,
    TrainingPanel,
    change_data,
)
from .view_model import ModelView
from .workspace import Workspace


class PageLayout:
    """Three columns: all topics, the current topic, the steps. A narrow screen shows one of them at a time."""

    def __init__(self) -> None:
        self.header = HeaderBar()
        with Element("div").classes("page-columns"):
            with Element("div").classes("page-column page-column-topics"):
                self._add_topics()
            with Element("div").classes("page-column page-column-middle"):
                self._add_middle()
            with Element("div").classes("page-column page-column-steps"):
                self._add_steps()
        self.tabs = MobileTabs()
        self.notice = Notice()

    def _add_topics(self) -> None:
        with _card():
            self.topic_map = TopicMapPanel()
            self.topic_list = TopicList()

    def _add_middle(self) -> None:
        with _card() as self.training_card:
            self.training = TrainingPanel()
        with _card() as self.middle:
            with Element("div") as self.topic:
                self.topic_header = TopicHeader()
                self.topic_words = TopicWordsPanel()
                self.topic_details = TopicDetailsPanel()
            self.document = DocumentPanel()
            self.search = SearchPanel()
            self.compare = ComparePanel()
        self.selection = SelectionBar()

    def _add_steps(self) -> None:
        with _card():
            self.steps = StepsPanel()
        with _card() as self.branches_card:
            self.branches = BranchesPanel()

    def show_panel(self, panel: str) -> None:
        """Show the topic, the document, the search results or the comparison in the middle column."""
        panels = {"topic": self.topic, "document": self.document, "search": self.search, "compare": self.compare}
        for name, element in panels.items():
            element.set_visibility(name == panel)


def _card() -> Element:
    return Element("div").classes("card")


_TAB_TITLES = {"topic": "Topic", "document": "Document", "search": "Search", "compare": "Compare"}


@dataclass
class WindowState:
    """What a window shows: a branch, a topic, and a document, search or comparison on top of the topic."""

    branch: str = MAIN
    topic: int | None = None
    """None is the largest topic."""
    document: int | None = None
    search: str = ""
    lam: float = DEFAULT_LAMBDA
    """Relevance weight λ."""
    compared: str | None = None
    """Branch to compare with."""
    selected: list[str] = field(default_factory=list)
    """Selected words, in the order of their selection."""

    @property
    def panel(self) -> str:
        """Panel in the middle of the page: "topic", "document", "search" or "compare"."""
        if self.search:
            return "search"
        if self.compared is not None:
            return "compare"
        return "topic" if self.document is None else "document"

    def go_back(self) -> None:
        """Close the uppermost of search, comparison and document."""
        if self.search:
            self.search = ""
        elif self.compared is not None:
            self.compared = None
        else:
            self.document = None

    def toggle(self, word: str) -> None:
        """Select a word, or deselect it."""
        if word in self.selected:
            self.selected.remove(word)
        else:
            self.selected.append(word)

    def address(self) -> str:
        """Query string that restores this state, such as ``?topic=7``."""
        parameters = {
            "branch": None if self.branch == MAIN else self.branch,
            "topic": self.topic,
            "document": self.document,
            "lam": None if self.lam == DEFAULT_LAMBDA else self.lam,
        }
        return "?" + urlencode({name: value for name, value in parameters.items() if value is not None})


class Window:
    """A window on one branch; all windows on a branch get the same events.

    Parameters
    ----------
    workspace : Workspace
    state : WindowState
        What to show first.
    """

    def __init__(self, workspace: Workspace, state: WindowState) -> None:
        self.workspace, self.state = workspace, state
        self.client = context.client
        self.layout = PageLayout()
        self.session: BranchSession | None = None
        self._view: ModelView | None = None
        self._activations = 0
        self._unsubscribe_session: Callable[[], None] = lambda: None
        self._unsubscribe_training: Callable[[], None] = lambda: None
        if workspace.training is not None:
            self._unsubscribe_training = workspace.training.subscribe(self._on_training_event)
        self.switch_session()

    def close(self) -> None:
        """Unsubscribe from all events."""
        self._unsubscribe_session()
        self._unsubscribe_training()

    # ------------------------------------------------------------------ events

    def switch_session(self) -> None:
        """Subscribe to the branch of the state, and show all of it."""
        session = self.workspace.session(self.state.branch)
        if session is not self.session:
            self._unsubscribe_session()
            self.session = session
            if session is not None:
                self._unsubscribe_session = session.subscribe(self._on_session_event)
                self._compute_coherence(session)
        self.show_all()

    def _compute_coherence(self, session: BranchSession) -> None:
        if self.workspace.training is None or self.workspace.training.is_over:
            background_tasks.create(session.compute_coherence())

    def _on_session_event(self, event: str) -> None:
        if self.session is None:
            return
        if event == "work":
            self.layout.steps.show_progress(self.session)
            self._show_busy()
        elif event == "coherence":
            self._show_topic_header()
        elif event == "map":
            self._show_map()
        elif event == "steps":
            self._show_list()
            self._show_topic_header()
            self._show_steps()
        else:
            self.show_all()
            self._compute_coherence(self.session)

    def _on_training_event(self) -> None:
        self._show_training()
        training = self.workspace.training
        assert training is not None
        if self.session is None or training.is_over:
            self.switch_session()
        elif self.session.view is not self._view:
            self.show_all()
        if training.is_over and not training.problem:
            self.layout.notice.show_messages(f"Training finished. The model is saved as {training.path}.")

    # ------------------------------------------------------------------ rendering

    @property
    def topic(self) -> int:
        """The current topic."""
        assert self.session is not None
        topic, view = self.state.topic, self.session.view
        if topic is not None and view.has_topic(topic):
            return topic
        return next((topic for topic in view.by_size if topic not in self.session.hidden), view.largest)

    def show_all(self) -> None:
        """Render all panels; properties that did not change are not sent again."""
        self._show_training()
        if self.session is None:
            self.layout.header.set_props(title=self.workspace.title, facts="")
            self.layout.middle.set_visibility(False)
            return
        self._view = self.session.view
        self.layout.middle.set_visibility(True)
        self._show_header()
        self._show_map()
        self._show_list()
        self._show_steps()
        self.show_middle()

    def show_middle(self) -> None:
        """Render the current topic, and the document, search or comparison on top of it."""
        assert self.session is not None
        view, topic = self.session.view, self.topic
        neighbors = [other for other, _ in view.neighbors(topic)]
        self.layout.topic_list.set_props(chosen=topic)
        self._show_topic_header()
        self.layout.topic_words.show_topic(view, topic)
        self.layout.topic_details.show_topic(view, topic, self.session.over_time)
        if self.state.document is not None:
            neighbors = self.layout.document.show_document(view, self.state.document, self._topic_options())
        self.layout.topic_map.set_props(chosen=topic, neighbors=neighbors, changed=sorted(self.session.changes))
        if self.state.search:
            self.layout.search.show_results(view, self.state.search)
        self.layout.header.set_props(query=self.state.search)
        self.layout.show_panel(self.state.panel)
        self.layout.tabs.set_props(middle=_TAB_TITLES[self.state.panel])
        self.show_selection()
        self.client.run_javascript(f"history.replaceState(null, '', {json.dumps(self.state.address())})")

    def activate_middle(self) -> None:
        """Render the middle of the page; a narrow screen switches to it."""
        if self.session is None:
            return
        self.show_middle()
        self._activations += 1
        self.layout.tabs.set_props(activations=self._activations)

    def show_selection(self) -> None:
        """Mark the selected words."""
        assert self.session is not None
        selected = list(self.state.selected)
        self.layout.topic_words.set_props(selected=selected, lam=self.state.lam)
        self.layout.document.set_props(selected=selected)
        self.layout.search.set_props(selected=selected)
        steps = () if self.session.steering is None else self.session.steering.steps
        self.layout.selection.set_props(
            words=selected,
            topic=self.topic,
            title=self.session.view.title(self.topic),
            has_constraints=bool(selected) and constrained_words(steps).issuperset(selected),
        )

    def _topic_options(self) -> list[dict[str, Any]]:
        """Topics to choose from, the largest first."""
        assert self.session is not None
        view, hidden = self.session.view, self.session.hidden
        return [{"topic": k, "title": view.title(k)} for k in view.by_size if k not in hidden]

    def _show_map(self) -> None:
        assert self.session is not None
        self.layout.topic_map.set_props(maps=self.session.maps)

    def _show_topic_header(self) -> None:
        assert self.session is not None
        change = self.session.changes.get(self.topic)
        self.layout.topic_header.show_topic(
            self.session.view,
            self.topic,
            pinned=self.topic in self.session.pinned,
            change=None if change is None else change_data(change),
            coherence=self.session.coherence,
            others=[option for option in self._topic_options() if option["topic"] != self.topic],
        )

    def _show_list(self) -> None:
        assert self.session is not None
        self.layout.topic_list.show_topics(
            self.session.view,
            hidden=self.session.hidden,
            restorable=self.session.restorable,
            pinned=self.session.pinned,
            changes={topic: change.distance for topic, change in self.session.changes.items()},
        )

    def _show_header(self) -> None:
        assert self.session is not None
        facts = [f"{value} {name}" for value, name in model_facts(self.session.view.model)[:3]]
        branches = self.workspace.branches() if self.session.steering is not None else []
        self.layout.header.set_props(
            title=self.workspace.title,
            facts=" · ".join(facts),
            branches=branches if len(branches) > 1 else [],
            branch=self.state.branch,
        )
        self.layout.branches_card.set_visibility(bool(branches))
        others = [name for name in branches if name != self.state.branch]
        self.layout.branches.set_props(branch=self.state.branch, others=others)

    def _show_steps(self) -> None:
        assert self.session is not None
        self.layout.steps.show_steps(self.session)
        pending = 0 if self.session.steering is None else len(self.session.steering.pending)
        self.layout.tabs.set_props(pending=pending)
        self._show_busy()

    def _show_busy(self) -> None:
        assert self.session is not None
        steerable, busy = self.session.steering is not None, self.session.busy
        layout = self.layout
        panels: list[Panel] = [layout.topic_header, layout.topic_words, layout.document, layout.search]
        for panel in [*panels, layout.selection, layout.branches]:
            panel.set_props(steerable=steerable, busy=busy)

    def _show_training(self) -> None:
        training = self.workspace.training
        is_shown = training is not None and (not training.is_over or bool(training.problem))
        self.layout.training_card.set_visibility(is_shown)
        if training is not None:
            self.layout.training.show_training(training)


def constrained_words(steps: Iterable[Step]) -> frozenset[str]:
    """Words with a constraint that no later step has removed."""
    words: set[str] = set()
    for step in steps:
        if isinstance(step, (Together, Apart, InTopic, NeverIn)):
            words |= set(step.words)
        elif isinstance(step, Forget):
            words -= set(step.words)
    return frozenset(words)

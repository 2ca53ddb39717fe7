"""One window: what it shows, and when that changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, context

from ..views.summary import facts_of
from .actions import words_told_of
from .branch_session import BranchSession
from .layout import PageLayout
from .panels import Panel, change_of
from .state import WindowState
from .view_model import ModelView
from .workspace import Workspace

_MIDDLES = {"topic": "Topic", "document": "Document", "search": "Search", "compare": "Compare"}


class Window:
    """A window on one branch; others on the same branch hear of the same news."""

    def __init__(self, desk: Workspace, state: WindowState) -> None:
        self.desk, self.state = desk, state
        self.client = context.client
        self.layout = PageLayout()
        self.bench: BranchSession | None = None
        self._picture: ModelView | None = None
        self._turns = 0
        self._leave_bench: Callable[[], None] = lambda: None
        self._leave_training: Callable[[], None] = lambda: None
        if desk.training is not None:
            self._leave_training = desk.training.subscribe(self._hear_training)
        self.go_to_bench()

    def close(self) -> None:
        """Nobody looks any more."""
        self._leave_bench()
        self._leave_training()

    # ------------------------------------------------------------------ news

    def go_to_bench(self) -> None:
        """Take the place at the branch that the state names, and show all of it."""
        bench = self.desk.bench(self.state.branch)
        if bench is not self.bench:
            self._leave_bench()
            self.bench = bench
            if bench is not None:
                self._leave_bench = bench.subscribe(self._hear)
                self._measure(bench)
        self.show_all()

    def _measure(self, bench: BranchSession) -> None:
        if self.desk.training is None or self.desk.training.is_over:
            background_tasks.create(bench.measure())

    def _hear(self, news: str) -> None:
        if self.bench is None:
            return
        if news == "work":
            self.layout.steps.show_work(self.bench)
            self._show_busy()
        elif news == "measures":
            self._show_head()
        elif news == "steps":
            self._show_list()
            self._show_head()
            self._show_steps()
        else:
            self.show_all()
            self._measure(self.bench)

    def _hear_training(self) -> None:
        self._show_training()
        training = self.desk.training
        assert training is not None
        if self.bench is None or training.is_over:
            self.go_to_bench()
        elif self.bench.picture is not self._picture:
            self.show_all()
        if training.is_over and not training.problem:
            self.layout.notice.say(f"The training is done. The model is in {training.path}.")

    # ------------------------------------------------------------------ showing

    @property
    def topic(self) -> int:
        """The topic that is looked at."""
        assert self.bench is not None
        asked, picture = self.state.topic, self.bench.picture
        if asked is not None and picture.has_topic(asked):
            return asked
        return next((topic for topic in picture.by_size if topic not in self.bench.hidden), picture.largest)

    def show_all(self) -> None:
        """Show everything; what is the same is not sent again."""
        self._show_training()
        if self.bench is None:
            self.layout.head.show(title=self.desk.title, facts="")
            self.layout.middle.set_visibility(False)
            return
        self._picture = self.bench.picture
        self.layout.middle.set_visibility(True)
        self._show_bar()
        self.layout.map.show(maps=self.bench.maps)
        self._show_list()
        self._show_steps()
        self.show_middle()

    def show_middle(self) -> None:
        """Show the topic and what lies over it."""
        assert self.bench is not None
        picture, topic = self.bench.picture, self.topic
        near = [other for other, _ in picture.near(topic)]
        self.layout.list.show(chosen=topic)
        self._show_head()
        self.layout.words.show_topic(picture, topic)
        self.layout.more.show_topic(picture, topic, self.bench.over_time)
        if self.state.document is not None:
            near = self.layout.document.show_document(picture, self.state.document, self._choices())
        self.layout.map.show(chosen=topic, near=near, changed=sorted(self.bench.changes))
        if self.state.search:
            self.layout.found.show_found(picture, self.state.search)
        self.layout.head.show(asked=self.state.search)
        self.layout.turn_to(self.state.view)
        self.layout.tabs.show(middle=_MIDDLES[self.state.view])
        self.show_selection()
        self.client.run_javascript(f"history.replaceState(null, '', {json.dumps(self.state.address())})")

    def turn_to_middle(self) -> None:
        """Show what is to be in the middle; on a narrow screen, turn to that part."""
        if self.bench is None:
            return
        self.show_middle()
        self._turns += 1
        self.layout.tabs.show(turned=self._turns)

    def show_selection(self) -> None:
        """Mark the words that are selected."""
        assert self.bench is not None
        selected = list(self.state.selected)
        self.layout.words.show(selected=selected, lam=self.state.lam)
        self.layout.document.show(selected=selected)
        self.layout.found.show(selected=selected)
        told = frozenset() if self.bench.steering is None else words_told_of(self.bench.steering.steps)
        self.layout.selection.show(
            words=selected,
            topic=self.topic,
            title=self.bench.picture.title(self.topic),
            said=bool(selected) and told.issuperset(selected),
        )

    def _choices(self) -> list[dict[str, Any]]:
        """Topics to choose from, the largest first."""
        assert self.bench is not None
        picture, hidden = self.bench.picture, self.bench.hidden
        return [{"topic": k, "title": picture.title(k)} for k in picture.by_size if k not in hidden]

    def _show_head(self) -> None:
        assert self.bench is not None
        change = self.bench.changes.get(self.topic)
        self.layout.topic_head.show_topic(
            self.bench.picture,
            self.topic,
            pinned=self.topic in self.bench.pinned,
            change=None if change is None else change_of(change),
            coherence=self.bench.coherence,
            others=[one for one in self._choices() if one["topic"] != self.topic],
        )

    def _show_list(self) -> None:
        assert self.bench is not None
        self.layout.list.show_picture(
            self.bench.picture,
            hidden=self.bench.hidden,
            can_return=self.bench.can_return,
            pinned=self.bench.pinned,
            moved={topic: change.distance for topic, change in self.bench.changes.items()},
        )

    def _show_bar(self) -> None:
        assert self.bench is not None
        facts = [f"{value} {name}" for value, name in facts_of(self.bench.picture.model)[:3]]
        branches = self.desk.branches() if self.bench.steering is not None else []
        self.layout.head.show(
            title=self.desk.title,
            facts=" · ".join(facts),
            branches=branches if len(branches) > 1 else [],
            branch=self.state.branch,
        )
        self.layout.branches_card.set_visibility(bool(branches))
        others = [name for name in branches if name != self.state.branch]
        self.layout.branches.show(branch=self.state.branch, others=others)

    def _show_steps(self) -> None:
        assert self.bench is not None
        self.layout.steps.show_bench(self.bench)
        waiting = 0 if self.bench.steering is None else len(self.bench.steering.pending)
        self.layout.tabs.show(waiting=waiting)
        self._show_busy()

    def _show_busy(self) -> None:
        assert self.bench is not None
        can_steer, busy = self.bench.steering is not None, self.bench.busy
        layout = self.layout
        panels: list[Panel] = [layout.topic_head, layout.words, layout.document, layout.found]
        for panel in [*panels, layout.selection, layout.branches]:
            panel.show(steerable=can_steer, busy=busy)

    def _show_training(self) -> None:
        training = self.desk.training
        is_shown = training is not None and (not training.is_over or bool(training.problem))
        self.layout.training_card.set_visibility(is_shown)
        if training is not None:
            self.layout.training.show_training(training)

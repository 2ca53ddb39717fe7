"""Layout of the page."""

from __future__ import annotations

from nicegui.element import Element

from .panels import (
    BranchesPanel,
    ComparePanel,
    DocumentPanel,
    HeaderBar,
    MobileTabs,
    Notice,
    SearchPanel,
    SelectionBar,
    StepsPanel,
    TopicDetailsPanel,
    TopicHeader,
    TopicList,
    TopicMapPanel,
    TopicWordsPanel,
    TrainingPanel,
)


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

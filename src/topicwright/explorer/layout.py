"""Where the parts of the page are."""

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
    """Three columns: all topics; the one that is looked at; what was said. On a narrow screen one of them at a time."""

    def __init__(self) -> None:
        self.head = HeaderBar()
        with Element("div").classes("work"):
            with Element("div").classes("part part-topics"):
                self._topics()
            with Element("div").classes("part part-middle"):
                self._middle()
            with Element("div").classes("part part-steps"):
                self._steps()
        self.tabs = MobileTabs()
        self.notice = Notice()

    def _topics(self) -> None:
        with _card():
            self.map = TopicMapPanel()
            self.list = TopicList()

    def _middle(self) -> None:
        with _card() as self.training_card:
            self.training = TrainingPanel()
        with _card() as self.middle:
            with Element("div") as self.topic:
                self.topic_head = TopicHeader()
                self.words = TopicWordsPanel()
                self.more = TopicDetailsPanel()
            self.document = DocumentPanel()
            self.found = SearchPanel()
            self.compare = ComparePanel()
        self.selection = SelectionBar()

    def _steps(self) -> None:
        with _card():
            self.steps = StepsPanel()
        with _card() as self.branches_card:
            self.branches = BranchesPanel()

    def turn_to(self, view: str) -> None:
        """Show a topic, a document, what was found, or a comparison."""
        views = {"topic": self.topic, "document": self.document, "search": self.found, "compare": self.compare}
        for name, element in views.items():
            element.set_visibility(name == view)


def _card() -> Element:
    return Element("div").classes("card")

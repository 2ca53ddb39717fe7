"""What one window shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode

from ..steering.branches import MAIN
from ..views.report.data import MIDDLE


@dataclass
class WindowState:
    """A branch, a topic of it, and what lies over the topic: a document, or what was searched for."""

    branch: str = MAIN
    topic: int | None = None
    """None is the largest."""
    document: int | None = None
    search: str = ""
    lam: float = MIDDLE
    compared: str | None = None
    """A branch to compare with."""
    selected: list[str] = field(default_factory=list)
    """Words, in the order in which they were selected."""

    @property
    def view(self) -> str:
        """What is in the middle of the page."""
        if self.search:
            return "search"
        if self.compared is not None:
            return "compare"
        return "topic" if self.document is None else "document"

    def go_back(self) -> None:
        """Take away what lies over the topic, the uppermost first."""
        if self.search:
            self.search = ""
        elif self.compared is not None:
            self.compared = None
        else:
            self.document = None

    def toggle(self, word: str) -> None:
        """Select a word, or no longer."""
        if word in self.selected:
            self.selected.remove(word)
        else:
            self.selected.append(word)

    def address(self) -> str:
        """The part of the address that brings this back, such as ``?topic=7``."""
        parts = {
            "branch": None if self.branch == MAIN else self.branch,
            "topic": self.topic,
            "document": self.document,
            "lam": None if self.lam == MIDDLE else self.lam,
        }
        told = urlencode({name: value for name, value in parts.items() if value is not None})
        return f"?{told}" if told else "?"

"""A line that says what went wrong, or what to know of a step."""

from __future__ import annotations

from .panel import Panel


class Notice(Panel, component="notice.js"):
    """Shows ``lines`` until they are read, or for some seconds; ``n`` counts them, so that the same can come again."""

    def say(self, *lines: str) -> None:
        """Show some lines."""
        if lines:
            self.show(lines=list(lines), n=int(self._props.get("n", 0)) + 1)
